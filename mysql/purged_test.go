package mysql

import (
	"errors"
	"testing"
	"time"

	wire "github.com/go-mysql-org/go-mysql/mysql"
)

// MariaDB tells what it has purged by what its first file begins with.
func TestPurgedOfMariaDB(t *testing.T) {
	f := fake(t)
	f.version, f.uuid = "10.11.19-MariaDB", ""
	f.variables["gtid_binlog_pos"], f.variables["purged"] = "0-1-50", "0-1-20"
	behind, gone := at("", 0, "0-1-20"), at("", 0, "0-1-19")
	s := reader(t, f.dial(), nil, behind, gone)
	for range 2 {
		r := works(t, s)
		if d := r.Consumers[0].Distance; d.State != OK || !d.Transactions.is(30) {
			t.Errorf("%+v", d)
		}
		if d := r.Consumers[1].Distance; d.State != Purged {
			t.Errorf("%+v", d)
		}
	}
	f.change(func() { f.variables["purged"], f.rows = "0-1-30", f.rows[1:] })
	if d := works(t, s).Consumers[0].Distance; d.State != Purged {
		t.Errorf("%+v", d)
	}
	f.change(func() { f.variables["purged"], f.rows[0][0] = "nonsense", "binlog.000003" })
	if r := s.Read(t.Context()); feature(t, r, FeatureGTIDs) == nil || r.Inventory.Purged != nil || r.Inventory.Executed == nil {
		t.Errorf("%+v", r)
	}
}

// After a reset the first file has the name that it had, and may begin with another set (gtid_binlog_state).
func TestPurgedOfMariaDBThatWasReset(t *testing.T) {
	f := fake(t)
	f.version, f.uuid = "11.4.5-MariaDB", ""
	f.variables["gtid_binlog_pos"], f.variables["purged"] = "0-1-502", "0-1-500"
	c := at("", 0, "0-1-501")
	s := reader(t, f.dial(), nil, c)
	for _, now := range []struct {
		executed, purged, consumed string
		state                      State
	}{
		{"0-1-502", "0-1-500", "0-1-501", OK}, {"0-1-902", "0-1-900", "0-1-700", Purged}, {"0-1-10", "", "0-1-3", OK},
	} {
		f.change(func() { f.variables["gtid_binlog_pos"], f.variables["purged"] = now.executed, now.purged })
		c.mu.Lock()
		c.note.Position = &Position{GTIDs: now.consumed}
		c.mu.Unlock()
		if d := works(t, s).Consumers[0].Distance; d.State != now.state {
			t.Errorf("%+v: %+v", now, d)
		}
	}
}

// gone makes a server of a flavor one whose first and third files are listed, and were removed by hand. It has written 50 transactions,
// and 30 before the fourth file.
func (f *fakeServer) gone(flavor Flavor) (upTo func(n string) string) {
	f.columns = []string{"Log_name", "File_size"}
	f.rows = [][]any{
		{"binlog.000001", uint64(0)}, {"binlog.000002", uint64(1000)}, {"binlog.000003", uint64(0)},
		{"binlog.000004", uint64(600)}, {"binlog.000005", uint64(400)},
	}
	before := uuidA + ":1-"
	if flavor == MariaDB {
		f.version, f.uuid, before = "10.11.19-MariaDB", "", "0-1-"
		f.variables["gtid_binlog_pos"] = before + "50"
	}
	f.variables["gtid_executed"], f.variables["gtid_purged"] = before+"50", before+"10"
	f.begun = map[string]string{"binlog.000004": before + "30"}
	return func(n string) string { return before + n }
}

// A file that was removed by hand is still listed, with a size of 0, and MySQL does not count what was in it as purged. No dump goes
// past it: what is in it or before it is lost to whoever has not read it, and nothing else is.
func TestGoneFiles(t *testing.T) {
	for _, flavor := range Flavors() {
		f := fake(t)
		upTo := f.gone(flavor)
		for _, c := range []struct {
			name     string
			at       *notebook
			state    State
			bytes    Number
			files    Number
			headroom Number
			left     Number
		}{
			{"in the first", at("binlog.000001", 4, upTo("12")), Purged, Number{}, Number{}, Number{}, Number{}},
			{"before it goes on", at("binlog.000002", 500, upTo("20")), Purged, Number{}, Number{}, Number{}, Number{}},
			{"the same without a set", at("binlog.000002", 500, ""), Purged, Number{}, Number{}, Number{}, Number{}},
			{"in it", at("binlog.000003", 200, upTo("29")), Purged, Number{}, Number{}, Number{}, Number{}},
			{"in it without a set", at("binlog.000003", 200, ""), Purged, Number{}, Number{}, Number{}, Number{}},
			{"in it, and has read it", at("binlog.000003", 4, upTo("30")), OK, Number{}, Number{}, Number{}, known(20)},
			{"in it, and has read all", at("binlog.000003", 4, upTo("50")), CaughtUp, Number{}, Number{}, Number{}, known(0)},
			{"by a set that lacks some of it", at("", 0, upTo("29")), Purged, Number{}, Number{}, Number{}, Number{}},
			{"by a set that has it", at("", 0, upTo("30")), OK, Number{}, Number{}, Number{}, known(20)},
			{"after it", at("binlog.000004", 200, upTo("35")), OK, known(800), known(1), known(1200), known(15)},
			{"after it without a set", at("binlog.000004", 4, ""), OK, known(996), known(1), known(1004), Number{}},
			{"at the end", at("binlog.000005", 400, upTo("50")), CaughtUp, known(0), known(0), known(2000), known(0)},
			{"in a snapshot", &notebook{note: Note{Position: &Position{File: "binlog.000003", Pos: 200, Snapshot: "INITIAL"}}}, Snapshot, Number{}, Number{}, Number{}, Number{}},
		} {
			s := reader(t, f.dial(), nil, c.at)
			r := works(t, s)
			d, a := r.Consumers[0].Distance, r.Consumers[0].Account(r.Inventory)
			if d.State != c.state || d.Bytes != c.bytes || d.Files != c.files || d.HeadroomBytes != c.headroom || d.Transactions != c.left {
				t.Errorf("%s, %s: %+v", flavor, c.name, d)
			}
			if sum := a.Before.plus(known(a.Pos)); a.File >= 0 && sum != d.HeadroomBytes {
				t.Errorf("%s, %s: %s + %d bytes before it", flavor, c.name, a.Before, a.Pos)
			}
			asked := 1
			if flavor == MariaDB {
				asked = 2
			}
			if works(t, s); f.count("SHOW BINLOG EVENTS")+f.count("SELECT BINLOG_GTID_POS") != asked {
				t.Errorf("%s, %s: asked %q", flavor, c.name, f.statements)
			}
			f.change(func() { f.statements = nil })
		}
	}
}

// The last file is the one that is written to. A list that tells it nothing of its size, or of another's, does not say that it is gone.
func TestUntoldSizes(t *testing.T) {
	for name, of := range map[string]struct {
		row  int
		size any
	}{
		"the last of 0 bytes": {4, "0"}, "the last of 3": {4, "3"}, "none": {3, nil}, "negative": {3, "-1"}, "words": {3, "many"},
		"no more than a header": {3, "4"},
	} {
		f := fake(t)
		f.gone(MySQL)
		for _, row := range f.rows {
			row[1] = "100"
		}
		f.rows[1][1], f.rows[of.row][1] = "1000", of.size
		r := works(t, reader(t, f.dial(), nil, at("binlog.000002", 500, "")))
		if d := r.Consumers[0].Distance; d.State != OK || d.Bytes.Known != (of.size == "4") || d.Files != known(3) || d.HeadroomBytes != known(600) {
			t.Errorf("%s: %+v", name, d)
		}
		if f.count("SHOW BINLOG EVENTS") > 0 {
			t.Errorf("%s: it is asked when the file was begun", name)
		}
	}
}

// Files are gone only where the server can open the one after them: short of file handles, MySQL lists all but the active one so. Where
// that one does not tell what was written before it, no set proves that nothing of it is left to read.
func TestUntoldBeginning(t *testing.T) {
	denied := wire.NewError(wire.ER_SPECIFIC_ACCESS_DENIED_ERROR, "Access denied; you need (at least one of) the REPLICATION SLAVE privilege(s) for this operation")
	short := wire.NewError(wire.ER_ERROR_WHEN_EXECUTING_COMMAND, "Error when executing command SHOW BINLOG EVENTS: Could not open log file")
	for name, of := range map[string]struct {
		change       func(*fakeServer)
		placed, both State
	}{
		"another event": {func(f *fakeServer) { f.second = "Anonymous_Gtid" }, Purged, Purged},
		"denied":        {func(f *fakeServer) { f.errors["SHOW BINLOG EVENTS"] = denied }, Unknown, OK},
		"nonsense":      {func(f *fakeServer) { f.begun["binlog.000004"] = "nonsense" }, Unknown, OK},
		"no file handles": {func(f *fakeServer) {
			f.errors["SHOW BINLOG EVENTS"] = short
			for _, row := range f.rows[:4] {
				row[1] = uint64(0)
			}
		}, Unknown, OK},
	} {
		f := fake(t)
		upTo := f.gone(MySQL)
		of.change(f)
		s := reader(t, f.dial(), nil, at("binlog.000003", 200, ""), at("binlog.000003", 200, upTo("30")), at("binlog.000001", 4, upTo("9")))
		r := s.Read(t.Context())
		if r.Err != nil || (feature(t, r, FeatureGTIDs) == nil) != (name == "another event") {
			t.Errorf("%s: %v, %v", name, r.Err, r.Features)
		}
		placed, both, purged := r.Consumers[0].Distance, r.Consumers[1].Distance, r.Consumers[2].Distance
		if placed.State != of.placed || both.State != of.both || both.Bytes.Known || purged.State != Purged {
			t.Errorf("%s: %s %s %s, %+v", name, placed.State, both.State, purged.State, both)
		}
		f.change(func() {
			f.gone(MySQL)
			f.second = "Previous_gtids"
			delete(f.errors, "SHOW BINLOG EVENTS")
		})
		r = works(t, s)
		if placed, both := r.Consumers[0].Distance.State, r.Consumers[1].Distance.State; placed != Purged || both != OK {
			t.Errorf("%s, and then told: %s %s", name, placed, both)
		}
	}
}

// What a file begins with is not asked for while the server is held up: it would wait, and one more in each round.
func TestNoBeginningWhileHeldUp(t *testing.T) {
	f := fake(t)
	upTo := f.gone(MySQL)
	s := reader(t, f.dial(), nil, at("binlog.000003", 4, upTo("29")))
	f.errors["SHOW BINLOG EVENTS"] = wire.NewDefaultError(wire.ER_UNKNOWN_ERROR)
	s.Read(t.Context())
	release := f.hang("SHOW BINARY LOGS")
	s.rounds.cfg.FilesTimeout = 20 * time.Millisecond
	for range 3 {
		if r := s.Read(t.Context()); r.FilesAsked.IsZero() || !errors.Is(feature(t, r, FeatureGTIDs), errHeldUp) {
			t.Errorf("asked for the files at %s, %v", r.FilesAsked, r.Features)
		}
	}
	if n := f.count("SHOW BINLOG EVENTS"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	f.change(func() { delete(f.errors, "SHOW BINLOG EVENTS") })
	release()
	s.rounds.cfg.FilesTimeout = time.Minute
	await(t, "it is asked again", func() bool { return s.Read(t.Context()).Consumers[0].Distance.State == Purged })
}
