package collector

import (
	"cmp"
	"slices"

	"truelag/flink"
)

// jobNames gives each job the value of its job label: its name, which stays while ids come and go. Where several jobs of
// one Flink cluster share a name, the one that runs has it; of several that run, the one that was started first; of
// several that have ended, the last. The others have their id behind it.
func jobNames(jobs []flink.Job) map[string]string {
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
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID))
	})
	names := make(map[string]string, len(jobs))
	taken := make(map[string]bool, len(jobs))
	for _, j := range order {
		name := j.Name
		if taken[name] {
			name += " (" + j.ID + ")"
		}
		taken[name] = true
		names[j.ID] = name
	}
	return names
}

// rank is 0 for a job that runs or may run again.
func rank(j *flink.Job) int {
	if j.Terminal() || !j.Ended.IsZero() {
		return 1
	}
	return 0
}
