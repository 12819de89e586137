package mysql

import (
	"testing"
	"time"
)

// A consumer's set that holds more than the server's is judged over time.
func TestDoubt(t *testing.T) {
	const well, unwell = true, false
	type reading struct {
		after    time.Duration // since the first
		executed string
		consumed string
		want     State
	}
	for name, c := range map[string]struct {
		well     bool
		readings []reading
	}{
		"a transaction on its way": {well, []reading{
			{0, "1-10", "1-11", OK}, {5 * time.Second, "1-12", "1-11", OK},
		}},
		"each reading another one on its way": {well, []reading{
			{0, "1-10", "1-11", OK}, {15 * time.Second, "1-20", "1-21", OK}, {30 * time.Second, "1-30", "1-31", OK},
		}},
		"the same one for long": {well, []reading{
			{0, "1-10", "1-11", OK}, {10 * time.Second, "1-10", "1-11", OK}, {15 * time.Second, "1-10", "1-11", Ahead},
			{30 * time.Second, "1-10", "1-11", Ahead}, {45 * time.Second, "1-12", "1-11", OK},
		}},
		"others come and one stays": {well, []reading{
			{0, "1-10", "1-11:20", OK}, {15 * time.Second, "1-12", "1-13:20", Ahead},
		}},
		"a reset": {well, []reading{
			{0, "1-10", "1-8", OK}, {time.Second, "1-3", "1-8", Ahead}, {2 * time.Second, "1-3", "1-8", Ahead}, {3 * time.Second, "1-9", "1-8", OK},
		}},
		"a first sight": {unwell, []reading{
			{0, "1-10", "1-11", Unknown}, {5 * time.Second, "1-10", "1-11", Unknown}, {15 * time.Second, "1-10", "1-11", Ahead},
		}},
		"a first sight that passes": {unwell, []reading{
			{0, "1-10", "1-11", Unknown}, {5 * time.Second, "1-11", "1-11", OK}, {15 * time.Second, "1-11", "1-12", OK},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Unix(1700000000, 0)
			w := watch{doubt: doubt{server: uuidA, well: c.well}}
			for i, r := range c.readings {
				executed, err := MySQL.Parse(uuidA + ":" + r.executed)
				if err != nil {
					t.Fatal(err)
				}
				inv := &Inventory{
					Server: uuidA, Executed: &executed, SetsAt: began.Add(r.after),
					Files: []File{{Name: "b.000001", Size: 1000}},
				}
				p := &Position{File: "b.000001", Pos: 500, GTIDs: uuidA + ":" + r.consumed}
				w.weigh(inv, p)
				d := w.doubt.measure(inv, p, Scan{})
				w.doubt.well = d.State.well()
				if d.State != r.want || d.Bytes.Known != (r.want == OK) {
					t.Errorf("reading %d: %+v, want %s", i, d, r.want)
				}
			}
		})
	}
}

// Another server may well have lost something, and its set says nothing of the one before.
func TestDoubtOfAnotherServer(t *testing.T) {
	w := watch{doubt: doubt{server: uuidA, well: true}}
	executed, err := MySQL.Parse(uuidA + ":1-10")
	if err != nil {
		t.Fatal(err)
	}
	inv := &Inventory{Server: uuidB, Executed: &executed, Files: []File{{Name: "b.000001", Size: 1000}}}
	p := &Position{File: "b.000001", Pos: 500, GTIDs: uuidA + ":1-11"}
	w.weigh(inv, p)
	if d := w.doubt.measure(inv, p, Scan{}); d.State != Unknown {
		t.Errorf("%+v", d)
	}
	// A place past the end of the list needs no second look.
	p.Pos = 1001
	if d := w.doubt.measure(inv, p, Scan{}); d.State != Ahead {
		t.Errorf("%+v", d)
	}
}
