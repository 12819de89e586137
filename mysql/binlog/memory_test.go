package binlog

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"truelag/mysql"
	"truelag/mysql/gtid"
)

// world is a server whose binlog grows, and who is asked about one position.
type world struct {
	*testing.T
	whole  *recording
	events []located
	srv    *server
	s      *Scanner
	inv    *mysql.Inventory
}

func newWorld(t *testing.T, change func(*Config)) *world {
	w := &world{T: t, whole: recordingOf(t, "mysql-8.0")}
	w.events = w.whole.read(t)
	w.srv = serve(t, w.whole)
	w.s = w.srv.scanner(t, change)
	return w
}

// write lets the server have so many events.
func (w *world) write(events int, executed string) {
	w.Helper()
	r := w.whole.cut(events)
	w.srv.set(func(s *server) { s.log = r })
	w.inv = r.inventory()
	if executed != "" {
		w.inv.Executed = sets(w.T, executed)
	}
}

// after is how many events there are up to and with the end of the n-th transaction that has that name.
func (w *world) after(gtid string) int {
	w.Helper()
	for i, e := range w.events {
		if e.kind == named && e.gtid == gtid {
			for _, end := range wholes(w.events) {
				if end > i {
					return end
				}
			}
		}
	}
	w.Fatalf("no transaction %s", gtid)
	return 0
}

func sets(t testing.TB, text string) *gtid.Set {
	t.Helper()
	s, err := mysql.MySQL.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

const source = "f058a83d-ec70-11f1-8f09-02fc00000001"

func (w *world) asks(p mysql.Position, want mysql.After, places ...string) mysql.Scan {
	w.Helper()
	got := scan(w.T, w.s, w.inv, &p)
	if got.After != want || got.Cached != (len(places) == 0) {
		w.Errorf("%s:%d: got %+v, want %s", p.File, p.Pos, got, want)
	}
	var asked []string
	for _, d := range w.srv.taken() {
		asked = append(asked, fmt.Sprintf("%s:%d", d.file, d.pos))
	}
	if fmt.Sprint(asked) != fmt.Sprint(places) {
		w.Errorf("asked for %v, want %v", asked, places)
	}
	return got
}

// What was read once is not read again.
func TestMemory(t *testing.T) {
	w := newWorld(t, nil)
	// 12 and 13 are bookkeeping, 14 is not.
	rest := mysql.Position{File: "mysql-bin.000001", Pos: w.events[w.after(source+":11")].start}
	w.write(w.after(source+":12"), source+":1-12")
	first := w.asks(rest, mysql.None, fmt.Sprintf("mysql-bin.000001:%d", rest.Pos))
	if first.Transactions != 1 || first.Skipped != 1 || first.Bytes != first.Pos-rest.Pos {
		t.Errorf("got %+v", first)
	}
	w.asks(rest, mysql.None)

	w.write(w.after(source+":13"), source+":1-13")
	second := w.asks(rest, mysql.None, fmt.Sprintf("mysql-bin.000001:%d", first.Pos))
	if second.Transactions != 2 || second.Events <= first.Events || second.Bytes != second.Pos-rest.Pos {
		t.Errorf("got %+v", second)
	}
	w.asks(rest, mysql.None)

	// The list is an old one, and the set tells.
	w.inv.Executed = sets(t, source+":1-14")
	w.asks(rest, mysql.None, fmt.Sprintf("mysql-bin.000001:%d", second.Pos))
	w.asks(rest, mysql.None)

	w.write(len(w.events), source+":1-28")
	third := w.asks(rest, mysql.Transaction, fmt.Sprintf("mysql-bin.000001:%d", second.Pos))
	if begins := w.events[w.after(source+":13")]; third.GTID != begins.gtid || third.Kind != "Gtid" || !third.First.Equal(begins.committed) {
		t.Errorf("got %+v, want the transaction of %s", third, begins)
	}
	w.inv.Executed = sets(t, source+":1-99") // whatever comes then
	w.asks(rest, mysql.Transaction)

	// Another position is another question.
	rest.Event = 1
	w.asks(rest, mysql.Transaction, fmt.Sprintf("mysql-bin.000001:%d", rest.Pos))
}

// A binlog that is another one is read anew.
func TestForgetting(t *testing.T) {
	for name, change := range map[string]func(*mysql.Inventory){
		"another server":       func(inv *mysql.Inventory) { inv.Server = "" },
		"transactions lost":    func(inv *mysql.Inventory) { inv.Executed = sets(t, source+":1-3") },
		"a shorter last file":  func(inv *mysql.Inventory) { inv.Files[3].Size-- },
		"fewer files":          func(inv *mysql.Inventory) { inv.Files = inv.Files[:3] },
		"another last file":    func(inv *mysql.Inventory) { inv.Files[3].Name = "mysql-bin.000007" },
		"nothing":              nil,
		"a longer last file":   func(inv *mysql.Inventory) { inv.Files[3].Size++ },
		"files that are gone":  func(inv *mysql.Inventory) { inv.Files = inv.Files[1:] },
		"more transactions":    func(inv *mysql.Inventory) { inv.Executed = sets(t, source+":1-99") },
		"sets that are absent": func(inv *mysql.Inventory) { inv.Executed = nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.write(len(w.events), source+":1-28")
			p := mysql.Position{File: "mysql-bin.000002", Pos: 4}
			at := "mysql-bin.000002:4"
			w.asks(p, mysql.Transaction, at)
			if change != nil {
				change(w.inv)
			}
			switch name {
			case "another server", "transactions lost", "a shorter last file", "fewer files", "another last file":
				w.asks(p, mysql.Transaction, at)
			default:
				w.asks(p, mysql.Transaction)
			}
		})
	}
}

// A trail that does not go on where it ended is followed anew.
func TestTrailsThatBreakOff(t *testing.T) {
	w := newWorld(t, nil)
	rest := mysql.Position{File: "mysql-bin.000001", Pos: w.events[w.after(source+":11")].start}
	start := fmt.Sprintf("mysql-bin.000001:%d", rest.Pos)
	fails := func(places ...string) {
		t.Helper()
		if got, err := w.s.Scan(t.Context(), w.inv, &rest); err == nil {
			t.Errorf("got %+v", got)
		}
		var asked []string
		for _, d := range w.srv.taken() {
			asked = append(asked, fmt.Sprintf("%s:%d", d.file, d.pos))
		}
		if fmt.Sprint(asked) != fmt.Sprint(places) {
			t.Errorf("asked for %v, want %v", asked, places)
		}
	}
	w.write(w.after(source+":12"), "")
	end := fmt.Sprintf("mysql-bin.000001:%d", w.asks(rest, mysql.None, start).Pos)

	w.write(w.after(source+":13"), "")
	w.srv.set(func(s *server) { s.send = func(net.Conn, *packetWriter, *recording, asked) {} }) // a connection that breaks
	fails(end)
	w.srv.set(func(s *server) {
		s.send = func(_ net.Conn, p *packetWriter, _ *recording, _ asked) {
			p.fail(errorBinlog, "bogus data in log event")
		}
	})
	fails(end)
	w.srv.set(func(s *server) { s.send = nil })
	end = fmt.Sprintf("mysql-bin.000001:%d", w.asks(rest, mysql.None, start).Pos)

	w.write(w.after(source+":14"), "")
	w.srv.set(func(s *server) { // written anew, and as long
		s.log.files[0].events = slices.Clone(s.log.files[0].events)
		s.log.files[0].events[0] = append([]byte{1}, s.log.files[0].events[0][1:]...)
	})
	fails(end)
	w.asks(rest, mysql.Transaction, start)
}

// A consumer may get on at one place: all of a compressed transaction is at one to Canal.
func TestMemoryOfOnePlace(t *testing.T) {
	w := newWorld(t, nil)
	at := slices.IndexFunc(w.events, func(e located) bool { return e.kind == payload && changing(nil)(e) })
	e := w.events[at]
	w.write(at+1, "")
	here := fmt.Sprintf("%s:%d", e.file, e.start)
	p := mysql.Position{File: e.file, Pos: e.start, Event: 1, Logged: e.inner[0].at.Add(-time.Second)}
	w.asks(p, mysql.Rest, here)
	p.Logged = e.inner[len(e.inner)-1].at
	w.asks(p, mysql.None, here)
	w.asks(p, mysql.None)
}

// The oldest is forgotten first.
func TestMemoryIsBounded(t *testing.T) {
	var m memory
	inv := recordingOf(t, "mysql-8.0").inventory()
	first := mysql.Position{File: inv.Files[0].Name, Pos: 4}
	kept := m.trail(inv, &first, nil, nil)
	for i := range int64(3 * mostTrails) {
		m.trail(inv, &mysql.Position{File: inv.Files[0].Name, Pos: 4, Event: i + 1}, nil, nil)
		if m.trail(inv, &first, nil, nil) != kept {
			t.Fatal("one that was asked for just now is forgotten")
		}
	}
	if len(m.trails) != mostTrails {
		t.Errorf("%d are kept", len(m.trails))
	}
}
