package mysql

import "testing"

// A server that finds no event at a place has another file of the name, where the consumer's set says that it can go on: then the
// set is all that counts, and nothing is reckoned from the place.
func TestNoEventAtThePlace(t *testing.T) {
	executed, err := MySQL.Parse(uuidA + ":1-10")
	if err != nil {
		t.Fatal(err)
	}
	p := Position{File: "b.000001", Pos: 200, GTIDs: uuidA + ":1-7", Event: 2, SetBefore: true}
	for name, of := range map[string]struct {
		change func(*Inventory, *Position)
		state  State
		left   Number
	}{
		"a set that goes on":            {func(*Inventory, *Position) {}, OK, known(3)},
		"a set that has all":            {func(_ *Inventory, p *Position) { p.GTIDs = uuidA + ":1-10" }, CaughtUp, known(0)},
		"no set":                        {func(_ *Inventory, p *Position) { p.GTIDs = "" }, Invalid, Number{}},
		"transactions without a GTID":   {func(inv *Inventory, _ *Position) { inv.Anonymous = true }, Invalid, Number{}},
		"a set that is another's":       {func(_ *Inventory, p *Position) { p.GTIDs = uuidB + ":1-10" }, Ahead, Number{}},
		"a set that nobody can make of": {func(_ *Inventory, p *Position) { p.GTIDs = "0-1-5" }, Invalid, Number{}},
	} {
		inv, p := Inventory{Executed: &executed, Files: []File{{Name: "b.000001", Size: 900}}}, p
		of.change(&inv, &p)
		c := ConsumerReading{Note: Note{Position: &p}, Scan: &Scan{After: NoEvent}}
		d := Measure(&inv, &p, *c.Scan)
		check(t, &inv, d)
		if d.State != of.state || d.Transactions != of.left || d.Bytes.Known || d.HeadroomBytes.Known {
			t.Errorf("%s: %+v, want %s, %s transactions", name, d, of.state, of.left)
		}
		if a := c.Account(&inv); a.File != -1 || a.Rest.Known {
			t.Errorf("%s: reckoned from the place: %+v", name, a)
		}
	}
}
