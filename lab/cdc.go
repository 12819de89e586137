package lab

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Reader is a program beside Kafka Connect that reads a server's binlog: a Maxwell, or a Canal.
type Reader struct {
	process
	program string
	args    []string
}

// MaxwellUser owns Maxwell's database on a server, and its notes there.
const MaxwellUser = "maxwell"

// MaxwellClient is the client_id of the lab's Maxwell.
const MaxwellClient = "lab"

// Maxwell starts Maxwell on a server; gtids: it goes on by a set of transactions. It prints what it reads, and writes down its place in
// the server's database maxwell, with heartbeats. It ends with the test.
func (p *Pool) Maxwell(t testing.TB, m *MySQL, gtids bool) *Reader {
	t.Helper()
	home, err := homeOf("maxwell")
	if err != nil {
		t.Fatal(err)
	}
	m.Exec(t, "SET sql_log_bin=0",
		fmt.Sprintf("CREATE USER IF NOT EXISTS %s@'%%' IDENTIFIED BY '%s'", MaxwellUser, Password(MaxwellUser)),
		fmt.Sprintf("GRANT ALL ON maxwell.* TO %s@'%%'", MaxwellUser),
		fmt.Sprintf("GRANT SELECT, REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO %s@'%%'", MaxwellUser))
	java := home.command("256m", "com.zendesk.maxwell.Maxwell", "--producer=stdout", "--host=127.0.0.1", fmt.Sprint("--port=", m.Port),
		"--user="+MaxwellUser, "--password="+Password(MaxwellUser), "--replica_server_id=6301", "--client_id="+MaxwellClient,
		fmt.Sprint("--gtid_mode=", gtids), "--log_level=warn",
		"--filter=exclude: maxwell.*") // it never prints them, but reads them whole, and cannot read what MySQL calls utf8mb3 since 8.0.30
	return p.reader(t, "Maxwell", "sh", guarded("java", java...))
}

// CanalFile is where below its folder Canal keeps its place.
const CanalFile = "lab/meta.dat"

// Canal starts Canal on a server, for one test; gtids: it goes on by a set of transactions. It keeps its place in the folder; a row of a
// table named held waits for Go. It ends with the test.
func (p *Pool) Canal(t testing.TB, m *MySQL, folder string, gtids bool) *Reader {
	t.Helper()
	home, err := homeOf("canal")
	if err != nil {
		t.Fatal(err)
	}
	return p.reader(t, "Canal", "java", home.command("256m", "CanalRun", fmt.Sprint(m.Port), Replicator, Password(Replicator), folder, fmt.Sprint(gtids)))
}

func (p *Pool) reader(t testing.TB, name, program string, args []string) *Reader {
	t.Helper()
	dir, err := p.dir()
	if err != nil {
		t.Fatal(err)
	}
	r := &Reader{program: program, args: args}
	r.name, r.log = name, filepath.Join(dir, name+".log")
	r.Start(t)
	t.Cleanup(r.kill)
	showLogs(t, r.logs)
	return r
}

// Start starts a program that was ended.
func (r *Reader) Start(t testing.TB) {
	t.Helper()
	if err := r.launch(r.program, r.args); err != nil {
		t.Fatal(err)
	}
}

// Kill ends it at once, as kill -9 does.
func (r *Reader) Kill() { r.kill() }

// KillWhen is Kill at a moment at which something holds: Canal writes its file over the one before, and loses its place where it is killed
// meanwhile.
func (r *Reader) KillWhen(t testing.TB, holds func() error) {
	t.Helper()
	Await(t, func() error {
		r.signal(t, syscall.SIGSTOP)
		Await(t, r.stands)
		err := holds()
		if err == nil {
			r.kill()
		} else {
			r.signal(t, syscall.SIGCONT)
		}
		return err
	})
}

// stands is nil once none of its threads does anything any more.
func (r *Reader) stands() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", r.cmd.Process.Pid))
	if err != nil {
		return err
	}
	for _, f := range files {
		stat, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if at := bytes.LastIndexByte(stat, ')'); !bytes.HasPrefix(stat[at+1:], []byte(" T")) { // after the name, which may have any letters
			return fmt.Errorf("%s was told to stop, and goes on: %s", r.name, stat)
		}
	}
	return nil
}

// Go lets a Canal that holds an entry back acknowledge it.
func (r *Reader) Go(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.stdin, "go\n"); err != nil {
		t.Fatal(err)
	}
}

// Printed says whether the program has printed a text.
func (r *Reader) Printed(t testing.TB, text string) bool {
	t.Helper()
	if r.died() {
		t.Fatalf("%s has ended by itself", r.name)
	}
	printed, err := os.ReadFile(r.log)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(printed, []byte(text))
}
