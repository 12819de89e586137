package mysql

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"
)

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(5 * time.Minute) // a busy machine may take long
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: not yet", what)
		case <-time.After(time.Millisecond):
		}
	}
}

// While a huge transaction is written, the list of files is not answered. What else is read stays fresh, the list of before stays
// with its age, and no statement waits behind the one that does.
func TestFilesHang(t *testing.T) {
	f := fake(t)
	c := at("binlog.000001", 700, uuidA+":1-5:mysqlsh:1-2")
	s := reader(t, f.dial(), nil, c)
	asked := works(t, s).Inventory.FilesAt

	release := f.hang("SHOW BINARY LOGS")
	s.rounds.cfg.FilesTimeout = 20 * time.Millisecond // not before: a busy machine may take longer for an answer
	f.change(func() {
		f.variables["gtid_executed"] = uuidA + ":1-9:mysqlsh:1-2," + uuidB + ":7"
		f.rows = append(f.rows, []any{"binlog.000003", uint64(150), "No"})
	})
	for range 5 {
		r := s.Read(t.Context())
		if r.Err != nil || feature(t, r, FeatureFiles) == nil || r.FilesAsked.IsZero() {
			t.Fatalf("%v, files %v, asked at %s", r.Err, feature(t, r, FeatureFiles), r.FilesAsked)
		}
		d := r.Consumers[0].Distance
		if !r.Inventory.FilesAt.Equal(asked) || !d.Bytes.is(300+388) || !d.Transactions.is(5) {
			t.Errorf("files of %s, %+v", r.Inventory.FilesAt, d)
		}
	}
	await(t, "the list is asked for", func() bool { return f.count("SHOW") > 1 }) // by a goroutine of its own
	if n := f.count("SHOW"); n != 2 {
		t.Errorf("%d statements, want the one of before and the one that hangs", n)
	}
	f.change(func() {
		if f.open != 2 {
			t.Errorf("%d connections, want 2", f.open)
		}
	})
	release()
	s.rounds.cfg.FilesTimeout = time.Minute
	await(t, "the list is read again", func() bool {
		r := s.Read(t.Context())
		return len(r.Inventory.Files) == 3 && r.FilesAsked.IsZero() && feature(t, r, FeatureFiles) == nil
	})
}

// Close does not wait for the server, and leaves nothing behind: no goroutine, no connection.
func TestClose(t *testing.T) {
	f := fake(t)
	before := runtime.NumGoroutine()
	c := at("binlog.000001", 700, "")
	scanner := &scripted{}
	s := reader(t, f.dial(), func(c *Config) { c.FilesTimeout, c.Scanner = 10*time.Millisecond, scanner }, c)
	release := f.hang("SHOW BINARY LOGS")
	s.Read(t.Context())
	stuck := f.hang("SELECT @@global.gtid")
	read := make(chan *Reading)
	go func() { read <- s.Read(context.Background()) }()
	await(t, "the second round asks", func() bool { return f.count("SELECT @@global.gtid") == 2 })
	s.Close()
	s.Close()
	if r := <-read; r.Err == nil {
		t.Error("a reading that was cut off says nothing of it")
	}
	if r := s.Read(t.Context()); r.Err == nil || len(r.Consumers) != 1 || r.Consumers[0].Err == nil {
		t.Errorf("after the end: %+v", r)
	}
	if !c.closed.Load() || !scanner.closed {
		t.Error("the consumer or the scanner is not closed")
	}
	release()
	stuck()
	await(t, "goroutines and connections end", func() bool {
		open := 0
		f.change(func() { open = f.open })
		return open == 0 && runtime.NumGoroutine() <= before
	})
}

func TestSharedRounds(t *testing.T) {
	f := fake(t)
	c := at("binlog.000001", 700, "")
	s := reader(t, f.dial(), func(c *Config) { c.Interval = time.Hour }, c)
	release := f.hang("SHOW BINARY LOGS")
	readings := make([]*Reading, 20)
	var all sync.WaitGroup
	for i := range readings {
		all.Go(func() { readings[i] = s.Read(t.Context()) })
	}
	await(t, "the round asks", func() bool { return f.count("SHOW") == 1 })
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if r := s.Read(impatient); !errors.Is(r.Err, context.Canceled) || !errors.Is(r.Consumers[0].Err, context.Canceled) {
		t.Errorf("who does not wait is told %v", r.Err)
	}
	release()
	all.Wait()
	for _, r := range readings {
		if r != readings[0] || r.Err != nil {
			t.Fatalf("not the same reading: %+v", r)
		}
	}
	if again := s.Read(t.Context()); again != readings[0] || c.reads.Load() != 1 || f.count("SHOW") != 1 {
		t.Errorf("%d readings of the consumer, %d lists", c.reads.Load(), f.count("SHOW"))
	}
}

// Positions are read first, all of them: what is written after that is not yet read, and never the other way round.
func TestPositionsComeFirst(t *testing.T) {
	f := fake(t)
	var consumers []Consumer
	for range 3 {
		consumers = append(consumers, &onlooker{see: func() int { return f.count("") }})
	}
	s := reader(t, f.dial(), nil, consumers...)
	asked := 0
	for range 2 {
		r := works(t, s)
		for i, c := range r.Consumers {
			if seen := consumers[i].(*onlooker).seen; seen != asked || r.Inventory.SetsAt.Before(c.ReadAt) || r.Inventory.FilesAt.Before(c.ReadAt) {
				t.Errorf("consumer %d is read after %d statements, want %d", i, seen, asked)
			}
		}
		asked = f.count("")
	}
}

type onlooker struct {
	notebook
	see  func() int
	seen int
}

func (o *onlooker) Read(ctx context.Context) (Note, error) {
	o.seen = o.see()
	return o.notebook.Read(ctx)
}

// A consumer that hangs costs the others nothing, and is not asked again before it has answered.
func TestConsumerHangs(t *testing.T) {
	f := fake(t)
	stuck := &notebook{name: "stuck", hang: make(chan struct{})}
	bad := &notebook{name: "bad", err: errors.New("no such table")}
	wild := &panicking{}
	s := reader(t, f.dial(), nil, stuck, at("binlog.000002", 388, ""), bad, wild)
	for range 2 {
		var r *Reading
		timeout := time.Second
		await(t, "the others are read", func() bool { // for which a busy machine may need more time
			s.rounds.cfg.Timeout = timeout
			timeout *= 2
			r = s.Read(t.Context())
			return r.Err == nil && r.Consumers[1].Err == nil
		})
		for i, want := range []State{Unknown, CaughtUp, Unknown, Unknown} {
			if c := r.Consumers[i]; c.Distance.State != want || (c.Err != nil) != (want == Unknown) {
				t.Errorf("%+v", c)
			}
		}
	}
	if n := stuck.reads.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	stuck.mu.Lock()
	close(stuck.hang)
	stuck.hang = nil
	stuck.mu.Unlock()
	await(t, "it is asked again", func() bool { return s.Read(t.Context()).Consumers[0].Err == nil })
}

type panicking struct{ notebook }

func (*panicking) Read(context.Context) (Note, error) { panic("out of range") }

// A round that panics is one in which the server could not be read, and is logged as such.
func TestRoundPanics(t *testing.T) {
	f := fake(t)
	var logged lines
	cfg := Config{Dial: f.dial(), Timeout: time.Minute, FilesTimeout: time.Minute, Consumers: []Consumer{at("binlog.000002", 388, "")}}
	s, err := New(cfg, log.NewLogfmtLogger(&logged))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	works(t, s)
	s.rounds.writes = nil // the list of files cannot be taken in then
	s.Read(t.Context())
	r := s.Read(t.Context()) // the same again, which is not logged again
	if r.Err == nil || !strings.Contains(r.Err.Error(), "panic: assignment to entry in nil map") {
		t.Fatalf("%v", r.Err)
	}
	c := r.Consumers[0]
	if r.Version != "" || r.Inventory != nil || r.Features != nil || len(r.Statements) == 0 || c.Err != nil || c.Note.Position == nil || c.Distance != (Distance{}) {
		t.Errorf("half of it is left, or what was read is lost: %+v", r)
	}
	s.rounds.writes = writes{}
	works(t, s)
	text := logged.String()
	for part, want := range map[string]int{"panic: ": 1, "what=server": 2, `it is read again" what=server`: 1, "\n": 2} {
		if n := strings.Count(text, part); n != want {
			t.Errorf("%q is %d times, want %d, in\n%.3000s", part, n, want, text)
		}
	}
}

func TestRetention(t *testing.T) {
	f := fake(t)
	f.errors["SELECT @@global.binlog_expire"] = errors.New("no")
	s := reader(t, f.dial(), func(c *Config) { c.Retention = 24 * time.Hour }, at("binlog.000002", 300, ""))
	if d := works(t, s).Consumers[0].Distance; d.HeadroomSeconds != (Duration{24 * time.Hour, true}) {
		t.Errorf("%+v", d)
	}
}
