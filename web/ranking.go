package web

import "slices"

// worst is how many groups a Ranking keeps.
const worst = 5

// Ranking counts groups and keeps the worst of them, so that nobody needs to hold all of them for a page.
type Ranking struct {
	Total int
	Worst []*Group // worst first

	tally [states]int
}

// Tally is how many groups are in a state.
func (r *Ranking) Tally(name string) int {
	for s := range states {
		if s.String() == name {
			return r.tally[s]
		}
	}
	return 0
}

// Add ranks one group's topic.
func (r *Ranking) Add(g Group) {
	r.tally[g.state()]++
	r.Total++
	r.keep(&g)
}

// keep copies g if it is one of the worst. Most are not, on a large cluster, and cost nothing.
func (r *Ranking) keep(g *Group) {
	if len(r.Worst) == worst {
		if compare(g, r.Worst[worst-1]) >= 0 {
			return
		}
		r.Worst = r.Worst[:worst-1]
	}
	kept := *g
	i, _ := slices.BinarySearchFunc(r.Worst, &kept, compare)
	r.Worst = slices.Insert(r.Worst, i, &kept)
}

// Merge adds another ranking to this one.
func (r *Ranking) Merge(o *Ranking) {
	for s, n := range o.tally {
		r.tally[s] += n
	}
	r.Total += o.Total
	for _, g := range o.Worst {
		r.keep(g)
	}
}
