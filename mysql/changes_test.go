package mysql

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	wire "github.com/go-mysql-org/go-mysql/mysql"
)

// Ports, counts and times differ from round to round in what is one and the same failure.
func TestLogOfTheSameWithOtherFigures(t *testing.T) {
	var logged lines
	told := changes{}
	for _, text := range []string{
		"read tcp 127.0.0.1:41002->127.0.0.1:3306: i/o timeout", "read tcp 127.0.0.1:59998->127.0.0.1:3306: i/o timeout",
		"read tcp 127.0.0.1:59999->127.0.0.1:3306: connection reset by peer",
		"it was not answered in 950ms", "it was not answered in 1.5s", "it was not answered in 1m0.5s",
	} {
		told.tell(log.NewLogfmtLogger(&logged), "server", errors.New(text))
	}
	if text := logged.String(); strings.Count(text, "\n") != 3 || !strings.Contains(text, "41002") || !strings.Contains(text, "reset by peer") {
		t.Errorf("logged\n%s", text)
	}
}

// What changes is logged once, when it begins and when it ends.
func TestLog(t *testing.T) {
	f := fake(t)
	var logged lines
	c := &notebook{name: "c", err: errors.New("no such table")}
	s, err := New(Config{Name: "db", Dial: f.dial(), Timeout: time.Minute, FilesTimeout: 10 * time.Millisecond, Consumers: []Consumer{c}}, log.NewLogfmtLogger(&logged))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	release := f.hang("SHOW")
	for range 3 {
		s.Read(t.Context())
	}
	release()
	f.change(func() { f.errors["SELECT"] = wire.NewError(1290, "no\nsuch "+strings.Repeat("x", 5000)) })
	c.mu.Lock()
	c.err = nil
	c.mu.Unlock()
	for range 3 {
		s.Read(t.Context())
	}
	f.change(func() { delete(f.errors, "SELECT") })
	s.rounds.cfg.FilesTimeout = time.Minute
	await(t, "files", func() bool { return feature(t, s.Read(t.Context()), FeatureFiles) == nil })
	text := logged.String()
	for part, want := range map[string]int{
		"no such table": 1, `it is read again" what="consumer c"`: 1, "SHOW BINARY LOGS was not answered": 1, `it is read again" what=files`: 1,
		"no\\nsuch": 1, `it is read again" what=server`: 1, "s3cret": 0, "\n": 6,
	} {
		if n := strings.Count(text, part); n != want {
			t.Errorf("%q is %d times, want %d, in\n%.3000s", part, n, want, text)
		}
	}
}

// A set that is none of the server's leaves its consumer without a state: why, the log tells, and not that it is read again while the
// server or the consumer is not.
func TestLogOfASetThatIsNone(t *testing.T) {
	f := fake(t)
	var logged lines
	c := &notebook{name: "c", note: Note{Position: &Position{GTIDs: "0-1-5"}}}
	s, err := New(Config{Name: "db", Dial: f.dial(), Timeout: time.Minute, FilesTimeout: time.Minute, Consumers: []Consumer{c}}, log.NewLogfmtLogger(&logged))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	write := func(set string, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.note.Position, c.err = &Position{GTIDs: set}, err
	}
	read := func() {
		for range 2 {
			s.Read(t.Context())
		}
	}
	read()
	f.change(func() { f.errors["SELECT"] = wire.NewError(1290, "not now") })
	read()
	f.change(func() { delete(f.errors, "SELECT") })
	write("0-1-5", errors.New("no such table"))
	read()
	write("0-1-5", nil)
	read()
	if text := logged.String(); strings.Count(text, `what="GTID set of consumer c" err="the consumer's GTID set is none of mysql`) != 1 ||
		strings.Contains(text, `it is read again" what="GTID set of consumer c"`) {
		t.Errorf("logged\n%s", text)
	}
	write("", nil)
	read()
	if text := logged.String(); strings.Count(text, `it is read again" what="GTID set of consumer c"`) != 1 {
		t.Errorf("logged\n%s", text)
	}
}
