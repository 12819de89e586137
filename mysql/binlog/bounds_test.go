package binlog

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"truelag/mysql"
)

// A limit ends a scan, and the next one goes on there.
func TestLimit(t *testing.T) {
	for limit := int64(400); limit < 3000; limit += 400 {
		w := newWorld(t, func(cfg *Config) { cfg.MaxBytes, cfg.Ignore = limit, []string{"shop", "maxwell", "ops"} })
		w.write(w.after(source+":14"), source+":1-14")
		p := mysql.Position{File: "mysql-bin.000001", Pos: 4}
		var last mysql.Scan
		for scans := 1; ; scans++ {
			got := scan(t, w.s, w.inv, &p)
			if got.After == mysql.None {
				if got.Bytes != w.whole.cut(w.after(source+":14")).left(p.File, p.Pos) || scans < 2 {
					t.Errorf("%d: after %d scans %+v", limit, scans, got)
				}
				break
			}
			if got.After != mysql.Unread || got.Stopped == "" || got.Pos <= last.Pos || got.Cached {
				t.Fatalf("%d: after %d scans %+v", limit, scans, got)
			}
			last = got
		}
	}
}

// A compressed transaction is seen whole or not at all: it may hold some times as much as a scan reads.
func TestLimitInPayload(t *testing.T) {
	w := newWorld(t, nil)
	w.write(w.after(source+":25"), "")
	at := slices.IndexFunc(w.events, func(e located) bool { return e.kind == payload })
	p := mysql.Position{File: w.events[at].file, Pos: w.events[at].start}
	w.s = w.srv.scanner(t, func(cfg *Config) { cfg.MaxBytes, cfg.Ignore = 100, []string{"shop"} })
	for range 2 {
		if got := scan(t, w.s, w.inv, &p); got.After != mysql.Unread || got.Pos != p.Pos || got.Stopped == "" || got.Events != 0 {
			t.Errorf("got %+v", got)
		}
	}
	w.s.cfg.MaxBytes = 400 // the event has 238, and more than 400 are in it
	if got := scan(t, w.s, w.inv, &p); got.Events != 1 || got.Skipped != 1 {
		t.Errorf("got %+v", got)
	}
}

// There is an end to what may be in a compressed transaction, however little it takes.
func TestEndlessPayload(t *testing.T) {
	of := made(30, []byte{9, 0, 0, 0, 0, 0, 1, 0})
	packed, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := decoder{limit: 1 << 10}
	if err := d.format(recordingOf(t, "mysql-8.0").files[0].events[0]); err != nil {
		t.Fatal(err)
	}
	for times, want := range map[int]error{10: io.EOF, 1000: errLimit} {
		raw := made(40, append([]byte{payloadCompression, 1, compressedZstd, payloadEnd}, packed.EncodeAll(bytes.Repeat(of, times), nil)...))
		h, err := readHeader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.event(h, bytes.NewReader(raw[headerSize:]))
		for err == nil {
			_, err = e.inner()
		}
		if !errors.Is(err, want) {
			t.Errorf("%d events: %v, want %v", times, err, want)
		}
	}
}

// A server that falls silent is left when the time is over, with what it has said.
func TestTime(t *testing.T) {
	w := newWorld(t, nil)
	w.write(w.after(source+":14"), source+":1-14")
	p := mysql.Position{File: "mysql-bin.000001", Pos: 4}
	ended := make(chan struct{}, 100)
	w.srv.set(func(s *server) {
		s.send = func(c net.Conn, pw *packetWriter, r *recording, a asked) {
			pw.event(rotation(a.file, a.pos, false))
			for _, e := range r.files[0].events[:9] {
				pw.event(e)
			}
			_, _ = c.Read(make([]byte, 16)) // the end of the connection
			ended <- struct{}{}
		}
	})
	var got mysql.Scan
	for timeout := 100 * time.Millisecond; got.Events != 9 && timeout < 10*time.Minute; timeout *= 2 { // a busy machine may need more
		w.s = w.srv.scanner(t, func(cfg *Config) { cfg.Timeout, cfg.Ignore = timeout, []string{"shop", "maxwell", "ops"} })
		var err error
		got, err = w.s.Scan(t.Context(), w.inv, &p)
		if late := got.Events == 0 && errors.Is(err, context.DeadlineExceeded); err != nil && !late {
			t.Fatal(err)
		}
	}
	if got.After != mysql.Unread || got.Stopped != "when its time was over" || got.Events != 9 {
		t.Errorf("got %+v", got)
	}
	<-ended
	w.srv.set(func(s *server) { s.send = nil })
	w.s.cfg.Timeout = time.Minute
	next := scan(t, w.s, w.inv, &p)
	goesOn := func(a asked) bool { return a.file == p.File && a.pos == got.Pos }
	if dumps := w.srv.taken(); next.After != mysql.None || !slices.ContainsFunc(dumps, goesOn) {
		t.Errorf("after %d: %+v by %+v", got.Pos, next, dumps)
	}

	// Who asks may have less time, or none any more.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.srv.set(func(s *server) {
		s.send = func(c net.Conn, _ *packetWriter, _ *recording, _ asked) {
			cancel()
			_, _ = c.Read(make([]byte, 16))
			ended <- struct{}{}
		}
	})
	if _, err := w.s.Scan(ctx, w.inv, &mysql.Position{File: p.File, Pos: 126}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-ended
}

// When the position's file was last written to shows in the next one's first event, which is looked up once.
func TestWritten(t *testing.T) {
	w := newWorld(t, nil)
	w.write(len(w.events), "")
	p := mysql.Position{File: "mysql-bin.000001", Pos: 4}
	at := "mysql-bin.000001:4"
	if got := w.asks(p, mysql.Transaction, at); got.Written.IsZero() {
		t.Errorf("got %+v", got)
	}
	w.inv.Expire = time.Hour
	p.Event = 1
	begun := w.asks(p, mysql.Transaction, at, "mysql-bin.000002:4").Written
	var want time.Time
	for _, e := range w.events {
		if e.file == "mysql-bin.000002" {
			want = e.at
			break
		}
	}
	if !begun.Equal(want) {
		t.Errorf("got %v, want %v", begun, want)
	}
	p.Event = 2
	if got := w.asks(p, mysql.Transaction, at).Written; !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	w.inv.Files[0].Written = want.Add(time.Hour) // somebody knows better
	p.Event, w.s.memory.begun = 3, nil
	w.asks(p, mysql.Transaction, at)
	w.asks(mysql.Position{File: "mysql-bin.000004", Pos: 4}, mysql.Transaction, "mysql-bin.000004:4")
}

// What follows a position stands also where the next file's first event cannot be read: that one is looked up again.
func TestWrittenIsNotToBeHad(t *testing.T) {
	for name, answer := range map[string]func(net.Conn, *packetWriter, context.CancelFunc){
		"silence": func(net.Conn, *packetWriter, context.CancelFunc) {},
		"a file that is gone": func(_ net.Conn, w *packetWriter, _ context.CancelFunc) {
			w.fail(errorBinlog, "Could not find first log file name in binary log index file")
		},
		"no time left": func(c net.Conn, _ *packetWriter, over context.CancelFunc) {
			over()
			_, _ = c.Read(make([]byte, 16)) // the end of the connection
		},
	} {
		w := newWorld(t, nil)
		w.write(len(w.events), "")
		w.inv.Expire = time.Hour
		p := mysql.Position{File: "mysql-bin.000001", Pos: 4}
		ctx, over := context.WithCancel(t.Context())
		defer over()
		w.srv.set(func(s *server) {
			s.send = func(c net.Conn, pw *packetWriter, r *recording, a asked) {
				if a.file == p.File {
					pw.dump(r, a.file, a.pos)
				} else {
					answer(c, pw, over)
				}
			}
		})
		before, err := w.s.Scan(ctx, w.inv, &p)
		if err != nil || before.After != mysql.Transaction || before.Cached {
			t.Errorf("%s: got %+v, %v", name, before, err)
		}
		if dumps := w.srv.taken(); len(dumps) != 2 {
			t.Errorf("%s: asked for %+v", name, dumps)
		}
		w.srv.set(func(s *server) { s.send = nil })
		got := scan(t, w.s, w.inv, &p)
		if dumps := w.srv.taken(); !got.Cached || got.After != before.After || !got.Written.After(before.Written) || len(dumps) != 1 {
			t.Errorf("%s: before %+v, then %+v by %+v", name, before, got, dumps)
		}
	}
}

// A client may set the time of its statements. When the next file was begun tells more.
func TestWrittenByATimeThatWasSet(t *testing.T) {
	w := newWorld(t, nil)
	for _, e := range w.whole.files[0].events[2:] {
		binary.LittleEndian.PutUint32(e, binary.LittleEndian.Uint32(e)+365*24*3600)
	}
	w.write(len(w.events), "")
	w.inv.Expire = time.Hour
	next := slices.IndexFunc(w.events, func(l located) bool { return l.file == "mysql-bin.000002" })
	for name, pos := range map[string]int64{"its first events decide": 4, "the next file's decide": w.events[next-1].start} {
		p := &mysql.Position{File: "mysql-bin.000001", Pos: pos}
		if s := scan(t, w.s, w.inv, p); !s.Written.Equal(w.events[next].at) {
			t.Errorf("%s: written at %v, want %v", name, s.Written, w.events[next].at)
		}
	}
}

// No transaction is older than its file. The time of a file's first event may be set, too, and one that is to come makes none younger.
func TestAgeByTheFile(t *testing.T) {
	for by, want := range map[time.Duration]func(at, begun time.Time) time.Time{
		10 * time.Minute:     func(_, begun time.Time) time.Time { return begun },
		365 * 24 * time.Hour: func(at, _ time.Time) time.Time { return at },
	} {
		w := newWorld(t, nil)
		format := w.whole.files[0].events[0]
		begun := w.events[0].at.Add(by)
		binary.LittleEndian.PutUint32(format, uint32(begun.Unix()))
		w.write(len(w.events), "")
		w.inv.Clock = w.events[len(w.events)-1].at.Add(time.Hour)
		e := w.events[slices.IndexFunc(w.events, func(l located) bool { return l.kind == begin })]
		s := scan(t, w.s, w.inv, &mysql.Position{File: e.file, Pos: e.start})
		if want := want(e.at, begun); s.After != mysql.Transaction || !s.First.Equal(want) {
			t.Errorf("a file begun %s later: %s at %v, want it at %v", by, s.After, s.First, want)
		}
	}
}

// A file that a start of the server has begun says nothing of when the one before was last written to: the server may have
// been down for days.
func TestWrittenBeforeAStart(t *testing.T) {
	w := newWorld(t, nil)
	const createdAt = headerSize + 2 + 50 // behind the versions of the format and of the server
	format := w.whole.files[1].events[0]
	started := binary.LittleEndian.Uint32(format) + 3600
	binary.LittleEndian.PutUint32(format, started)
	binary.LittleEndian.PutUint32(format[createdAt:], started)
	w.write(len(w.events), "")
	w.inv.Expire = time.Hour
	last := w.events[0]
	for _, e := range w.events {
		if e.file == "mysql-bin.000001" {
			last = e
		}
	}
	for name, pos := range map[string]int64{"its first events decide": 4, "the next file's decide": last.start} {
		p := &mysql.Position{File: "mysql-bin.000001", Pos: pos}
		s := scan(t, w.s, w.inv, p)
		if s.Written.IsZero() || s.Written.After(last.at) {
			t.Errorf("%s: written at %v, want no later than %v", name, s.Written, last.at)
		}
	}
}
