package kafka

import (
	"math/rand/v2"
	"testing"
)

// plainMap is the slow and obvious version of runs: what each offset is, and which stretch it came in.
type plainMap struct {
	kind    []Kind // unknown: not looked at
	stretch []*stretch
}

type stretch struct {
	start, end, entries int64
	kind                Kind
}

func (p *plainMap) lay(s *stretch) {
	for o := s.start; o < s.end; o++ {
		if was := p.stretch[o]; was != nil && was.entries < was.end-was.start && (was.start < s.start || was.end > s.end) {
			for q := was.start; q < was.end; q++ {
				if p.stretch[q] == was && (q < s.start || q >= s.end) {
					p.kind[q], p.stretch[q] = unknown, nil
				}
			}
		}
		p.kind[o], p.stretch[o] = s.kind, s
	}
}

func (p *plainMap) count(from, to int64) (c Composition) {
	for o := from; o < to; o++ {
		s := p.stretch[o]
		switch {
		case s == nil || p.kind[o] == unknown:
			c[Unscanned]++
		case s.entries == s.end-s.start:
			c[s.kind]++
		case s.start < from || s.end > to:
			c[Unscanned]++
		case o == s.start:
			c[s.kind] += s.entries
			c[Gap] += s.end - s.start - s.entries
		}
	}
	return c
}

func TestRunsEqualThePlainMap(t *testing.T) {
	t.Parallel()
	const size = 600
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := plainMap{make([]Kind, size), make([]*stretch, size)}
		for o := range p.kind {
			p.kind[o] = unknown
		}
		var r runs
		for range 40 {
			start := rng.Int64N(size - 20)
			if rng.IntN(2) == 0 && r.len() > 0 {
				start = min(r.end, size-20) // as a growing log does
			}
			var over runs
			for at := start; at < size && rng.IntN(8) > 0; {
				end := min(size, at+1+rng.Int64N(6))
				s := &stretch{at, end, end - at, Kind(rng.IntN(int(kinds)))}
				if (s.kind == Record || s.kind == Aborted) && rng.IntN(3) == 0 {
					s.entries = 1 + rng.Int64N(end-at)
				}
				over.push(s.start, s.end, s.kind, s.entries)
				p.lay(s)
				at = end
			}
			r.lay(&over)
			for range 20 {
				from := rng.Int64N(size)
				to := from + rng.Int64N(size-from)
				var got Composition
				r.count(from, to, &got)
				if want := p.count(from, to); got != want {
					t.Fatalf("seed %d: count [%d,%d) = %v, want %v\n%v", seed, from, to, got, want, r.list)
				}
				var unread int64
				for _, s := range r.missing(from, to) {
					unread += s.to - s.from
				}
				if cannot := got[Unscanned] - opaque(&p, from, to); unread < cannot && !cutAtEnd(&p, to) {
					t.Fatalf("seed %d: missing [%d,%d) = %v, but %d are unscanned", seed, from, to, r.missing(from, to), cannot)
				}
			}
		}
		low := rng.Int64N(size)
		high := low + rng.Int64N(size-low)
		r.trimBelow(low)
		r.trimFrom(high)
		if low < high && r.len() > 0 && (r.stop(0) <= low || r.end > high) {
			t.Fatalf("seed %d: kept [%d,%d) after trimming to [%d,%d)", seed, r.list[0].start, r.end, low, high)
		}
		var got Composition
		r.count(low, high, &got)
		if got.Offsets() != high-low {
			t.Fatalf("seed %d: %v does not sum to %d", seed, got, high-low)
		}
	}
}

func opaque(p *plainMap, from, to int64) (n int64) {
	for o := from; o < to; o++ {
		if p.stretch[o] != nil && p.kind[o] == Unscanned {
			n++
		}
	}
	return n
}

// cutAtEnd says that a sparse stretch reaches over to: reading more would not tell which of its offsets lie before.
func cutAtEnd(p *plainMap, to int64) bool {
	s := p.stretch[to]
	return s != nil && s.entries < s.end-s.start && s.start < to
}

func TestRunsMergeNeighboursOfOneKind(t *testing.T) {
	var r runs
	for o := range int64(10_000) {
		r.push(o, o+1, Record, 1)
	}
	if len(r.list) != 1 {
		t.Errorf("%d runs for one stretch of records", len(r.list))
	}
}
