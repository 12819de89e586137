package mysql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-kit/log"
)

// Server is one MySQL or MariaDB server and its consumers. It is safe for concurrent use.
type Server struct {
	cfg    Config
	rounds *rounds

	mu     sync.Mutex
	closed bool
	now    *flight  // nil: no round is under way
	last   *Reading // nil: none has ended yet
}

// flight is a round that simultaneous callers share.
type flight struct {
	landed chan struct{} // closed when read is set
	read   *Reading
	cancel context.CancelFunc
}

// longest is how long a round takes at most whose caller does not say when it gives up.
const longest = time.Minute

// New checks cfg and connects to nothing. An error says which setting is wrong. The server closes its consumers and its scanner.
func New(cfg Config, logger log.Logger) (*Server, error) {
	for what, d := range map[string]time.Duration{"timeout": cfg.Timeout, "timeout of the list of files": cfg.FilesTimeout} {
		if d <= 0 {
			return nil, fmt.Errorf("%s is %s: want more than 0", what, d)
		}
	}
	for what, d := range map[string]time.Duration{"interval": cfg.Interval, "retention": cfg.Retention} {
		if d < 0 {
			return nil, fmt.Errorf("%s is %s: want 0 or more", what, d)
		}
	}
	cfg.Consumers = slices.Clone(cfg.Consumers)
	dial := cfg.Dial
	if dial.Timeout <= 0 {
		dial.Timeout = cfg.Timeout
	}
	db, err := dial.Open()
	if err != nil {
		return nil, err
	}
	lists, err := dial.Open()
	if err != nil {
		_ = db.Close() // it was not used
		return nil, err
	}
	return &Server{cfg: cfg, rounds: newRounds(cfg, db, lists, logger)}, nil
}

// Name is the configured name.
func (s *Server) Name() string { return s.cfg.Name }

// Read reads the consumers' notes, then the server, and measures the one by the other. Simultaneous calls share a round, which
// goes on until the deadline of the one that began it. A round that began less than Config.Interval ago is returned again, and
// where ctx ends too soon, the one before; its At tells. Read never fails: what could not be read says so itself.
func (s *Server) Read(ctx context.Context) *Reading {
	f, last := s.board(ctx)
	if f == nil {
		return last
	}
	select {
	case <-f.landed:
		return f.read
	case <-ctx.Done():
	}
	if last == nil {
		last = s.rounds.unread(fmt.Errorf("no reading has ended yet: %w", context.Cause(ctx)))
	}
	return last
}

// board joins the round that is under way, or begins one; nil: the last is new enough.
func (s *Server) board(ctx context.Context) (*flight, *Reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, s.rounds.unread(errors.New("the server is closed"))
	case s.now != nil:
		return s.now, s.last
	case s.last != nil && time.Since(s.last.At) < s.cfg.Interval:
		return nil, s.last
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(longest)
	}
	own, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	f := &flight{landed: make(chan struct{}), cancel: cancel}
	s.now = f
	go func() {
		defer cancel()
		f.read = s.rounds.next(own)
		s.mu.Lock()
		s.now, s.last = nil, f.read
		s.mu.Unlock()
		close(f.landed)
	}()
	return f, s.last
}

// Close ends the round that is under way and every connection, and closes the consumers and the scanner. A Read that comes
// later, or is under way, returns.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	f := s.now
	s.mu.Unlock()
	if f != nil {
		f.cancel()
		<-f.landed
	}
	s.rounds.close()
}
