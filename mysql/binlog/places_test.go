package binlog

import (
	"net"
	"slices"
	"testing"

	"truelag/mysql"
)

// With nothing counted, what follows a position are the changes behind it, whichever event it is the beginning of.
func TestPositions(t *testing.T) {
	bookkeeping := []string{"maxwell", "ops.heartbeat"}
	for _, r := range recordings(t) {
		t.Run(r.name, func(t *testing.T) {
			all := r.read(t)
			for _, ignored := range [][]string{nil, bookkeeping} {
				for _, cut := range wholes(all) {
					events := all[:cut]
					for i, e := range events {
						p := &mysql.Position{File: e.file, Pos: e.start, Row: 3} // rows without an event mean nothing
						at := slices.IndexFunc(events[i:], changing(set(ignored)))
						want := mysql.None
						if at >= 0 {
							want = mysql.Transaction
							if begun(events, i+at) < i && e.kind != statement { // whether one is alone shows before it
								want = mysql.Rest
							}
						}
						if got, _ := judged(t, r, events, p, ignored...); got != want {
							t.Fatalf("ignoring %v, up to %s:%d: %s:%d is followed by %s, want %s", ignored, events[cut-1].file, events[cut-1].end, p.File, p.Pos, got, want)
						}
					}
				}
			}
		})
	}
}

// changing tells which events change something that counts, where these are all that is read.
func changing(ignored map[string]bool) func(located) bool {
	tables := map[uint64]bool{}
	return func(l located) bool {
		changes := false
		for _, e := range append([]event{l.event}, l.inner...) {
			switch e.kind {
			case named, outside:
				clear(tables)
			case table:
				tables[e.id] = ignored[e.schema] || ignored[e.schema+"."+e.table]
			case rows:
				changes = changes || !tables[e.id]
			case statement:
				touches := func(s string) bool { return !ignored[s] }
				changes = changes || len(e.schemas) == 0 || slices.ContainsFunc(e.schemas, touches)
			default:
			}
		}
		return changes
	}
}

// begun is the number of the event that an event's transaction begins with, as a consumer sees it: not the one with its GTID
// where another begins it.
func begun(events []located, at int) int {
	for events[at].kind != named {
		if events[at].kind == begin || events[at].kind == payload || events[at].kind == statement && events[at-1].kind == named {
			break
		}
		at--
	}
	return at
}

// What is left of a compressed transaction is told from one whose GTID is still to come.
func TestCompressedAtThePlace(t *testing.T) {
	packed := 0
	for _, r := range recordings(t) {
		events := r.read(t)
		for _, e := range events {
			j := newJudge(r.flavor, &mysql.Position{File: e.file, Pos: e.start}, filter{})
			for _, next := range from(t, events, &mysql.Position{File: e.file, Pos: e.start}) {
				if done, err := j.see(next.again()); err != nil {
					t.Fatal(err)
				} else if done {
					break
				}
			}
			want := e.kind == payload && slices.ContainsFunc(e.inner, func(in event) bool { return in.kind == rows })
			if j.first.packed != want {
				t.Errorf("%s: %s:%d %s: packed %t", r.name, e.file, e.start, e.name, j.first.packed)
			}
			if want {
				packed++
			}
		}
	}
	if packed == 0 {
		t.Error("no recording has a compressed transaction")
	}
}

// A dump that ends before the last file has not come to the binlog's end: nobody is caught up by it.
func TestEndBeforeTheLastFile(t *testing.T) {
	r := recordingOf(t, "mysql-5.7")
	inv := r.inventory()
	if len(inv.Files) < 2 {
		t.Fatalf("%d files", len(inv.Files))
	}
	for name, of := range map[string]struct {
		file  int
		after int // events
		want  mysql.After
		fails bool
	}{
		"no event":                  {want: mysql.NoEvent},
		"an event":                  {after: 1, fails: true},
		"no event in the last file": {file: len(inv.Files) - 1, want: mysql.Unread},
	} {
		srv := serve(t, r)
		srv.send = func(_ net.Conn, w *packetWriter, r *recording, a asked) {
			w.event(rotation(a.file, a.pos, false))
			for _, e := range r.files[of.file].events[:of.after] {
				w.event(e)
			}
			w.packet([]byte{endByte, 0, 0, 0, 0})
		}
		got, err := srv.scanner(t, nil).Scan(t.Context(), inv, &mysql.Position{File: inv.Files[of.file].Name, Pos: fileStart})
		if got.After != of.want || (err != nil) != of.fails {
			t.Errorf("%s: %+v, %v, want %s", name, got, err, of.want)
		}
	}
}
