package web

import "slices"

// worst is how many groups a Ranking keeps.
const worst = 5

// Ranking counts groups and keeps the worst of them, so that nobody needs to hold all of them for a page.
type Ranking struct {
	Tally map[string]int // groups by state
	Total int
	Worst []Group // worst first
}

// Add ranks one group's topic.
func (r *Ranking) Add(g Group) {
	if r.Tally == nil {
		r.Tally = make(map[string]int)
	}
	r.Tally[g.State()]++
	r.Total++
	i, _ := slices.BinarySearchFunc(r.Worst, g, compare)
	if i == worst {
		return
	}
	if len(r.Worst) == worst {
		r.Worst = r.Worst[:worst-1]
	}
	r.Worst = slices.Insert(r.Worst, i, g)
}

// Merge adds another ranking to this one.
func (r *Ranking) Merge(o Ranking) {
	merged := Ranking{Tally: make(map[string]int), Total: r.Total + o.Total}
	for _, from := range []Ranking{*r, o} {
		for state, n := range from.Tally {
			merged.Tally[state] += n
		}
	}
	merged.Worst = append(slices.Clone(r.Worst), o.Worst...)
	slices.SortStableFunc(merged.Worst, compare)
	merged.Worst = merged.Worst[:min(worst, len(merged.Worst))]
	*r = merged
}
