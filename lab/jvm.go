package lab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// JVM runs the programs of java/ and Kafka's own tools as jobs of one process (java/Serve.java), which stays warm.
type JVM struct {
	cmd   *exec.Cmd
	log   string
	stdin io.WriteCloser
	write sync.Mutex

	mu   sync.Mutex
	jobs map[string]*Job
	next int
	err  error // why no more answers come
}

// Job is one run of a main method.
type Job struct {
	jvm  *JVM
	id   string
	name string

	mu    sync.Mutex
	lines []string
	done  bool
	err   error
	news  chan struct{} // has room for one: something changed
}

// jvm is the pool's JVM with the libraries of this cluster's version; 0.11 is served by those of 2.8, as Kafka's
// clients have kept talking to older brokers for so long.
func (c *Cluster) jvm(t testing.TB) *JVM {
	t.Helper()
	version := c.Options.Version
	if version == Oldest {
		version = Old
	}
	p := c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if j := p.jvms[version]; j != nil {
		return j
	}
	h, err := home(version)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := p.makeDir()
	if err != nil {
		t.Fatal(err)
	}
	j, err := startJVM(h, filepath.Join(dir, "programs.log"))
	if err != nil {
		t.Fatalf("start the JVM of the Java programs: %v", err)
	}
	if p.jvms == nil {
		p.jvms = map[string]*JVM{}
	}
	p.jvms[version] = j
	return j
}

func startJVM(h homeDir, log string) (*JVM, error) {
	stderr, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	j := &JVM{log: log, jobs: map[string]*Job{}}
	j.cmd = exec.Command("java", append(h.command("512m"), "Serve")...)
	j.cmd.Stderr = stderr
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if j.stdin, err = j.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := j.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := j.cmd.Start(); err != nil {
		return nil, err
	}
	go j.read(stdout)
	return j, nil
}

// read hands out what the jobs print until the process ends.
func (j *JVM) read(out io.Reader) {
	in := bufio.NewScanner(out)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		id, rest, _ := strings.Cut(in.Text(), "\t")
		what, text, _ := strings.Cut(rest, "\t")
		j.mu.Lock()
		job := j.jobs[id]
		if what == "end" {
			delete(j.jobs, id)
		}
		j.mu.Unlock()
		switch {
		case job == nil:
		case what == "out":
			job.add(text)
		case text == "":
			job.end(nil)
		default:
			job.end(errors.New(text))
		}
	}
	err := in.Err()
	if err == nil {
		err = errors.New("the JVM of the Java programs has ended")
	}
	j.mu.Lock()
	j.err = err
	jobs := j.jobs
	j.jobs = map[string]*Job{}
	j.mu.Unlock()
	for _, job := range jobs {
		job.end(err)
	}
}

func (j *JVM) close() {
	j.cmd.Process.Kill()
	j.cmd.Wait()
}

func (j *JVM) tell(fields ...string) error {
	j.write.Lock()
	defer j.write.Unlock()
	_, err := io.WriteString(j.stdin, strings.Join(fields, "\t")+"\n")
	return err
}

// run starts a job: the main method of a class. Lines end when the test does, so that nothing of it lives on.
func (j *JVM) run(t testing.TB, class string, args ...string) *Job {
	t.Helper()
	j.mu.Lock()
	if j.err != nil {
		j.mu.Unlock()
		t.Fatal(j.err)
	}
	j.next++
	job := &Job{jvm: j, id: fmt.Sprint(j.next), name: class, news: make(chan struct{}, 1)}
	j.jobs[job.id] = job
	j.mu.Unlock()
	fields := []string{job.id, "start", class}
	for _, a := range args {
		fields = append(fields, url.QueryEscape(a))
	}
	if err := j.tell(fields...); err != nil {
		t.Fatalf("start %s: %v", class, err)
	}
	t.Cleanup(job.Close)
	return job
}

func (job *Job) add(line string) {
	job.mu.Lock()
	job.lines = append(job.lines, line)
	job.mu.Unlock()
	job.wake()
}

func (job *Job) end(err error) {
	job.mu.Lock()
	job.done, job.err = true, err
	job.mu.Unlock()
	job.wake()
}

func (job *Job) wake() {
	select {
	case job.news <- struct{}{}:
	default:
	}
}

// Send tells the job a line.
func (job *Job) Send(t testing.TB, line string) {
	t.Helper()
	if err := job.jvm.tell(job.id, "line", line); err != nil {
		t.Fatalf("tell %s %q: %v", job.name, line, err)
	}
}

// Close says that no more lines follow. The job ends by itself then.
func (job *Job) Close() { job.jvm.tell(job.id, "close") }

// Line waits for the next line of output.
func (job *Job) Line(t testing.TB) string {
	t.Helper()
	return job.lineWithin(t, patience)
}

// lineWithin is Line for what takes longer than most.
func (job *Job) lineWithin(t testing.TB, limit time.Duration) string {
	t.Helper()
	for deadline := time.After(limit); ; {
		job.mu.Lock()
		if len(job.lines) > 0 {
			line := job.lines[0]
			job.lines = job.lines[1:]
			job.mu.Unlock()
			return line
		}
		done, err := job.done, job.err
		job.mu.Unlock()
		if done {
			t.Fatalf("%s ended without the line that it owes: %v", job.name, err)
		}
		select {
		case <-job.news:
		case <-deadline:
			t.Fatalf("%s said nothing for %s", job.name, limit)
		}
	}
}

// Wait waits for the end and returns the lines that were not taken.
func (job *Job) Wait(t testing.TB) []string {
	t.Helper()
	for deadline := time.After(patience); ; {
		job.mu.Lock()
		done, err, lines := job.done, job.err, job.lines
		job.mu.Unlock()
		if done && err != nil {
			t.Fatalf("%s: %v\n%s", job.name, err, strings.Join(lines, "\n"))
		}
		if done {
			return lines
		}
		select {
		case <-job.news:
		case <-deadline:
			t.Fatalf("%s has not ended within %s", job.name, patience)
		}
	}
}
