package binlog

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"truelag/mysql"
	"truelag/mysql/gtid"
)

// bySets answers as servers do to replicas that go by GTIDs: it leaves out what is in the set that was told.
func bySets(t *testing.T, srv *server, log *recording) {
	events := log.read(t)
	var raw [][]byte
	for _, f := range log.files {
		raw = append(raw, f.events...)
	}
	srv.set(func(s *server) {
		s.send = func(_ net.Conn, w *packetWriter, r *recording, a asked) {
			const mariadb = "SET @slave_connect_state = "
			srv.mu.Lock()
			told := srv.said[len(srv.said)-1]
			srv.mu.Unlock()
			if set, ok := strings.CutPrefix(told, mariadb); ok {
				a.set = strings.Trim(set, "'")
			}
			if a.set == "" {
				w.dump(r, a.file, a.pos)
				return
			}
			set, err := r.flavor.Parse(a.set)
			if err != nil {
				w.fail(errorBinlog, err.Error())
				return
			}
			file, skipped, passed := "", false, int64(0)
			for i, e := range events {
				if file == "" && a.file != "" && e.file != a.file {
					continue
				}
				if e.file != file {
					w.event(rotation(e.file, max(a.pos, fileStart), file != ""))
					file, passed = e.file, 0
				}
				switch e.kind {
				case named:
					one, err := r.flavor.Parse(e.gtid)
					skipped = err == nil && !one.IsEmpty() && set.Contains(one)
				case outside:
					skipped = false
				default:
				}
				switch {
				case e.file == a.file && e.start < a.pos && e.start != fileStart: // the format is sent all the same
				case skipped:
					passed = e.end
				case passed > 0 && r.flavor == mysql.MySQL:
					w.event(heartbeat(file, passed))
					passed = 0
					fallthrough
				default:
					w.event(raw[i])
				}
			}
			w.packet([]byte{endByte, 0, 0, 0, 0})
		}
	})
}

// heartbeat is what comes in place of what is left out.
func heartbeat(file string, end int64) []byte {
	e := make([]byte, headerSize)
	e[4] = typeHeartbeat
	e = append(e, file...)
	binary.LittleEndian.PutUint32(e[9:], uint32(len(e)))
	binary.LittleEndian.PutUint32(e[13:], uint32(end))
	return e
}

// A consumer that has noted down a set alone goes on with the first transaction that it lacks, wherever that is.
func TestWhatASetLacks(t *testing.T) {
	found := 0
	for _, r := range recordings(t) {
		events := r.read(t)
		var names []string
		for _, e := range events {
			if e.kind == named && e.gtid != "" {
				names = append(names, e.gtid)
			}
		}
		srv := serve(t, r)
		bySets(t, srv, r)
		s := srv.scanner(t, func(cfg *Config) { cfg.MariaDB, cfg.Ignore = true, nil })
		if r.name == "mysql-5.6" {
			srv.set(func(s *server) { s.version = "5.6.24-log" })
		}
		near := "" // a MySQL server need not look at what comes before what an earlier set lacked
		inv := r.inventory()
		inv.Executed = union(t, r.flavor, names...)
		for n := 1; n < len(names); n++ {
			set := union(t, r.flavor, names[:n]...)
			after := slices.IndexFunc(events, func(e located) bool { return e.gtid == names[n] })
			want := after + slices.IndexFunc(events[after:], changing(nil))
			if want < after {
				break // what comes then changes nothing
			}
			for events[want].kind != named {
				want--
			}
			p := &mysql.Position{GTIDs: set.String()}
			got := scan(t, s, inv, p)
			first := events[want]
			if got.After != mysql.Transaction || got.GTID != first.gtid || got.StartFile != first.file || got.Start != first.start || !got.Written.IsZero() {
				t.Errorf("%s: after %s: got %+v, want %s at %s:%d", r.name, set, got, first.gtid, first.file, first.start)
			}
			if d := mysql.Measure(inv, p, got); d.Effective.N != r.left(first.file, first.start) || d.Bytes.Known || d.State != mysql.OK {
				t.Errorf("%s: after %s: %+v, want %d bytes", r.name, set, d, r.left(first.file, first.start))
			}
			if !scan(t, s, inv, p).Cached {
				t.Errorf("%s: after %s: read anew", r.name, set)
			}
			for _, d := range srv.taken() {
				if place := fmt.Sprintf("%s:%d", d.file, d.pos); near != "" && place != near {
					t.Errorf("%s: after %s: asked for what is lacking from %s on, want %s", r.name, set, place, near)
				}
			}
			switch {
			case r.name == "mysql-5.6" || r.flavor == mysql.MariaDB:
				near = ":4"
			default:
				near = fmt.Sprintf("%s:%d", first.file, first.start)
			}
			found++
		}
	}
	if found < 50 {
		t.Errorf("%d transactions were found", found)
	}
}

func union(t *testing.T, flavor mysql.Flavor, names ...string) *gtid.Set {
	t.Helper()
	var all gtid.Set
	for _, name := range names {
		one, err := flavor.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		all = all.Union(one)
	}
	return &all
}

// Holes in a set, and a limit in the midst of what does not count: the scan goes on by the place, and passes over what the set has.
func TestSetsWithHoles(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.MaxBytes, cfg.Ignore = 3000, []string{"shop", "maxwell", "ops"} })
	w.write(len(w.events), source+":1-28")
	bySets(t, w.srv, w.whole)
	p := mysql.Position{GTIDs: source + ":1-3:5:7-9:14-20"}
	last := w.events[slices.IndexFunc(w.events, func(e located) bool { return e.gtid == source+":28" })] // nothing tells what it touches
	for scans := 1; ; scans++ {
		got := scan(t, w.s, w.inv, &p)
		if got.After != mysql.Unread || scans > 30 {
			if got.After != mysql.Transaction || got.StartFile != last.file || got.Start != last.start || scans < 3 {
				t.Errorf("after %d scans %+v", scans, got)
			}
			break
		}
		if got.Stopped == "" || got.StartFile != "" {
			t.Fatalf("after %d scans %+v", scans, got)
		}
	}
	for i, d := range w.srv.taken() {
		if (d.file == "") != (i == 0) {
			t.Errorf("dump %d: %+v", i, d)
		}
	}
}

// A consumer that began later was not to read what is purged, and a server refuses to leave that out by itself.
func TestSetsWithoutWhatIsPurged(t *testing.T) {
	w := newWorld(t, nil)
	w.write(len(w.events), source+":1-28")
	bySets(t, w.srv, w.whole)
	w.inv.Purged = sets(t, source+":1-4")
	p := &mysql.Position{GTIDs: source + ":7-9"}
	if got := scan(t, w.s, w.inv, p); got.After != mysql.Transaction || got.GTID != source+":6" {
		t.Errorf("got %+v", got)
	}
	if dumps := w.srv.taken(); len(dumps) != 1 || dumps[0].set != source+":1-4:7-9" || dumps[0].file != "" {
		t.Errorf("asked for %+v", dumps)
	}
}

// What a server cannot be asked for is not, and what it refuses breaks nothing.
func TestSetsThatAreNotLookedAt(t *testing.T) {
	w := newWorld(t, nil)
	w.write(len(w.events), source+":1-28")
	for name, c := range map[string]struct {
		p      mysql.Position
		change func(*mysql.Inventory)
	}{
		"nothing is lacking":    {p: mysql.Position{GTIDs: source + ":1-28"}},
		"no set":                {},
		"none that can be read": {p: mysql.Position{GTIDs: "0-1-5"}},
		"what was only sent":    {p: mysql.Position{GTIDs: source + ":1-5", SetAhead: true}},
		"a tag":                 {p: mysql.Position{GTIDs: source + ":1-5:batch:1-3"}},
		"a tag of what is purged": {mysql.Position{GTIDs: source + ":1-5"}, func(inv *mysql.Inventory) {
			purged, err := mysql.MySQL.Parse(source + ":batch:1-3")
			if err != nil {
				t.Fatal(err)
			}
			inv.Purged = &purged
		}},
		"transactions without one": {mysql.Position{GTIDs: source + ":1-5"}, func(inv *mysql.Inventory) { inv.Anonymous = true }},
		"no sets of the server's":  {mysql.Position{GTIDs: source + ":1-5"}, func(inv *mysql.Inventory) { inv.Executed = nil }},
		"no files":                 {mysql.Position{GTIDs: source + ":1-5"}, func(inv *mysql.Inventory) { inv.Files = nil }},
	} {
		inv := *w.inv
		if c.change != nil {
			c.change(&inv)
		}
		if got := scan(t, w.s, &inv, &c.p); got.After != mysql.Unread || got.Events != 0 || got.Stopped != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	w.srv.set(func(s *server) {
		if s.opened > 0 {
			t.Errorf("%d connections", s.opened)
		}
		s.send = func(_ net.Conn, w *packetWriter, _ *recording, _ asked) {
			w.fail(errorBinlog, "The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of ON.")
		}
	})
	for range 2 {
		got := scan(t, w.s, w.inv, &mysql.Position{GTIDs: source + ":1-5"})
		if got.After != mysql.Unread || !strings.Contains(got.Stopped, "GTID_MODE = OFF") {
			t.Errorf("got %+v", got)
		}
	}
}
