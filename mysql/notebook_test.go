package mysql

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-kit/log"
)

// notebook is a consumer whose notes the test writes.
type notebook struct {
	name   string
	mu     sync.Mutex
	note   Note
	err    error
	hang   chan struct{} // nil: none. It does not keep to its context.
	reads  atomic.Int32
	closed atomic.Bool
}

func (n *notebook) Name() string { return n.name }
func (n *notebook) Close()       { n.closed.Store(true) }

func (n *notebook) Read(context.Context) (Note, error) {
	n.reads.Add(1)
	n.mu.Lock()
	note, err, hang := n.note, n.err, n.hang
	n.mu.Unlock()
	if hang != nil {
		<-hang
	}
	return note, err
}

func at(file string, pos int64, gtids string) *notebook {
	return &notebook{name: "c", note: Note{Position: &Position{File: file, Pos: pos, GTIDs: gtids}}}
}

// reader is a Server that reads at each call.
func reader(t *testing.T, dial Dial, change func(*Config), consumers ...Consumer) *Server {
	t.Helper()
	cfg := Config{Name: "db", Dial: dial, Timeout: time.Minute, FilesTimeout: time.Minute, Consumers: consumers}
	if change != nil {
		change(&cfg)
	}
	s, err := New(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// works is a reading of which all has come.
func works(t *testing.T, s *Server) *Reading {
	t.Helper()
	r := s.Read(t.Context())
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, f := range r.Features {
		if f.Err != nil {
			t.Fatalf("%s: %v", f.Name, f.Err)
		}
	}
	return r
}

func feature(t *testing.T, r *Reading, name string) error {
	t.Helper()
	for _, f := range r.Features {
		if f.Name == name {
			return f.Err
		}
	}
	t.Fatalf("no feature %s in %+v", name, r.Features)
	return nil
}
