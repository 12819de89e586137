package kafka

import (
	"math/rand/v2"
	"testing"
)

// The pieces are what the wants cover, each offset once, from the highest down, and no want begins or ends inside one.
func TestCoveredEqualsThePlainMap(t *testing.T) {
	const size = 40
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var wants []want
		cut := map[int64]bool{}
		for range rng.IntN(6) {
			w := want{from: rng.Int64N(size), isolation: Isolation(rng.IntN(2))}
			if rng.IntN(3) > 0 {
				w.to = 1 + rng.Int64N(size+5)
			}
			wants = append(wants, w)
		}
		least := Isolation(rng.IntN(2))
		low := rng.Int64N(size)
		high := low + rng.Int64N(size-low)
		wanted := map[int64]bool{}
		for _, w := range wants {
			to := w.to
			if to == 0 {
				to = high
			}
			if w.isolation < least {
				continue
			}
			if w.from < min(to, high) {
				cut[w.from], cut[to] = true, true
			}
			for o := max(w.from, low); o < min(to, high); o++ {
				wanted[o] = true
			}
		}
		above, n := int64(size), 0
		for _, p := range covered(wants, least, low, high) {
			if p.from >= p.to || p.to > above || p.top != !wanted[p.to] {
				t.Fatalf("seed %d: piece %+v below %d: wanted %v", seed, p, above, wanted)
			}
			for o := p.from; o < p.to; o++ {
				if !wanted[o] || o > p.from && cut[o] {
					t.Fatalf("seed %d: %d of piece %+v is not wanted, or a want begins or ends there", seed, o, p)
				}
				n++
			}
			above = p.from
		}
		if n != len(wanted) {
			t.Fatalf("seed %d: %d offsets, want %d", seed, n, len(wanted))
		}
	}
}

// A compacted batch is known by its header alone until a want begins or ends inside it. Then it must be read.
func TestBatchThatAWantCutsIsRead(t *testing.T) {
	known := func() *tail {
		m := &tail{}
		m.stable.push(0, 10, Record, 10)
		m.stable.push(10, 20, Record, 4)
		m.stable.push(20, 30, Record, 10)
		return m
	}
	for _, c := range []struct {
		name  string
		wants []want
		read  []span
	}{
		{"all of it", []want{{from: 10, to: 20}}, nil},
		{"all of it and more", []want{{from: 0, to: 25}}, nil},
		{"its beginning", []want{{from: 0, to: 15}}, []span{{10, 15}}},
		{"its beginning, from where it begins", []want{{from: 10, to: 15}}, []span{{10, 15}}},
		{"its end", []want{{from: 15, to: 25}}, []span{{15, 20}}},
		{"its middle", []want{{from: 12, to: 15}}, []span{{12, 15}}},
		{"its beginning and its end", []want{{from: 0, to: 15}, {from: 15}}, []span{{15, 20}}},
		{"its beginning, where the end is wanted by another", []want{{from: 0, to: 15}, {from: 5}}, []span{{15, 20}}},
		{"two stretches of it", []want{{from: 0, to: 12}, {from: 17}}, []span{{17, 20}, {10, 12}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := known()
			m.wants = c.wants
			stable, open, _ := m.plan(&Partition{LastStable: 30, HighWatermark: 30}, false)
			if len(open) > 0 || len(stable) != len(c.read) {
				t.Fatalf("to be read: %v and %v, want %v", stable, open, c.read)
			}
			for i := range stable {
				if stable[i] != c.read[i] {
					t.Errorf("to be read: %v, want %v", stable, c.read)
				}
			}
		})
	}
}
