//go:build e2e

package lab_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// What follows a place is told by the events there, whatever kind of transaction they are, and however they are packed.
func TestBinlogScan(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "scanned")
		fill(t, m, "scanned", 20)
		var marks []*mark
		want := map[string]mysql.After{}
		note := func(name string, p mysql.Position, after mysql.After) {
			k := &mark{name: name}
			k.set(p)
			marks, want[name] = append(marks, k), after
		}
		packing := []string{""}
		switch m.Options.Version {
		case lab.MySQL80:
			packing = append(packing, "binlog_transaction_compression")
		case lab.MariaDB10, lab.MariaDB11:
			packing = append(packing, "log_bin_compress")
		}
		for _, pack := range packing {
			set := func(value string) {
				if pack != "" {
					m.Exec(t, fmt.Sprintf("SET GLOBAL %s=%s", pack, value))
				}
			}
			set("ON")
			for _, c := range []struct {
				name       string
				statements []string
			}{
				{"one row", []string{"INSERT INTO scanned.t(v) VALUES (repeat('x',1000))"}},
				{"many statements", []string{
					"BEGIN", "INSERT INTO scanned.t(v) VALUES (repeat('y',500))", "UPDATE scanned.t SET v=concat(v,repeat('z',500)) LIMIT 3",
					"DELETE FROM scanned.t LIMIT 2", "COMMIT",
				}},
				{"a statement that changes a table", []string{"ALTER TABLE scanned.t ADD COLUMN c" + pack + " int"}},
			} {
				name := c.name + " " + pack
				before := here(t, m, "").place()
				m.Exec(t, c.statements...)
				note("before "+name, before, mysql.Transaction)
				for i, pos := range places(t, m, before, "Table_map") {
					if pack == "binlog_transaction_compression" {
						break // all is one event, and those in it are shown at its end
					}
					within := before
					within.Pos = pos
					note(fmt.Sprintf("within %s, %d", name, i), within, mysql.Rest)
				}
				inside := before
				inside.Pos += 7
				inside.GTIDs = "" // else it goes on by that
				note("in an event of "+name, inside, mysql.NoEvent)
			}
			set("OFF")
		}
		end := here(t, m, "").place()
		note("the end of a file", end, mysql.None)
		m.Rotate(t)
		note("the end", here(t, m, "").place(), mysql.None)
		note("the beginning of a file", mysql.Position{File: m.End(t).Name, Pos: 4}, mysql.None)

		r := readServer(t, mysqlReader(t, m, lab.Monitor, newScanner(t, m), consumers(marks)...))
		for _, c := range r.Consumers {
			truth := lab.Left{}
			if want[c.Name] != mysql.NoEvent {
				truth = m.Left(t, c.Note.Position.File, c.Note.Position.Pos)
			}
			checkScan(t, r, c, want[c.Name], truth)
		}
	})
}

// checkScan holds what a scan has told against what is left to read.
func checkScan(t *testing.T, r *mysql.Reading, c mysql.ConsumerReading, want mysql.After, truth lab.Left) {
	t.Helper()
	if c.Scan == nil || c.Scan.After != want {
		t.Errorf("%s: %s, want %s", c.Name, brief(c), want)
		return
	}
	d := c.Distance
	switch want {
	case mysql.None:
		if !atEnd(c) || d.Bytes != known(truth.Bytes) {
			t.Errorf("%s: %s, want nothing to be left in %d bytes", c.Name, brief(c), truth.Bytes)
		}
	case mysql.NoEvent:
		if d.State != mysql.Invalid {
			t.Errorf("%s: %s, want it to be no place of an event", c.Name, brief(c))
		}
	default:
		if d.State != mysql.OK || d.Effective != known(truth.Bytes) || d.Bytes != d.Effective || !d.Seconds.Known {
			t.Errorf("%s: %s, want all of %d bytes to count", c.Name, brief(c), truth.Bytes)
		}
		if want == mysql.Transaction && d.Transactions != known(truth.Transactions) {
			t.Errorf("%s: %s, want %d transactions", c.Name, brief(c), truth.Transactions)
		}
		// a transaction begins before it is committed
		if first := c.Scan.First; want == mysql.Transaction && (first.Before(truth.First) || first.After(r.Inventory.Clock.Add(time.Second))) {
			t.Errorf("%s: committed at %s, want it between %s and %s", c.Name, first, truth.First, r.Inventory.Clock)
		}
	}
}

// places are where events of a kind are in the rest of a place's file.
func places(t *testing.T, m *lab.MySQL, from mysql.Position, kind string) []int64 {
	t.Helper()
	var all []int64
	for _, e := range m.Rows(t, fmt.Sprintf("SHOW BINLOG EVENTS IN '%s' FROM %d", from.File, from.Pos)) {
		if e["Event_type"] != kind {
			continue
		}
		pos, err := strconv.ParseInt(e["Pos"], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pos)
	}
	return all
}
