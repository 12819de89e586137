package collector

import (
	"slices"
	"testing"
	"time"
)

// That the members of a group are not told for once, since its coordinator had no time, takes nothing back: the commits of an idle
// source's consumer stand, and none that moves would show again what was seen.
func TestAutoCommitWhileMembersAreNotTold(t *testing.T) {
	by := func(members int) func(*sourceEvidence, *partitionEvidence) {
		return func(e *sourceEvidence, p *partitionEvidence) {
			e.Interval, e.Completed, e.LastCompleted, e.Members, p.LeaderEpoch = 0, 0, time.Time{}, members, 0
		}
	}
	for name, tc := range map[string]struct {
		members []int // at the moment before the commit, at that of the commit, and later
		want    bool
	}{
		"always told":              {[]int{0, 0, 0}, true},
		"not told once":            {[]int{0, 0, notTold}, true},
		"told again":               {[]int{0, 0, notTold, 0}, true},
		"not told when it commits": {[]int{0, notTold, 0}, true},
		"never told":               {[]int{notTold, notTold, notTold}, false},
		"not told, and then one":   {[]int{0, notTold, 1}, false},
		"one has come":             {[]int{0, 0, 1}, false},
		"one was there":            {[]int{0, 1, notTold, 0}, false},
	} {
		var moments []said
		for i, members := range tc.members {
			moments = append(moments, said{t: 15 * i, u: 4, c: -1, b: 6, change: by(members)})
		}
		moments[0].b = noCommit
		if got, _ := watched(moments); slices.Contains(got, AutoCommit) != tc.want {
			t.Errorf("members %s: %v, want auto_commit: %t", name, got, tc.want)
		}
	}
}
