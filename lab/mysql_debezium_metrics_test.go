//go:build e2e

package lab_test

import (
	"database/sql/driver"
	"slices"
	"strings"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// readsAhead: a connector that is paused reads on until its queue is full, which its metrics tell and its notes do not. They stand
// within a transaction then, which is left to read.
func (d *debezium) readsAhead(t *testing.T) {
	t.Helper()
	for _, compression := range d.compressions() {
		d.compress(t, compression)
		d.Pause(t)
		const rows = lab.DebeziumQueue
		some := "INSERT INTO shop.a(v) VALUES ('x')" + strings.Repeat(",('x')", rows-1)
		d.m.Exec(t, "BEGIN", some, some, some, "INSERT INTO shop.b(v) VALUES ('last')", "COMMIT")
		d.records += 3 * rows
		d.m.End(t) // nothing more is written by itself
		set := d.m.GTIDs(t)
		all := d.awaitQueued(t, func(c mysql.ConsumerReading) bool { // a transaction goes on
			if c.Distance.Transactions != known(1) || c.Note.State != "running" {
				return false
			}
			if compression == "ON" { // its set has the transaction as soon as it is sent to it, and its place is before all of it
				return c.Note.Position.GTIDs == set
			}
			return c.Scan.After == mysql.Rest
		})
		for _, name := range byMetrics {
			d.holds(t, name, all[name])
		}
		t.Logf("%s: half read, compression %s: %s", d.Name, compression, brief(all[byPage]))
		for _, name := range byNotes {
			d.holds(t, name, all[name])
			if all[name].Distance.Bytes.N <= all[byPage].Distance.Bytes.N {
				t.Errorf("compression %s: %s by %s: %s, want it behind what is read: %s", compression, d.Name, name, brief(all[name]), brief(all[byPage]))
			}
		}
		d.Resume(t)
		d.AwaitRunning(t)
		d.awaitCaughtUp(t)
	}
	d.compress(t, "OFF")
}

// compressions are those of a server whose transactions the connector reads.
func (d *debezium) compressions() []string {
	if d.m.Options.MariaDB() {
		return []string{"OFF"} // the connector goes past what MariaDB compresses as if it were not there
	}
	return []string{"OFF", "ON"}
}

func (d *debezium) compress(t *testing.T, compression string) {
	t.Helper()
	if !d.m.Options.MariaDB() {
		d.m.Exec(t, "SET GLOBAL binlog_transaction_compression="+compression)
	}
}

// awaitQueued waits until a connector that is paused has something left to read, and has read more than it has noted down.
func (d *debezium) awaitQueued(t *testing.T, more func(mysql.ConsumerReading) bool) map[string]mysql.ConsumerReading {
	t.Helper()
	return d.await(t, slices.Concat(byNotes, byMetrics), "behind, and to have read on", func(c mysql.ConsumerReading) bool {
		if slices.Contains(byNotes, c.Name) {
			return behind(c)
		}
		return unfinished(c) && more(c)
	})
}

// holds holds the distance of a place against what the server would send from there.
func (d *debezium) holds(t *testing.T, way string, c mysql.ConsumerReading) {
	t.Helper()
	want := d.m.Left(t, c.Note.Position.File, c.Note.Position.Pos)
	if got := c.Distance; got.Bytes != known(want.Bytes) || got.Files != known(want.Files) {
		t.Errorf("%s by %s: %s, want %+v", d.Name, way, brief(c), want)
	}
}

// lock keeps a snapshot from table a until it is undone.
func (d *debezium) lock(t *testing.T) (unlock func()) {
	t.Helper()
	session, err := d.m.Root.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unlock = func() { session.Raw(func(any) error { return driver.ErrBadConn }) } // with the session its lock ends
	t.Cleanup(unlock)
	if _, err := session.ExecContext(t.Context(), "LOCK TABLES shop.a WRITE"); err != nil {
		t.Fatal(err)
	}
	return unlock
}
