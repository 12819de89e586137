package mysql

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Places of any kind in files of any size: what is before and what is after make the whole, and a later place is never
// farther from the end.
func TestRandomPlaces(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 8))
		inv := &Inventory{}
		for i := range 1 + rng.IntN(6) {
			f := File{Name: fmt.Sprintf("b.%06d", 999_998+i), Size: rng.Int64N(3000), Encrypted: rng.IntN(3) == 0}
			switch rng.IntN(8) {
			case 0:
				f.Size += 3 * wrap
			case 1:
				f.Size = 0 // it cannot be opened
			case 2:
				f.Size = -1
			}
			inv.Files = append(inv.Files, f)
		}
		gone := -1 // the last that is, but for the active one
		for i, f := range inv.Files[:len(inv.Files)-1] {
			if f.Size >= 0 && f.Size < magicSize {
				gone = i
			}
		}
		var before Distance
		for i, f := range inv.Files {
			var positions []int64
			for range 6 {
				positions = append(positions, rng.Int64N(max(f.Size, 1)+50))
			}
			positions = append(positions, 0, max(f.Size, 0))
			slices.Sort(positions)
			for _, pos := range positions {
				after := Afters()[rng.IntN(3)]
				d := Measure(inv, &Position{File: f.Name, Pos: pos}, Scan{After: after})
				reach := fmt.Sprintf("seed %d: file %d of %+v, position %d, then %s: %+v", seed, i, inv.Files, pos, after, d)
				check(t, inv, d)
				end := f.End()
				want := OK
				switch {
				case i <= gone:
					want = Purged
				case !end.Known:
					want = Unknown
				case pos > end.N:
					want = Ahead
				case after == None || d.Bytes.is(0) && after == Unread:
					want = CaughtUp
				}
				if d.State != want {
					t.Fatalf("%s: want state %s", reach, want)
				}
				if wraps := (want == OK || want == CaughtUp) && pos < wrap && pos+wrap <= end.N; d.Ambiguous != wraps {
					t.Fatalf("%s: want ambiguous %v", reach, wraps)
				}
				if before.Bytes.Known && d.Bytes.Known && d.Bytes.N > before.Bytes.N {
					t.Fatalf("%s: farther than before, %+v", reach, before)
				}
				if d.Bytes.Known {
					before = d
				}
			}
		}
	}
}

func TestNamesOfValues(t *testing.T) {
	seen := map[string]bool{}
	for i, s := range States() {
		if int(s) != i || seen[s.String()] {
			t.Errorf("state %d is %s at %d", s, s, i)
		}
		seen[s.String()] = true
	}
	if len(States()) != int(states) || len(Afters()) != int(afters) {
		t.Error("a list of values is short")
	}
	for i, a := range Afters() {
		if int(a) != i || a.String() == "" {
			t.Errorf("after %d is %q at %d", a, a, i)
		}
	}
}

// What a consumer's set has wrong is told, and costs its place nothing.
func TestUnreadableSet(t *testing.T) {
	inv := &Inventory{Files: []File{{Name: "b.000001", Size: 500}}}
	d := Measure(inv, &Position{File: "b.000001", Pos: 200, GTIDs: "0-1-5"}, Scan{})
	if d.Err == nil || d.State != OK || !d.Bytes.is(300) {
		t.Errorf("got %+v", d)
	}
	if d := Measure(inv, &Position{File: "b.000001", Pos: 200}, Scan{}); d.Err != nil {
		t.Error(d.Err)
	}
}

func FuzzMeasure(f *testing.F) {
	const set = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:mysqlsh:1-2"
	f.Add("b.000001", "b.000002", int64(500), int64(700), true, "b.000001", int64(157), set, set, "", byte(0))
	f.Add("b.000001", "b.000001", int64(4500013386), int64(0), false, "b.000001", int64(205046043), "0-1-5", "0-2-7", "0-1-1", byte(17))
	f.Add("x.ibb", "b.", int64(-1), int64(9223372036854775807), true, "b.9", int64(-5), ",", set, set, byte(9))
	f.Fuzz(func(t *testing.T, one, two string, size1, size2 int64, encrypted bool, file string, pos int64, consumed, executed, purged string, kind byte) {
		inv := &Inventory{Flavor: Flavors()[kind&1], Files: []File{{Name: one, Size: size1, Encrypted: encrypted}, {Name: two, Size: size2, Encrypted: !encrypted}}}
		if of, err := inv.Flavor.Parse(executed); err == nil {
			inv.Executed = &of
		}
		if of, err := inv.Flavor.Parse(purged); err == nil {
			inv.Purged = &of
		}
		p := Position{File: file, Pos: pos, GTIDs: consumed}
		for _, after := range Afters() {
			d := Measure(inv, &p, Scan{After: after})
			check(t, inv, d)
			if after == None && d.State == OK {
				t.Errorf("nothing follows, and %+v", d)
			}
			if d.Bytes.Known && pos < inv.Files[0].End().N { // one further on
				next := p
				next.Pos++
				if e := Measure(inv, &next, Scan{After: after}); e.Bytes.Known && e.Bytes.N > d.Bytes.N {
					t.Errorf("%+v is farther than %+v", e, d)
				}
			}
		}
	})
}
