package binlog

import (
	"encoding/binary"
	"net"
	"slices"
	"testing"

	"truelag/mysql"
)

// stretched is a recording whose first file has a hole of more than 4 GiB before one of its events, as if it were one huge
// transaction's.
func stretched(r *recording, before int) *recording {
	const size = wrap + 54321
	s := &recording{name: r.name, flavor: r.flavor, files: slices.Clone(r.files)}
	f := &s.files[0]
	f.events, f.hole = slices.Clone(f.events), hole{before, size}
	for i := before; i < len(f.events); i++ {
		e := slices.Clone(f.events[i])
		if end := binary.LittleEndian.Uint32(e[13:]); end != 0 {
			binary.LittleEndian.PutUint32(e[13:], uint32(int64(end)+size))
		}
		f.events[i] = e
	}
	return s
}

// What follows a place past 4 GiB is told as of any other, also where a position says it as the headers of events do, whose 32 bits
// begin anew there.
func TestPlacesPast4GiB(t *testing.T) {
	for _, name := range []string{"mysql-5.7", "mysql-8.0"} {
		plain := recordingOf(t, name)
		events := plain.read(t)
		before := slices.IndexFunc(events, func(e located) bool { return e.kind == rows })
		far := stretched(plain, before)
		first, second := serve(t, plain).scanner(t, nil), serve(t, far).scanner(t, nil)
		inv, told := far.inventory(), 0
		for i, e := range events[before:] {
			if e.file != far.files[0].name {
				break
			}
			want := scan(t, first, plain.inventory(), &mysql.Position{File: e.file, Pos: e.start, Event: int64(i % 3)})
			there := e.start + far.files[0].hole.size
			for _, pos := range []int64{there, there - wrap} {
				p := &mysql.Position{File: e.file, Pos: pos, Event: int64(i % 3)}
				got := scan(t, second, inv, p)
				if got.After != want.After || got.GTID != want.GTID || got.Transactions != want.Transactions || got.Start != there {
					t.Errorf("%s: %s:%d: got %+v, want %+v at %d", name, e.file, pos, got, want, there)
				}
				if d := mysql.Measure(inv, p, got); d.Bytes.N != far.left(e.file, there) || d.Ambiguous {
					t.Errorf("%s: %s:%d: got %+v, want %d bytes", name, e.file, pos, d, far.left(e.file, there))
				}
				told++
			}
		}
		if told < 20 {
			t.Errorf("%s: %d places past 4 GiB", name, told)
		}
		near := &mysql.Position{File: events[0].file, Pos: fileStart} // and may mean one past 4 GiB, too
		if d := mysql.Measure(inv, near, scan(t, second, inv, near)); d.Bytes.N != far.left(near.File, near.Pos) || !d.Ambiguous {
			t.Errorf("%s: at the beginning: %+v", name, d)
		}
		inside := &mysql.Position{File: events[0].file, Pos: events[before].start + far.files[0].hole.size + 5}
		for _, pos := range []int64{inside.Pos, inside.Pos - wrap} {
			inside.Pos = pos
			if got := scan(t, second, inv, inside); got.After != mysql.NoEvent {
				t.Errorf("%s: in the midst of an event, %d: %+v", name, pos, got)
			}
		}
	}
}

// Where a server sends nothing from past 4 GiB, nobody knows what follows there, and nothing is wrong.
func TestPlacesPast4GiBThatAreNotSent(t *testing.T) {
	for name, c := range map[string]struct{ recording, version, refusal string }{
		"no such command": {recording: "mariadb-10.11"},
		"one that leaves out the rest of a transaction": {recording: "mysql-5.6", version: "5.6.24-log"},
		"gtid_mode": {
			recording: "mysql-8.0",
			refusal:   "The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of ON.",
		},
	} {
		plain := recordingOf(t, c.recording)
		far := stretched(plain, 4)
		srv := serve(t, far)
		send := func(_ net.Conn, w *packetWriter, r *recording, a asked) {
			switch {
			case a.pos < wrap:
				w.dump(r, a.file, a.pos)
			case c.refusal == "":
				t.Errorf("%s: asked for %+v", name, a)
			default:
				w.fail(errorBinlog, c.refusal)
			}
		}
		srv.set(func(s *server) { s.version, s.send = c.version, send })
		s := srv.scanner(t, func(cfg *Config) { cfg.MariaDB = true })
		inv := far.inventory()
		e := plain.read(t)[4]
		there := e.start + far.files[0].hole.size
		for _, pos := range []int64{there, there - wrap} {
			p := &mysql.Position{File: e.file, Pos: pos}
			got := scan(t, s, inv, p)
			d := mysql.Measure(inv, p, got)
			if got.After != mysql.Unread || got.Stopped != farStop || d.State != mysql.OK || d.Bytes.N != far.left(p.File, there) || d.Effective.Known {
				t.Errorf("%s: %d: %+v, %+v", name, pos, got, d)
			}
		}
	}
}

// A file whose size is out of all reason is not tried from one end to the other.
func TestPlacesInAFileWithoutEnd(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	srv := serve(t, r)
	srv.send = func(_ net.Conn, w *packetWriter, _ *recording, _ asked) {
		w.fail(errorBinlog, "bogus data in log event")
	}
	inv := r.inventory()
	inv.Files[0].Size = 1 << 60
	p := &mysql.Position{File: inv.Files[0].Name, Pos: 130}
	if got := scan(t, srv.scanner(t, nil), inv, p); got.After != mysql.Unread || got.Stopped == "" {
		t.Errorf("got %+v", got)
	}
	if n := len(srv.taken()); n != mostPlaces {
		t.Errorf("%d dumps", n)
	}
}
