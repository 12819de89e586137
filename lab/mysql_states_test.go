//go:build e2e

package lab_test

import (
	"fmt"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// bare is a mark at the same place that has noted no set down, and setOnly one that has noted nothing else.
func (k *mark) bare() *mark {
	p := k.place()
	p.GTIDs = ""
	b := &mark{name: k.name + ", no set"}
	b.set(p)
	return b
}

func (k *mark) setOnly() *mark {
	s := &mark{name: k.name + ", set only"}
	s.set(mysql.Position{GTIDs: k.place().GTIDs})
	return s
}

func wantStates(t *testing.T, when string, distances map[string]mysql.Distance, want map[*mark]mysql.State) {
	t.Helper()
	for k, state := range want {
		if d := distances[k.name]; d.State != state {
			t.Errorf("%s: %s is %s, want %s: %+v, %+v", when, k.name, d.State, state, k.place(), d)
		}
	}
}

// A rotation leaves bytes and no transaction; what is purged is lost to whoever was to read it; after a reset a consumer is
// ahead.
func TestBinlogRotatedPurgedReset(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "states")
		fill(t, m, "states", 100)
		m.Rotate(t)
		early := here(t, m, "early")
		fill(t, m, "states", 10)
		late := here(t, m, "late")
		m.Rotate(t)
		edge := here(t, m, "edge")
		p := edge.place()
		p.Pos = 4
		edge.set(p)
		marks := []*mark{early, early.bare(), early.setOnly(), late, late.bare(), edge}
		reader := mysqlReader(t, m, lab.FilesOnly, nil, consumers(marks)...)

		_, distances, truth := atRest(t, m, reader, marks[:2])
		wantStates(t, "rotated", distances, map[*mark]mysql.State{early: mysql.OK, late: mysql.OK})
		d, rest := distances[late.name], m.Left(t, late.place().File, late.place().Pos)
		if d.Bytes != known(rest.Bytes) || rest.Bytes == 0 || rest.Transactions != 0 || d.Transactions != known(0) || d.Files != known(1) {
			t.Errorf("rotated: %+v, want the %d bytes of one more file, and no transaction", d, rest.Bytes)
		}
		for _, k := range marks[:2] {
			if d := distances[k.name]; d.Bytes != known(truth[k.name].Bytes) {
				t.Errorf("rotated: %s: %+v, want %d bytes", k.name, d, truth[k.name].Bytes)
			}
		}

		m.Purge(t, edge.place().File)
		_, distances = measured(t, reader)
		wantStates(t, "purged", distances, map[*mark]mysql.State{
			marks[0]: mysql.Purged, marks[1]: mysql.Purged, marks[2]: mysql.Purged,
			late: mysql.CaughtUp, marks[4]: mysql.Purged, edge: mysql.OK, // late goes on by its set, which has all
		})
		if d := distances[late.name]; d.Effective != known(0) || d.Transactions != known(0) || d.Bytes.Known {
			t.Errorf("purged: %s: %+v, want nothing left by its set, and no bytes", late.name, d)
		}
		if d := distances[edge.name]; d.HeadroomFiles != known(0) || d.HeadroomBytes != known(4) {
			t.Errorf("purged: %+v, want the next file to go to be the consumer's", d)
		}

		fill(t, m, "states", 3)
		_, distances = measured(t, reader)
		if d := distances[late.name]; d.State != mysql.OK || d.Transactions != known(3) || d.Bytes.Known {
			t.Errorf("purged: %s: %+v, want 3 transactions by its set alone", late.name, d)
		}

		m.Rotate(t)
		after := here(t, m, "after")
		m.Rotate(t)
		m.RemoveFile(t, edge.place().File)
		all := append(marks, edge.bare(), edge.setOnly(), after, after.bare(), after.setOnly())
		scanned := mysqlReader(t, m, lab.Monitor, newScanner(t, m), consumers(all)...)
		_, distances, truth = atRest(t, m, scanned, []*mark{after, all[len(all)-2]})
		want := map[*mark]mysql.State{after: mysql.CaughtUp, all[len(all)-2]: mysql.CaughtUp, all[len(all)-1]: mysql.CaughtUp}
		for _, k := range all[:len(all)-3] {
			want[k] = mysql.Purged
		}
		wantStates(t, "removed by hand", distances, want)
		if d := distances[after.name]; d.Bytes != known(truth[after.name].Bytes) || d.HeadroomFiles != known(1) {
			t.Errorf("removed by hand: %+v, want %d bytes", d, truth[after.name].Bytes)
		}

		m.Exec(t, "RESET MASTER")
		_, distances = measured(t, reader)
		ahead := map[*mark]mysql.State{}
		for _, k := range marks {
			ahead[k] = mysql.Ahead
		}
		wantStates(t, "reset", distances, ahead)
		m.Exec(t, "INSERT INTO states.t(v) VALUES ('first')")
		_, distances = measured(t, reader)
		wantStates(t, "reset and written", distances, ahead)
	})
}

// From 999999 on a file's number has seven digits and more, and the names do not sort as text.
func TestBinlogLongNumbers(t *testing.T) {
	able := []string{lab.MySQL80, lab.MariaDB10, lab.MariaDB11} // older ones cannot be told where to begin
	on(t, able, func(t *testing.T, m *lab.MySQL) {
		m.Exec(t, "RESET MASTER TO 999998")
		t.Cleanup(func() {
			if _, err := m.Root.Exec("RESET MASTER"); err != nil {
				t.Error(err)
			}
		})
		schema(t, m, "numbers")
		var marks []*mark
		for range 4 {
			k := here(t, m, "")
			k.name = k.place().File
			marks = append(marks, k)
			fill(t, m, "numbers", 5)
			m.Rotate(t)
		}
		later := &mark{name: "later"}
		later.set(mysql.Position{File: m.Options.LogBin + ".1000003", Pos: 4})
		all := append(consumers(marks), later)
		r, distances, truth := atRest(t, m, mysqlReader(t, m, lab.FilesOnly, nil, all...), marks)
		var names []string
		for _, f := range r.Inventory.Files {
			names = append(names, f.Name)
		}
		want := "[mysql-bin.999998 mysql-bin.999999 mysql-bin.1000000 mysql-bin.1000001 mysql-bin.1000002]"
		if got := fmt.Sprint(names); got != want {
			t.Errorf("the files are %s, want %s", got, want)
		}
		for _, k := range marks {
			d, want := distances[k.name], truth[k.name]
			if d.Bytes != known(want.Bytes) || d.Files != known(want.Files) || d.Transactions != known(want.Transactions) {
				t.Errorf("%s: %+v, want %+v", k.name, d, want)
			}
		}
		wantStates(t, "numbered on", distances, map[*mark]mysql.State{later: mysql.Ahead})
		m.Purge(t, "mysql-bin.1000000")
		_, distances = measured(t, mysqlReader(t, m, lab.FilesOnly, nil, marks[1].bare(), marks[2].bare()))
		wantStates(t, "purged", distances, map[*mark]mysql.State{marks[1].bare(): mysql.Purged, marks[2].bare(): mysql.OK})
	})
}

// Hundreds of files are summed up as a few are.
func TestBinlogManyFiles(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "many")
		begin := here(t, m, "beginning")
		m.Exec(t, "SET GLOBAL max_binlog_size=4096", "FLUSH BINARY LOGS")
		for range 10 { // each with a time of its own: a server syncs every file to disk that it ends
			fill(t, m, "many", 85)
		}
		m.Exec(t, fmt.Sprintf("SET GLOBAL max_binlog_size=%d", lab.MaxBinlogSize))
		m.Rotate(t)
		marks := []*mark{begin, here(t, m, "end")}
		_, distances, truth := atRest(t, m, mysqlReader(t, m, lab.FilesOnly, nil, consumers(marks)...), marks)
		d, want := distances[begin.name], truth[begin.name]
		if d.Bytes != known(want.Bytes) || d.Files != known(want.Files) || d.Transactions != known(want.Transactions) {
			t.Errorf("%+v, want %+v", d, want)
		}
		if want.Files < 200 || want.Transactions != 850 {
			t.Errorf("%+v, want 850 transactions in 200 files and more", want)
		}
	})
}
