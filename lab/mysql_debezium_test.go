//go:build e2e

package lab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// A connector of Debezium from its snapshot to the loss of its place.
func TestDebezium(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lab.MySQL80, lab.MariaDB10} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			d := stageDebezium(t, version)
			d.snapshots(t)
			d.restsAtEnd(t)
			d.readsHalf(t)
			d.readsAhead(t)
			d.readsFew(t)
			d.pausesAndStops(t)
			d.isMadeAgain(t)
			d.losesItsPlace(t)
			d.beginsAnew(t)
		})
	}
}

func (d *debezium) snapshots(t *testing.T) {
	t.Helper()
	d.awaitFailed(t, "producer")
	all := d.await(t, byNotes, "taking a snapshot", func(c mysql.ConsumerReading) bool { return c.Distance.State == mysql.Snapshot })
	if c := all[byConnect]; c.Note.State != "failed" || c.Note.Reason == "" {
		t.Errorf("a connector whose task has failed: %s", brief(c))
	}
	if c := all[byOffsets]; c.Note.State != "" {
		t.Errorf("the topic tells a state: %s", brief(c))
	}
	d.awaitSilent(t)
	d.records += 2 // the snapshot begins anew
	d.release(t)
	d.awaitCaughtUp(t)
	if c := d.says(t)[byConnect]; c.Note.State != "running" {
		t.Errorf("a connector that runs: %s", brief(c))
	}
}

// restsAtEnd: whatever kind the last transaction was, a connector that has read it has nothing left to read.
func (d *debezium) restsAtEnd(t *testing.T) {
	t.Helper()
	for _, compression := range d.compressions() {
		d.compress(t, compression)
		for _, c := range []struct {
			name       string
			records    int64
			statements []string
		}{
			{"one row", 1, []string{"INSERT INTO shop.a(v) VALUES (repeat('x',1000))"}},
			{"many rows", 40, []string{"INSERT INTO shop.a(v) SELECT COLLATION_NAME FROM information_schema.COLLATIONS LIMIT 40"}},
			{"many statements", 3, []string{
				"BEGIN", "INSERT INTO shop.a(v) VALUES (repeat('y',500))", "UPDATE shop.a SET v=concat(v,'z') ORDER BY id LIMIT 1", "INSERT INTO shop.b(v) VALUES ('b')",
				"INSERT INTO shop.a(v) VALUES ('last')", "COMMIT",
			}},
			{"a statement that changes a table", 0, []string{"ALTER TABLE shop.b ADD COLUMN c" + compression + " int"}},
			{"a database that is not captured", 0, []string{"CREATE DATABASE IF NOT EXISTS elsewhere"}},
			{"no table", 0, []string{
				"CREATE OR REPLACE VIEW shop.seen AS SELECT id FROM shop.a", "GRANT SELECT ON shop.* TO " + lab.Nobody + "@'%'",
				"CREATE TRIGGER shop.each AFTER INSERT ON shop.b FOR EACH ROW SET @inserted=1", "DROP TRIGGER shop.each",
			}},
		} {
			d.m.Exec(t, c.statements...)
			d.records += c.records
			d.awaitCaughtUp(t)
			t.Logf("%s: %s, compression %s: %s", d.Name, c.name, compression, brief(d.says(t)[byConnect]))
		}
	}
	d.compress(t, "OFF")
	d.m.Rotate(t) // leaves bytes, and no transaction
	d.awaitCaughtUp(t)
}

// readsHalf: what a connector has read a part of is left to read.
func (d *debezium) readsHalf(t *testing.T) {
	t.Helper()
	d.hold(t)
	d.m.Exec(t, "BEGIN", "INSERT INTO shop.a(v) VALUES ('1'),('2')", "INSERT INTO shop.a(v) VALUES ('3')", "INSERT INTO shop.b(v) VALUES ('4')", "COMMIT")
	d.records += 3
	d.awaitFailed(t, "producer")
	d.awaitSilent(t)
	d.await(t, byNotes, "within a transaction", func(c mysql.ConsumerReading) bool { // at first it may have noted down the one before
		return behind(c) && c.Note.Position.Event > 0 && c.Scan.After == mysql.Rest && c.Distance.Transactions == known(1)
	})
	d.release(t)
	d.awaitCaughtUp(t)
}

// readsFew: what is written to tables that a connector does not capture moves it nowhere, and is left to read unless it is known which
// it captures.
func (d *debezium) readsFew(t *testing.T) {
	t.Helper()
	for range 2 {
		d.m.Exec(t, "INSERT INTO elsewhere.t VALUES (1)")
	}
	all := d.await(t, byNotes, "behind", behind)
	for _, name := range byNotes {
		if n := all[name].Distance.Transactions; n != known(2) {
			t.Errorf("%s by %s: %s, want the two that it does not capture", d.Name, name, brief(all[name]))
		}
	}
	if c := all[byCaptured]; !atEnd(c) || c.Distance.Bytes != all[byConnect].Distance.Bytes || c.Scan.Skipped != 2 {
		t.Errorf("%s captures nothing of it: %s", d.Name, brief(c))
	}
	d.m.Exec(t, "INSERT INTO shop.a(v) VALUES ('captured')")
	d.records++
	d.awaitCaughtUp(t)
}

func (d *debezium) pausesAndStops(t *testing.T) {
	t.Helper()
	d.Pause(t)
	d.m.Exec(t, strings.Repeat("INSERT INTO shop.a(v) VALUES (repeat('x',1000));", 400))
	d.records += 400
	d.m.End(t) // nothing more is written by itself
	all := d.awaitQueued(t, func(c mysql.ConsumerReading) bool {
		return c.Distance.Transactions.Known && c.Distance.Transactions.N < 400
	})
	for _, name := range slices.Concat(byNotes, []string{byCaptured}) {
		c, n := all[name], all[name].Distance.Transactions.N
		d.holds(t, name, c)
		if c.Distance.Files.N < 5 || n != 400 {
			t.Errorf("paused: %s by %s: %s, want 400 transactions in 5 files at least", d.Name, name, brief(c))
		}
	}
	for _, name := range byMetrics {
		c, n := all[name], all[name].Distance.Transactions.N
		d.holds(t, name, c)
		if n < 400-lab.DebeziumQueue-1 || n >= 400 {
			t.Errorf("paused: %s by %s: %s, want 400 transactions without those in its queue", d.Name, name, brief(c))
		}
	}
	if got := all[byConnect].Note.State; got != "paused" {
		t.Errorf("paused: %s is %s", d.Name, got)
	}
	d.Stop(t)
	if c := d.says(t)[byConnect]; c.Note.State != "stopped" || c.Distance.Bytes != all[byConnect].Distance.Bytes {
		t.Errorf("stopped: %s: %s, want it where it was: %s", d.Name, brief(c), brief(all[byConnect]))
	}
	d.awaitSilent(t)
	d.Resume(t)
	d.AwaitRunning(t)
	d.awaitCaughtUp(t)
}

// isMadeAgain: what a connector has noted down outlives it.
func (d *debezium) isMadeAgain(t *testing.T) {
	t.Helper()
	d.Stop(t) // the task of one that is deleted while it runs may go on for a moment
	d.Delete(t)
	d.m.Exec(t, "INSERT INTO shop.a(v) VALUES ('while it is gone')")
	d.records++
	lab.Await(t, func() error {
		all := d.says(t)
		if c := all[byConnect]; c.Note.State != "missing" || c.Distance.State != mysql.NoPosition {
			return fmt.Errorf("deleted: %s by REST: %s", d.Name, brief(c))
		}
		if c := all[byOffsets]; !behind(c) {
			return fmt.Errorf("deleted: %s by the topic: %s", d.Name, brief(c))
		}
		return nil
	})
	d.awaitSilent(t)
	d.Create(t)
	d.AwaitRunning(t)
	d.awaitCaughtUp(t)
}

// losesItsPlace: what a connector was to read is purged, and it learns so when it starts again.
func (d *debezium) losesItsPlace(t *testing.T) {
	t.Helper()
	d.Stop(t)
	for range 2 {
		d.m.Exec(t, "INSERT INTO shop.a(v) VALUES ('gone')")
		d.m.Rotate(t)
	}
	d.m.Purge(t, d.m.End(t).Name)
	d.await(t, byNotes, "without its place", func(c mysql.ConsumerReading) bool { return c.Distance.State == mysql.Purged })
	d.Resume(t)
	why := "no longer available on the server"
	if d.m.Options.MariaDB() { // it asks the server, and does not look before
		why = "required binlog files have been purged"
	}
	d.awaitFailed(t, why)
	if c := d.says(t)[byConnect]; c.Distance.State != mysql.Purged || c.Note.State != "failed" || !strings.Contains(c.Note.Reason, why) {
		t.Errorf("purged: %s: %s", d.Name, brief(c))
	}
	d.awaitSilent(t)
}

// beginsAnew: under another topic prefix a connector has a second place beside the first, until both are forgotten.
func (d *debezium) beginsAnew(t *testing.T) {
	t.Helper()
	d.Delete(t)
	prefix := d.Name + "-anew"
	d.Change(map[string]string{"topic.prefix": prefix, "schema.history.internal.kafka.topic": "history." + prefix})
	d.follow(t, d.Name, prefix)
	unlock := d.lock(t)
	d.Create(t)
	d.await(t, byMetrics, "taking a snapshot", func(c mysql.ConsumerReading) bool {
		return c.Distance.State == mysql.Snapshot && c.Note.State == "running" && c.Note.Reported == nil
	})
	unlock()
	all := d.await(t, slices.Concat(byNotes, byMetrics), "caught up", atEnd)
	for _, name := range byNotes {
		if c := all[name]; !strings.HasPrefix(c.Note.Which, "server "+prefix+",") {
			t.Errorf("%s by %s: of two places it says %q, want the one of %s", d.Name, name, c.Note.Which, prefix)
		}
	}
	d.Stop(t)
	d.ForgetOffsets(t)
	d.awaitSilent(t)
	d.await(t, byNotes, "without a place", func(c mysql.ConsumerReading) bool { return c.Distance.State == mysql.NoPosition })
}
