package collector

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"truelag/flink"
)

// names gives each thing of a kind a name that no other has: two series with the same labels would spoil the whole scrape.
type names map[string]bool

// take is the name, with what tells the thing apart from its like behind it where the name is taken; if that is taken too,
// by somebody who likes brackets, with a number.
func (n names) take(name, apart string) string {
	own := name
	if apart != "" && n[own] {
		own = fmt.Sprintf("%s (%s)", name, apart)
	}
	for i := 2; n[own]; i++ {
		own = fmt.Sprintf("%s (%d)", name, i)
	}
	n[own] = true
	return own
}

// jobNames gives each job the value of its job label: its name, which stays while ids come and go. Where several jobs of
// one Flink cluster share a name, the one that runs has it; of several that run, the one that was started first; of
// several that have ended, the last. The others have their id behind it. A job that nobody tells of any more has ended.
func jobNames(jobs []flink.Job, now time.Time) map[string]string {
	rank := func(j *flink.Job) int {
		if over(j, now) {
			return 1
		}
		return 0
	}
	order := make([]*flink.Job, len(jobs))
	for i := range jobs {
		order[i] = &jobs[i]
	}
	slices.SortStableFunc(order, func(a, b *flink.Job) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 {
			return c
		}
		if rank(a) == 0 {
			return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(b.Started.Compare(a.Started), b.Heard.Compare(a.Heard), cmp.Compare(a.ID, b.ID))
	})
	labels, taken := make(map[string]string, len(jobs)), make(names, len(jobs))
	for _, j := range order {
		labels[j.ID] = taken.take(j.Name, j.ID)
	}
	return labels
}
