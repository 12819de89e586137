package main

import (
	encoding "encoding/binary"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	wire "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/server"
)

const (
	fakeUUID     = "f058a83d-ec70-11f1-8f09-02fc00000001"
	fakeExecuted = fakeUUID + ":1-29:1000"
	fakePassword = "topsecret"
)

// fakeMySQL answers as MySQL 8.0.31 does, over the binlog of one that has purged its first file.
type fakeMySQL struct {
	address string
	files   []fakeFile

	mu         sync.Mutex
	denied     []string      // statements that begin so, and "dump", want a privilege
	refuse     bool          // every login
	hang       chan struct{} // not nil: statements wait until it is closed
	logins     int
	statements []string
}

type fakeFile struct {
	name string
	data []byte
}

func newFakeMySQL(t *testing.T) *fakeMySQL {
	t.Helper()
	f := &fakeMySQL{}
	paths, err := filepath.Glob("mysql/binlog/testdata/mysql-8.0/mysql-bin.*")
	if err != nil || len(paths) != 4 {
		t.Fatal(paths, err)
	}
	for _, path := range paths[1:] {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f.files = append(f.files, fakeFile{filepath.Base(path), data})
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	users := server.NewInMemoryAuthenticationHandler(wire.AUTH_NATIVE_PASSWORD)
	if err := users.AddUser("truelag", fakePassword); err != nil {
		t.Fatal(err)
	}
	before := slog.Default() // the library tells there of each connection that ends
	slog.SetDefault(slog.New(slog.DiscardHandler))
	var conns sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		f.mu.Lock()
		if f.hang != nil {
			close(f.hang)
			f.hang = nil
		}
		f.mu.Unlock()
		conns.Wait()
		slog.SetDefault(before)
	})
	s := server.NewServer("8.0.31", wire.DEFAULT_COLLATION_ID, wire.AUTH_NATIVE_PASSWORD, nil, nil)
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { f.serve(s, users, c) })
		}
	})
	return f
}

// set is for what a test changes while the server answers.
func (f *fakeMySQL) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeMySQL) serve(s *server.Server, users server.AuthenticationHandler, c net.Conn) {
	defer c.Close()
	refuse := false
	f.set(func() { refuse = f.refuse })
	if refuse {
		users = server.NewInMemoryAuthenticationHandler(wire.AUTH_NATIVE_PASSWORD)
	}
	conn, err := s.NewCustomizedConn(c, users, &fakeSession{fakeMySQL: f, conn: c})
	if err == nil {
		f.set(func() { f.logins++ })
	}
	for err == nil && !conn.Closed() {
		err = conn.HandleCommand()
	}
}

// fakeSession is one connection.
type fakeSession struct {
	server.EmptyHandler
	*fakeMySQL
	conn net.Conn
}

var errFakeDenied = wire.NewDefaultError(wire.ER_SPECIFIC_ACCESS_DENIED_ERROR, "REPLICATION SLAVE, REPLICATION CLIENT")

// wait lets a statement hang, and says whether it wants a privilege.
func (s *fakeSession) wait(statement string) error {
	s.mu.Lock()
	s.statements = append(s.statements, statement)
	hang := s.hang
	denied := slices.ContainsFunc(s.denied, func(prefix string) bool { return strings.HasPrefix(statement, prefix) })
	s.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if denied {
		return errFakeDenied
	}
	return nil
}

func (s *fakeSession) HandleQuery(q string) (*wire.Result, error) {
	if err := s.wait(q); err != nil {
		return nil, err
	}
	var columns []string
	var rows [][]any
	switch list, selects := strings.CutPrefix(q, "SELECT "); {
	case q == "SHOW BINARY LOGS":
		columns = []string{"Log_name", "File_size", "Encrypted"}
		for _, file := range s.files {
			rows = append(rows, []any{file.name, uint64(len(file.data)), "No"})
		}
	case q == "SELECT file, pos FROM progress":
		columns, rows = []string{"file", "pos"}, [][]any{{"mysql-bin.000004", uint64(1856)}}
	case selects:
		row := []any{}
		for _, item := range strings.Split(list, ", ") {
			of, name, _ := strings.Cut(item, " AS ")
			value, ok := fakeVariable(strings.TrimPrefix(strings.ToLower(of), "@@global."))
			if !ok {
				return nil, wire.NewError(wire.ER_UNKNOWN_SYSTEM_VARIABLE, "Unknown system variable")
			}
			columns, row = append(columns, name), append(row, []byte(value))
		}
		rows = [][]any{row}
	case strings.HasPrefix(q, "SET "):
		return nil, nil
	default:
		return nil, wire.NewDefaultError(wire.ER_PARSE_ERROR, "You have an error in your SQL syntax", q, 1)
	}
	set, err := wire.BuildSimpleTextResultset(columns, rows)
	if err != nil {
		return nil, err
	}
	return wire.NewResult(set), nil
}

func fakeVariable(name string) (string, bool) {
	if name == "utc_timestamp(6)" {
		return time.Now().UTC().Format("2006-01-02 15:04:05.000000"), true
	}
	v, ok := map[string]string{
		"version": "8.0.31", "version_comment": "MySQL Community Server - GPL", "server_uuid": fakeUUID, "server_id": "7",
		"hostname": "db-0", "port": "3306", "gtid_mode": "ON", "gtid_executed": fakeExecuted, "gtid_purged": fakeUUID + ":1-14",
		"binlog_expire_logs_seconds": "86400", "expire_logs_days": "0", "binlog_expire_logs_auto_purge": "1",
	}[name]
	return v, ok
}

// HandleOtherCommand answers to a dump that does not wait at the end.
func (s *fakeSession) HandleOtherCommand(command byte, data []byte) error {
	if command != wire.COM_BINLOG_DUMP {
		return errFakeDenied
	}
	if err := s.wait("dump"); err != nil {
		return err
	}
	s.dump(string(data[10:]), int(encoding.LittleEndian.Uint32(data)))
	s.conn.Close()
	return io.EOF
}

func (s *fakeSession) dump(name string, from int) {
	sequence := byte(1)
	send := func(parts ...[]byte) {
		packet := slices.Concat(parts...)
		n := len(packet)
		_, _ = s.conn.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), sequence}, packet...)) // who has gone reads nothing
		sequence++
	}
	at := slices.IndexFunc(s.files, func(f fakeFile) bool { return f.name == name })
	if at < 0 {
		send([]byte("\xff\xd4\x04#HY000Could not find first log file name in binary log index file"))
		return
	}
	for i, file := range s.files[at:] {
		rotation := make([]byte, 19, 64)
		rotation[4], rotation[17] = 4, 0x20 // a rotation that is in no file
		rotation = append(encoding.LittleEndian.AppendUint64(rotation, uint64(max(from, 4))), file.name...)
		if i > 0 {
			rotation = append(rotation, 1, 2, 3, 4) // a checksum
		}
		encoding.LittleEndian.PutUint32(rotation[9:], uint32(len(rotation)))
		send([]byte{0}, rotation)
		for pos := 4; pos < len(file.data); {
			size := int(encoding.LittleEndian.Uint32(file.data[pos+9:]))
			event := slices.Clone(file.data[pos : pos+size])
			switch {
			case pos == 4 && from > 4: // the file's format, sent ahead
				clear(event[13:17])
				send([]byte{0}, event)
			case pos >= from:
				send([]byte{0}, event)
			}
			pos += size
		}
		from = 4
	}
	send([]byte{0xfe, 0, 0, 0, 0})
}
