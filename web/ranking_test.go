package web

import (
	"math/rand/v2"
	"testing"
)

func TestRankingKeepsTheWorst(t *testing.T) {
	worstFirst := []Group{
		{Group: "lost", Known: true, Lost: 3},
		{Group: "far", Known: true, Offsets: 60, Records: 50},
		{Group: "less far", Known: true, Offsets: 70, Records: 49},
		{Group: "held", Known: true, Offsets: 9, Blocked: 9},
		{Group: "a", Topic: "unknown"},
		{Group: "b", Topic: "unknown"},
		{Group: "phantom", Known: true, Offsets: 1000},
		{Group: "level", Known: true},
	}
	tally := map[string]int{"broken": 1, "behind": 2, "blocked": 1, "unknown": 2, "phantom": 1, "level": 1}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		// However they come, and however they are split over clusters.
		var whole, left, right Ranking
		for _, i := range rng.Perm(len(worstFirst)) {
			whole.Add(worstFirst[i])
			if rng.IntN(2) == 0 {
				left.Add(worstFirst[i])
			} else {
				right.Add(worstFirst[i])
			}
		}
		left.Merge(&right)
		for _, r := range []*Ranking{&whole, &left} {
			for i, g := range r.Worst {
				if *g != worstFirst[i] {
					t.Fatalf("place %d has %+v, want %+v", i, *g, worstFirst[i])
				}
			}
			if len(r.Worst) != worst || r.Total != len(worstFirst) {
				t.Fatalf("%d worst of %d", len(r.Worst), r.Total)
			}
			for state, want := range tally {
				if got := r.Tally(state); got != want {
					t.Fatalf("%d are %s, want %d", got, state, want)
				}
			}
		}
	}
}
