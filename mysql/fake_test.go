package mysql

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	wire "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/server"
)

// fakeServer speaks MySQL's protocol, and answers to statements as a server of any version does. What it answers may be
// changed while it runs.
type fakeServer struct {
	address string

	mu         sync.Mutex
	version    string
	uuid       string            // empty: MariaDB
	uuids      []string          // instead, one for each connection in turn
	variables  map[string]string // global ones
	null       []string          // those of them that are NULL
	columns    []string          // of SHOW BINARY LOGS
	rows       [][]any
	begun      map[string]string        // what was written before a file; of the first, the variable purged, which is none
	second     string                   // the kind of each file's second event
	errors     map[string]error         // by how a statement begins
	hangs      map[string]chan struct{} // the same: until it is closed
	cut        string                   // where a statement begins so, the connection is cut
	raw        []byte                   // or this is sent instead of the answer
	statements []string
	open       int // connections
	accepted   int // of all
}

const (
	uuidA = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
	uuidB = "4f22fa47-71ca-11e1-9e33-c80aa9429562"
)

// fake is a MySQL 8.4 with an encrypted file and tagged transactions, unless the test makes it another.
func fake(t *testing.T) *fakeServer {
	return fakeWith(t, server.NewServer("8.4.6", wire.DEFAULT_COLLATION_ID, wire.AUTH_NATIVE_PASSWORD, nil, nil), wire.AUTH_NATIVE_PASSWORD)
}

func fakeWith(t *testing.T, s *server.Server, auth string) *fakeServer {
	t.Helper()
	f := &fakeServer{
		version: "8.4.6", uuid: uuidA,
		variables: map[string]string{
			"version_comment": "MySQL Community Server - GPL", "server_id": "7", "hostname": "db-0", "port": "3306", "gtid_mode": "ON",
			"gtid_executed": uuidA + ":1-5:mysqlsh:1-2,\n" + uuidB + ":7", "gtid_purged": uuidA + ":1-2",
			"binlog_expire_logs_seconds": "86400", "binlog_expire_logs_auto_purge": "1",
		},
		columns: []string{"Log_name", "File_size", "Encrypted"},
		rows:    [][]any{{"binlog.000001", uint64(1512), "Yes"}, {"binlog.000002", uint64(388), "No"}},
		second:  "Previous_gtids",
		errors:  map[string]error{"SHOW MASTER": wire.NewDefaultError(wire.ER_PARSE_ERROR, "You have an error in your SQL syntax", "MASTER", 1)},
		hangs:   map[string]chan struct{}{},
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	users := server.NewInMemoryAuthenticationHandler(auth)
	if err := users.AddUser("mon", "s3cret"); err != nil {
		t.Fatal(err)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // the library tells there of each connection that ends
	var conns sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		f.mu.Lock()
		for statement, hang := range f.hangs {
			close(hang)
			delete(f.hangs, statement)
		}
		f.mu.Unlock()
		conns.Wait()
	})
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

func (f *fakeServer) serve(s *server.Server, users server.AuthenticationHandler, c net.Conn) {
	own := session{fakeServer: f, conn: c}
	f.change(func() {
		f.open++
		if len(f.uuids) > 0 {
			own.uuid = f.uuids[f.accepted%len(f.uuids)]
		}
		f.accepted++
	})
	defer f.change(func() { f.open-- })
	defer c.Close()
	conn, err := s.NewCustomizedConn(c, users, &own)
	for err == nil && !conn.Closed() {
		err = conn.HandleCommand()
	}
}

func (f *fakeServer) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// count is how often a statement that begins so was sent.
func (f *fakeServer) count(prefix string) (n int) {
	f.change(func() {
		for _, s := range f.statements {
			if strings.HasPrefix(s, prefix) {
				n++
			}
		}
	})
	return n
}

// hang lets statements that begin so wait until the returned function is called.
func (f *fakeServer) hang(prefix string) (release func()) {
	hang := make(chan struct{})
	f.change(func() { f.hangs[prefix] = hang })
	return func() {
		f.change(func() {
			if f.hangs[prefix] == hang {
				close(hang)
				delete(f.hangs, prefix)
			}
		})
	}
}

type session struct {
	server.EmptyHandler
	*fakeServer
	conn    net.Conn
	uuid    string // empty: the server's
	commits bool   // each statement by itself: the server is one with autocommit off
}

func (s *session) HandleQuery(q string) (*wire.Result, error) {
	if q == "SET autocommit = 1" {
		s.commits = true
		return nil, nil
	}
	if !s.commits { // else a query holds its tables for as long as the connection is kept, and sees them as they were
		return nil, wire.NewDefaultError(wire.ER_NOT_ALLOWED_COMMAND)
	}
	s.mu.Lock()
	s.statements = append(s.statements, q)
	var hang chan struct{}
	for prefix, h := range s.hangs {
		if strings.HasPrefix(q, prefix) {
			hang = h
		}
	}
	s.mu.Unlock()
	if hang != nil {
		<-hang
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut != "" && strings.HasPrefix(q, s.cut) {
		if _, err := s.conn.Write(s.raw); err != nil {
			return nil, err
		}
		s.conn.Close()
		return nil, io.EOF
	}
	for prefix, err := range s.errors {
		if strings.HasPrefix(q, prefix) {
			return nil, err
		}
	}
	columns, rows := s.columns, s.rows
	if file, ok := between(q, "SELECT BINLOG_GTID_POS('", "', 4) AS purged"); ok {
		columns, rows = []string{"purged"}, [][]any{{s.began(file)}}
	} else if file, ok := between(q, "SHOW BINLOG EVENTS IN '", "' LIMIT 1, 1"); ok {
		columns, rows = []string{"Log_name", "Pos", "Event_type", "Info"}, [][]any{{file, uint64(126), s.second, s.began(file)}}
	} else if list, ok := strings.CutPrefix(q, "SELECT "); ok {
		var row []any
		columns = nil
		for _, item := range strings.Split(list, ", ") {
			of, name, _ := strings.Cut(item, " AS ")
			value, err := s.value(of, cmp.Or(s.uuid, s.fakeServer.uuid))
			if err != nil {
				return nil, err
			}
			columns, row = append(columns, name), append(row, value)
		}
		rows = [][]any{row}
	} else if q != "SHOW BINARY LOGS" {
		return nil, wire.NewDefaultError(wire.ER_PARSE_ERROR, "You have an error in your SQL syntax", q, 1)
	}
	set, err := wire.BuildSimpleTextResultset(columns, rows)
	if err != nil {
		return nil, err
	}
	return wire.NewResult(set), nil
}

// between is what stands between the beginning and the end of a statement.
func between(q, begin, end string) (string, bool) {
	q, begins := strings.CutPrefix(q, begin)
	q, ends := strings.CutSuffix(q, end)
	return q, begins && ends
}

// began is what was written when a file was begun; NULL of one that is not there.
func (f *fakeServer) began(file string) any {
	set, ok := f.begun[file]
	switch {
	case !ok && file == f.rows[0][0]:
		set = f.variables["purged"]
	case !ok:
		return nil
	}
	return append([]byte{}, set...)
}

func (f *fakeServer) value(of, uuid string) (any, error) {
	name := strings.TrimPrefix(of, "@@global.")
	value, ok := f.variables[name]
	switch {
	case slices.Contains(f.null, name):
		return nil, nil
	case name == "version":
		value = f.version
	case name == "server_uuid" && uuid != "":
		value = uuid
	case name == "UTC_TIMESTAMP(6)" && !ok:
		value = time.Now().UTC().Format("2006-01-02 15:04:05.000000")
	case !ok:
		return nil, wire.NewError(wire.ER_UNKNOWN_SYSTEM_VARIABLE, fmt.Sprintf("Unknown system variable '%s'", name))
	}
	return append([]byte{}, value...), nil
}

func (f *fakeServer) dial() Dial {
	return Dial{Address: f.address, User: "mon", Password: func() (string, error) { return "s3cret", nil }}
}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
