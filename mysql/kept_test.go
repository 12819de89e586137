package mysql

import (
	"database/sql/driver"
	"errors"
	"testing"
	"time"
)

// A place is as old as since it was first read, also where it could not be read in between.
func TestSince(t *testing.T) {
	f := fake(t)
	c := at("binlog.000001", 700, "")
	s := reader(t, f.dial(), nil, c)
	read := func(change func()) time.Time {
		c.mu.Lock()
		change()
		c.mu.Unlock()
		return works(t, s).Consumers[0].Since
	}
	first := read(func() {})
	if again := read(func() {}); first.IsZero() || !again.Equal(first) {
		t.Errorf("the same place is first read at %s, and then at %s", first, again)
	}
	if since := read(func() { c.err = errors.New("away") }); !since.IsZero() {
		t.Errorf("a place that could not be read is there since %s", since)
	}
	if again := read(func() { c.err = nil }); !again.Equal(first) {
		t.Errorf("the same place is first read at %s, and after a failure at %s", first, again)
	}
	moved := read(func() { c.note.Position = &Position{File: "binlog.000001", Pos: 700, Event: 1} })
	if !moved.After(first) {
		t.Errorf("another place is first read at %s, and the one before at %s", moved, first)
	}
	if since := read(func() { c.note.Position = nil }); !since.IsZero() {
		t.Errorf("no place is there since %s", since)
	}
}

// When files were written to, and what is purged, is asked anew of another server that has files of the same names.
func TestAnotherServerIsNotDatedByTheOneBefore(t *testing.T) {
	f := fake(t)
	f.version, f.uuid = "10.11.19-MariaDB", ""
	f.rows = f.rows[:1]
	f.variables["gtid_binlog_pos"], f.variables["purged"] = "0-1-50", "0-1-20"
	s := reader(t, f.dial(), nil)
	if inv := works(t, s).Inventory; inv.Purged.String() != "0-1-20" || inv.Files[0].Written.IsZero() {
		t.Fatalf("%+v", inv)
	}
	f.change(func() {
		f.variables["hostname"], f.variables["purged"] = "db-1", "0-1-30"
		f.rows = [][]any{{"binlog.000001", uint64(1512), "Yes"}, {"binlog.000002", uint64(388), "No"}}
	})
	if inv := works(t, s).Inventory; inv.Purged.String() != "0-1-30" || !inv.Files[0].Written.IsZero() {
		t.Errorf("%+v", inv)
	}
}

// What a scan has told of a file is forgotten with the server that has it.
func TestAnotherServerIsNotDatedByScansOfTheOneBefore(t *testing.T) {
	f := fake(t)
	clock := time.Date(2020, 2, 2, 2, 0, 0, 0, time.UTC)
	f.variables["UTC_TIMESTAMP(6)"] = clock.Format("2006-01-02 15:04:05.000000")
	scanner := &scripted{scan: Scan{After: Transaction, Written: clock.Add(-5 * time.Hour)}}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner }, at("binlog.000001", 700, ""))
	if d := works(t, s).Consumers[0].Distance; d.HeadroomSeconds != lasting(19*time.Hour) {
		t.Fatalf("%+v", d)
	}
	f.change(func() { f.uuid = uuidB })
	scanner.scan.Written = time.Time{}
	if d := works(t, s).Consumers[0].Distance; d.State != OK || d.HeadroomSeconds.Known {
		t.Errorf("by what was told of the other's file: %+v", d)
	}
}

// An answer that comes late tells of the time when it was asked for.
func TestLateListIsNotDatedNow(t *testing.T) {
	now, clock := time.Now(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := rounds{writes: writes{}, sent: &sent{}}
	late := list{at: now.Add(-time.Hour), files: []File{{Name: "b.000001", Size: 500}}}
	if err := r.take(late, facts{heard: now, clock: clock}); err != nil {
		t.Fatal(err)
	}
	if got, want := r.writes["b.000001"], clock.Add(-time.Hour); !got.Equal(want) {
		t.Errorf("written to at %s, want %s", got, want)
	}
}

// noRows breaks down as the driver may.
type noRows struct{ driver.Rows }

func (noRows) Next([]driver.Value) error { panic("index out of range") }

// A connection is not used again once something of it has panicked: nobody knows what is left in it.
func TestConnectionThatPanicked(t *testing.T) {
	conn := &guardedConn{at: &greeted{}}
	if !conn.IsValid() {
		t.Error("it is of no use from the beginning")
	}
	if err := (guardedRows{noRows{}, conn}).Next(nil); !errors.Is(err, errGarbled) || conn.IsValid() {
		t.Errorf("%v, and it is used again: %v", err, conn.IsValid())
	}
}
