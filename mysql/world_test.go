package mysql

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"truelag/mysql/gtid"
)

// world is a server that has written transactions and rotated its binlog, and has purged some of it.
type world struct {
	flavor Flavor
	files  []File
	gone   int // how many of files are purged
	wrote  []wrote
}

// wrote is a transaction.
type wrote struct {
	source int
	number int
	file   int   // its index in world.files
	end    int64 // the position after it
}

func randomWorld(rng *rand.Rand, flavor Flavor) *world {
	w := &world{flavor: flavor}
	var numbers [3]int
	first := 999_990 + rng.IntN(12)
	sources := 1 + rng.IntN(len(numbers))
	rotate := func() {
		f := File{Name: fmt.Sprintf("bin-log.%06d", first+len(w.files)), Size: 120 + rng.Int64N(80)}
		if flavor == MySQL && rng.IntN(4) == 0 {
			f.Size, f.Encrypted = f.Size+encryptionSize, true
		}
		w.files = append(w.files, f)
	}
	rotate()
	for range 1 + rng.IntN(30) {
		for rng.IntN(3) == 0 {
			w.files[len(w.files)-1].Size += 47 // the event that names the next file
			rotate()
		}
		f := &w.files[len(w.files)-1]
		f.Size += 200 + rng.Int64N(5000)
		source := rng.IntN(sources)
		numbers[source]++
		w.wrote = append(w.wrote, wrote{source, numbers[source], len(w.files) - 1, f.End().N})
	}
	w.gone = rng.IntN(len(w.files))
	return w
}

// set is the text of some transactions, one by one.
func (w *world) set(of []wrote) string {
	var b strings.Builder
	for _, t := range of {
		if w.flavor == MariaDB {
			fmt.Fprintf(&b, "%d-101-%d,", t.source, t.number)
		} else {
			fmt.Fprintf(&b, "0000000%d-71ca-11e1-9e33-c80aa9429562:%d,", t.source, t.number)
		}
	}
	return strings.TrimSuffix(b.String(), ",")
}

func (w *world) parse(t *testing.T, of []wrote) *gtid.Set {
	t.Helper()
	set, err := w.flavor.Parse(w.set(of))
	if err != nil {
		t.Fatal(err)
	}
	return &set
}

func (w *world) purged() []wrote {
	n := 0
	for n < len(w.wrote) && w.wrote[n].file < w.gone {
		n++
	}
	return w.wrote[:n]
}

func (w *world) inventory(t *testing.T) *Inventory {
	t.Helper()
	return &Inventory{Flavor: w.flavor, Files: w.files[w.gone:], Executed: w.parse(t, w.wrote), Purged: w.parse(t, w.purged())}
}

// position is that of a consumer that began after so many transactions and has read up to another number of them.
func (w *world) position(began, read int) *Position {
	last := w.wrote[read-1]
	return &Position{File: w.files[last.file].Name, Pos: last.end, GTIDs: w.set(w.wrote[began:read])}
}

// left is what a dump stream would deliver, summed up event by event.
func (w *world) left(read int) int64 {
	at := w.wrote[read-1]
	n := -at.end
	for i := at.file; i < len(w.files); i++ {
		n += w.files[i].End().N
	}
	return n
}

// What a consumer of a random server has left to read is known here one transaction at a time.
func TestRandomWorlds(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 6))
		w := randomWorld(rng, Flavors()[seed%2])
		inv := w.inventory(t)
		began := 0
		if w.flavor == MySQL && rng.IntN(2) == 0 { // a set of MariaDB cannot tell
			began = rng.IntN(len(w.wrote))
		}
		purged := len(w.purged())
		var before Distance
		for read := began + 1; read <= len(w.wrote); read++ {
			after := Transaction
			if read == len(w.wrote) {
				after = None
			}
			d := Measure(inv, w.position(began, read), Scan{After: after})
			// What was written before it began is left to read too, as long as it is there: a server asked by the set sends it.
			left := int64(len(w.wrote) - read + max(began-purged, 0))
			if after == None {
				left = 0
			}
			reach := fmt.Sprintf("seed %d: began after %d, read %d of %d, %d purged: %+v", seed, began, read, len(w.wrote), purged, d)
			check(t, inv, d)
			switch {
			case purged > read && d.State != Purged:
				t.Errorf("%s: what comes next is gone", reach)
			case purged > read:
				continue
			case w.wrote[read-1].file < w.gone: // by the set alone
				if began == 0 && purged > 0 && d.State == Purged {
					t.Errorf("%s: all that is gone was read", reach)
				}
				if d.Bytes.Known {
					t.Errorf("%s: bytes from a place that is gone", reach)
				}
				continue
			case d.State != map[After]State{Transaction: OK, None: CaughtUp}[after]:
				t.Errorf("%s: state", reach)
			case !d.Bytes.is(w.left(read)) || !d.Transactions.is(left):
				t.Errorf("%s: want %d bytes, %d transactions", reach, w.left(read), left)
			case before.Bytes.Known && (d.Bytes.N > before.Bytes.N || d.Files.N > before.Files.N || d.Transactions.N > before.Transactions.N ||
				d.HeadroomBytes.N < before.HeadroomBytes.N):
				t.Errorf("%s: farther than before, %+v", reach, before)
			}
			before = d
		}
	}
}

// check holds a distance against what is true of each.
func check(t *testing.T, inv *Inventory, d Distance) {
	t.Helper()
	reading := d.State == OK || d.State == CaughtUp
	for name, n := range map[string]Number{
		"bytes": d.Bytes, "effective": d.Effective, "files": d.Files, "transactions": d.Transactions,
		"headroom files": d.HeadroomFiles, "headroom bytes": d.HeadroomBytes,
	} {
		if n.N < 0 || !n.Known && n.N != 0 {
			t.Errorf("%s: %s of %+v", name, n, d)
		}
		allowed := reading || d.State == Snapshot && strings.HasPrefix(name, "headroom") ||
			name == "transactions" && (d.State == Foreign || d.State == Invalid)
		if n.Known && !allowed {
			t.Errorf("%s %s in state %s", name, n, d.State)
		}
	}
	if d.Bytes.Known && d.HeadroomBytes.Known {
		var total int64
		for _, f := range inv.Files {
			total += f.End().N
		}
		if d.Bytes.N+d.HeadroomBytes.N != total {
			t.Errorf("%s bytes and %s before do not make %d: %+v", d.Bytes, d.HeadroomBytes, total, d)
		}
	}
	if d.Files.Known && d.Files.N+d.HeadroomFiles.N+1 != int64(len(inv.Files)) {
		t.Errorf("%s files and %s before do not make %d", d.Files, d.HeadroomFiles, len(inv.Files))
	}
	if d.Effective.Known && d.Bytes.Known && d.Effective.N > d.Bytes.N {
		t.Errorf("effective %s of %s bytes", d.Effective, d.Bytes)
	}
	if d.State == CaughtUp && (!d.Effective.is(0) || !d.Transactions.is(0)) {
		t.Errorf("caught up and %+v", d)
	}
	if d.State == OK && d.Effective.is(0) && !d.Bytes.is(0) {
		t.Errorf("nothing is left and not caught up: %+v", d)
	}
}
