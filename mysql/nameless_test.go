package mysql

import "testing"

// Sets do not tell what was purged of a server that writes transactions without a GTID: then a place is gone with its file.
func TestPurgedWithoutGTIDs(t *testing.T) {
	all, err := MySQL.Parse(uuidA + ":1-100")
	if err != nil {
		t.Fatal(err)
	}
	inv := &Inventory{Files: []File{{Name: "b.000005", Size: 900}}, Executed: &all, Purged: &all}
	p := &Position{File: "b.000003", Pos: 300, GTIDs: uuidA + ":1-100"}
	if d := Measure(inv, p, Scan{}); !d.State.well() {
		t.Errorf("all that is purged was read: %+v", d)
	}
	inv.Anonymous = true
	if d := Measure(inv, p, Scan{}); d.State != Purged {
		t.Errorf("what had no GTID is purged, too: %+v", d)
	}
}
