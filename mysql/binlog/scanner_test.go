package binlog

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"truelag/mysql"
)

func scan(t testing.TB, s *Scanner, inv *mysql.Inventory, p *mysql.Position) mysql.Scan {
	t.Helper()
	got, err := s.Scan(t.Context(), inv, p)
	if err != nil {
		t.Fatalf("%s:%d: %v", p.File, p.Pos, err)
	}
	return got
}

// A scan that comes to the end of a binlog has read as many bytes as the sizes of its files say.
func TestBytes(t *testing.T) {
	for _, r := range recordings(t) {
		srv := serve(t, r)
		s := srv.scanner(t, func(cfg *Config) {
			cfg.Ignore = []string{"shop", "maxwell", "ops"} // all
			cfg.MariaDB = true
		})
		inv := r.inventory()
		whole := 0
		for _, e := range r.read(t) {
			p := &mysql.Position{File: e.file, Pos: e.start}
			got := scan(t, s, inv, p)
			want := mysql.Measure(inv, p, mysql.Scan{}).Bytes.N
			if got.After == mysql.None && (got.Bytes != want || got.Bytes != r.left(p.File, p.Pos) || got.File != r.files[3].name || got.Pos != r.files[3].size()) {
				t.Fatalf("%s %s:%d: %+v, want %d bytes", r.name, p.File, p.Pos, got, want)
			}
			if got.After == mysql.None {
				whole++
			}
		}
		if whole < 3 {
			t.Errorf("%s: %d scans came to the end", r.name, whole)
		}
	}
}

// An answer before the events is bounded, too: the library holds all of it.
func TestAnswerWithoutEnd(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	srv := serve(t, r)
	srv.flood = true
	s := srv.scanner(t, nil)
	_, err := s.Scan(t.Context(), r.inventory(), &mysql.Position{File: r.files[0].name, Pos: 4})
	if err == nil || !strings.Contains(err.Error(), "sends more than") {
		t.Errorf("got %.300v", err)
	}
	srv.listener.Close()
	srv.wait.Wait()
	if srv.sent > 64<<20 {
		t.Errorf("%d bytes were taken", srv.sent)
	}
}

func TestWhatIsAsked(t *testing.T) {
	for name, want := range map[string]uint16{"mysql-8.0": 1, "mariadb-10.11": 3} {
		r := recordingOf(t, name)
		srv := serve(t, r)
		p := &mysql.Position{File: r.files[0].name, Pos: 4}
		scan(t, srv.scanner(t, func(cfg *Config) { cfg.MariaDB = true }), r.inventory(), p)
		if got := srv.taken(); len(got) != 1 || got[0] != (asked{p.File, 4, want, 0, ""}) {
			t.Errorf("%s: asked for %+v", name, got)
		}
		if said := strings.Join(srv.said, ";"); strings.Contains(said, "slave_uuid") || !strings.Contains(said, "checksum = 'NONE'") {
			t.Errorf("%s: said %s", name, said)
		}
		scan(t, srv.scanner(t, func(cfg *Config) { cfg.ServerID, cfg.MariaDB = 77, true }), r.inventory(), p)
		if got := srv.taken(); len(got) != 1 || got[0].server != 77 {
			t.Errorf("%s: asked for %+v", name, got)
		}
	}
}

func TestMariaDBIsSwitchedOff(t *testing.T) {
	r := recordingOf(t, "mariadb-11.4")
	srv := serve(t, r)
	got := scan(t, srv.scanner(t, nil), r.inventory(), &mysql.Position{File: r.files[0].name, Pos: 4})
	if got.After != mysql.Unread || got.Stopped == "" || srv.opened != 0 {
		t.Errorf("got %+v, %d connections", got, srv.opened)
	}
}

// Nothing is asked of a server about a place that it cannot have.
func TestPlacesThatAreNotAskedFor(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	srv := serve(t, r)
	s := srv.scanner(t, nil)
	inv := r.inventory()
	inv.Files = append(inv.Files, mysql.File{Name: "gone"}, mysql.File{Name: "twice", Size: 200}, mysql.File{Name: "twice", Size: 200})
	for _, p := range []mysql.Position{
		{}, {GTIDs: "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5"}, {File: "mysql-bin.000009", Pos: 4}, {File: r.files[0].name, Pos: r.files[0].size() + 1},
		{File: r.files[0].name, Pos: -1}, {File: "gone", Pos: 4}, {File: "twice", Pos: 4},
	} {
		if got := scan(t, s, inv, &p); got.After != mysql.Unread || got.Events != 0 {
			t.Errorf("%+v: %+v", p, got)
		}
	}
	if got := scan(t, s, &mysql.Inventory{}, &mysql.Position{File: "x", Pos: 4}); got.After != mysql.Unread {
		t.Errorf("got %+v", got)
	}
	if srv.opened != 0 {
		t.Errorf("%d connections", srv.opened)
	}
}

func TestNoEvent(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	srv := serve(t, r)
	s := srv.scanner(t, nil)
	p := &mysql.Position{File: r.files[0].name, Pos: 130}
	for i := range 2 {
		if got := scan(t, s, r.inventory(), p); got.After != mysql.NoEvent || got.Cached != (i == 1) {
			t.Errorf("got %+v", got)
		}
	}
	if n := len(srv.taken()); n != 1 {
		t.Errorf("%d dumps", n)
	}
	for words, want := range map[string]bool{
		"binlog truncated in the middle of event; consider out of disk space on source": true,
		"unknown error reading log event on the master; the first event":                true,
		"log event entry exceeded max_allowed_packet; Increase it":                      true,
		"Could not find first log file name in binary log index file":                   false,
		"Client requested master to start replication from position > file size":        false,
	} {
		srv.set(func(srv *server) {
			srv.send = func(_ net.Conn, w *packetWriter, _ *recording, _ asked) { w.fail(errorBinlog, words) }
		})
		p.Pos++
		got, err := s.Scan(t.Context(), r.inventory(), p)
		if (got.After == mysql.NoEvent) != want || (err == nil) != want {
			t.Errorf("%s: %+v, %v", words, got, err)
		}
	}
}

func TestConfig(t *testing.T) {
	for want, cfg := range map[string]Config{
		"address": {Dial: mysql.Dial{Address: "host"}, MaxBytes: 1, Timeout: 1},
		"bytes":   {Dial: mysql.Dial{Address: "host:1"}, Timeout: 1},
		"time":    {Dial: mysql.Dial{Address: "unix:/x"}, MaxBytes: 1},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Whoever asks at the same time waits for his turn, and nothing is left behind.
func TestOneAtATime(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	srv := serve(t, r)
	var now, most int
	srv.send = func(_ net.Conn, w *packetWriter, r *recording, a asked) {
		srv.set(func(*server) { now++; most = max(most, now) })
		for range 100 {
			runtime.Gosched()
		}
		srv.set(func(*server) { now-- }) // before the answer, after which the next one may ask
		w.dump(r, a.file, a.pos)
	}
	s := srv.scanner(t, nil)
	before := runtime.NumGoroutine()
	var wait sync.WaitGroup
	for i, e := range r.read(t) {
		wait.Go(func() {
			if _, err := s.Scan(t.Context(), r.inventory(), &mysql.Position{File: e.file, Pos: e.start, Event: int64(i % 3)}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if most != 1 {
		t.Errorf("%d at a time", most)
	}
	for runtime.NumGoroutine() > before { // the server's end of each connection
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	<-s.turn
	if _, err := s.Scan(ctx, r.inventory(), &mysql.Position{File: r.files[0].name, Pos: 4}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	s.turn <- struct{}{}
	if _, err := s.Scan(ctx, r.inventory(), &mysql.Position{File: r.files[0].name, Pos: 4}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
