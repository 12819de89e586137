package scenarios

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"truelag/kafka"
)

var (
	seed  = flag.Uint64("seed", 0, "play the random case of this seed alone")
	seeds = flag.Uint64("seeds", 20, "how many random cases to play")
)

// TestRandomCases plays random actions and holds each scrape against the kind of each single offset, which the world
// knows.
func TestRandomCases(t *testing.T) {
	from, to := uint64(1), *seeds
	if *seed != 0 {
		from, to = *seed, *seed
	}
	for s := from; s <= to; s++ {
		t.Run(fmt.Sprint("seed=", s), func(t *testing.T) {
			t.Parallel()
			for _, hard := range worlds {
				playRandom(t, s, hard)
			}
		})
	}
}

func playRandom(t *testing.T, seed uint64, hard bool) {
	c := Case{Place: Place{Name: "random"}, Scan: true, Isolation: map[string]string{"g": "read_committed", "h": "read_uncommitted"}}
	r := rand.New(rand.NewPCG(seed, 0))
	compacted, byName := r.IntN(2) == 0, r.IntN(2) == 0
	f, err := NewFake(t.Context(), FakeConfig{Hard: hard, Compacted: compacted, ByName: byName})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	scrape := exporter(t, &c, f)
	var history []string
	do := func(a Action) {
		history = append(history, fmt.Sprintf("%T%+v", a, a))
		if err := a.Do(t.Context(), f); err != nil {
			t.Fatalf("hard: %v, seed %d: %v\n%q", hard, seed, err, history)
		}
	}
	do(Partitions{Count: 1 + r.Int32N(4)})
	for range 3 + r.IntN(6) {
		for range 1 + r.IntN(8) {
			do(f.random(r, compacted, byName))
		}
		scrapes := 1
		if compacted {
			scrapes = 4 // the exporter believes what it has read for a while
		}
		var got *Scrape
		for range scrapes {
			if got, err = scrape(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want := f.truth("g", kafka.ReadCommitted)
		want.Groups = map[string]Want{"h": f.truth("h", kafka.ReadUncommitted)}
		history = append(history, "scrape")
		if findings := got.hold(&want, f); len(findings) > 0 {
			t.Fatalf("hard: %v, -seed %d: %q\n%q", hard, seed, findings, history)
		}
	}
}

// random is an action that can be done now.
func (f *Fake) random(r *rand.Rand, compacted, byName bool) Action {
	partition := r.Int32N(int32(len(f.topic.parts)))
	l := f.topic.parts[partition]
	txn := string(rune('A' + r.IntN(3)))
	group := string(rune('g' + r.IntN(2)))
	switch n := r.IntN(100); {
	case n < 30:
		return Append{Partition: partition, Records: 1 + r.IntN(8), Txn: txn}
	case n < 40:
		return Append{Partition: partition, Records: 1 + r.IntN(8)}
	case n < 60 && f.producers[txn] != nil && f.producers[txn].open:
		return End{Txn: txn, Commit: r.IntN(2) == 0}
	case n < 80:
		return Commit{Group: group, Partition: partition, Offset: r.Int64N(l.end + 3)}
	case n < 82:
		return Uncommit{Group: group, Partition: partition}
	case n < 86:
		return DeleteBefore{Partition: partition, Offset: r.Int64N(l.end + 1)}
	case n < 94 && compacted && l.lastStable() > 0: // no cleaner goes beyond the last stable offset
		from := r.Int64N(l.lastStable())
		return Compact{Partition: partition, From: from, To: min(from+r.Int64N(12), l.lastStable()-1)}
	case n < 97:
		return Truncate{Partition: partition, To: l.start + r.Int64N(l.end-l.start+1)}
	case n < 98 && byName:
		return Recreate{Partitions: 1 + r.Int32N(4)}
	}
	return SkipTo{Partition: partition, Offset: l.end + r.Int64N(30)}
}

// truth looks at every offset that a group has not consumed.
func (f *Fake) truth(group string, isolation kafka.Isolation) Want {
	w := Want{Composition: map[string]int64{}, Partitions: map[int32]PartWant{}}
	var beyond, lost int64
	known := false
	for p, c := range f.commits[group] {
		if int(p) >= len(f.topic.parts) {
			continue
		}
		known = true
		l := f.topic.parts[p]
		var offsets, records int64
		for offset := c.offset; offset < l.end; offset++ {
			kind := l.kind(offset, isolation)
			w.Composition[kind.String()]++
			offsets++
			if kind == kafka.Record {
				records++
			}
		}
		beyond += max(0, c.offset-l.end)
		lost += max(0, min(l.start, l.end)-c.offset)
		w.Partitions[p] = PartWant{Lags: Lags{Offsets: &offsets, Records: &records}}
	}
	if known {
		w.BeyondEnd, w.Lost = &beyond, &lost
	} else {
		w.Absent = new(true)
	}
	return w
}

func (l *partitionLog) kind(offset int64, isolation kafka.Isolation) kafka.Kind {
	committed := isolation == kafka.ReadCommitted
	switch {
	case offset < l.start:
		return kafka.Lost
	case committed && offset >= l.lastStable():
		return kafka.Blocked
	}
	for _, b := range l.batches {
		for _, s := range b.kept {
			if offset < s.from || offset > s.to {
				continue
			}
			if b.control {
				return kafka.Control
			}
			for _, x := range l.txns {
				if committed && b.transactional && x.aborted && x.producer == b.producer && x.first <= b.base && b.last < x.last {
					return kafka.Aborted
				}
			}
			return kafka.Record
		}
	}
	return kafka.Gap
}
