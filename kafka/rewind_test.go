package kafka

import (
	"math"
	"testing"
)

// Anybody may commit any offset. Two rewinds from the greatest one must not make a counter negative.
func TestRewindsOfTheGreatestOffsetStayPositive(t *testing.T) {
	f := newFake(t, Config{})
	for range 2 {
		f.commit("g", 0, math.MaxInt64)
		f.read()
		f.commit("g", 0, 0)
		f.read()
	}
	l := f.read().Lags[0]
	if l.Partitions[0].Rewinds != 2 || l.Rewound != math.MaxInt64 || l.Replayed < 0 {
		t.Errorf("got %d rewinds, %d offsets, %d records; want 2, the greatest number, none negative", l.Partitions[0].Rewinds, l.Rewound, l.Replayed)
	}
}
