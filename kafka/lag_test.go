package kafka

import (
	"math"
	"testing"
)

// Brokers take any offset as a commit. What is summed over partitions must not come out negative.
func TestGreatestCommits(t *testing.T) {
	f := newFake(t, Config{})
	for p := range int32(2) {
		f.commit("g", p, math.MaxInt64)
	}
	l := f.read().lag(t, "g", "t")
	if l.BeyondEnd != math.MaxInt64 || l.Conditions[BeyondEnd] != 2 || l.Composition != (Composition{}) {
		t.Errorf("%d offsets beyond the end of %d partitions, lag %v", l.BeyondEnd, l.Conditions[BeyondEnd], l.Composition)
	}
}

func TestCompositionEndsAtTheGreatestNumber(t *testing.T) {
	c := Composition{Record: math.MaxInt64 - 1, Unscanned: 7, Gap: 2}
	c.add(&Composition{Record: 3, Gap: 2})
	if want := (Composition{Record: math.MaxInt64, Unscanned: 7, Gap: 4}); c != want {
		t.Errorf("got %v, want %v", c, want)
	}
	if c.Records() != math.MaxInt64 || c.Offsets() != math.MaxInt64 {
		t.Errorf("%d records of %d offsets, want the greatest number of both", c.Records(), c.Offsets())
	}
}
