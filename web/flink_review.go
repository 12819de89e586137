package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// FlinkReview is what the landing page shows of Flink jobs.
type FlinkReview struct {
	Read     time.Time // when they were compared last; zero: not yet
	Sources  int       // that were compared
	Troubled []FlinkTrouble
	Unheard  []string // which interfaces did not answer, and why
}

// Deaf are a few of what was not heard.
func (r *FlinkReview) Deaf() []string { return r.Unheard[:min(len(r.Unheard), worst)] }

// FlinkTrouble is a Kafka source of a Flink job that somebody should look at.
type FlinkTrouble struct {
	FlinkCluster, Job, Operator string // FlinkCluster is empty where there is only one

	// Place is the partition to look at. Its scope is OnePartition where the group is known; its topic is empty where the
	// source reads none.
	Place Place

	Ended         bool
	Skip          int64 // records
	Ahead, Behind int   // partitions
	Uncommitted   int64 // records of a job that is over
	Conditions    []string
}

// Counted is how many sources were compared.
func (r *FlinkReview) Counted() string { return count(int64(r.Sources), "Kafka source") }

// Worst are a few of those that are in trouble, the worst first.
func (r *FlinkReview) Worst() []FlinkTrouble {
	all := slices.SortedFunc(slices.Values(r.Troubled), func(a, b FlinkTrouble) int {
		return cmp.Or(
			cmp.Compare(b.Skip, a.Skip),
			cmp.Compare(b.Ahead+b.Behind, a.Ahead+a.Behind),
			compareEnded(a.Ended, b.Ended),
			cmp.Compare(b.Uncommitted, a.Uncommitted),
			cmp.Compare(len(b.Conditions), len(a.Conditions)),
			strings.Compare(a.Of(), b.Of()),
		)
	})
	return all[:min(len(all), worst)]
}

// compareEnded puts what runs first.
func compareEnded(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Of names the job and its source.
func (t *FlinkTrouble) Of() string { return flinkSource(t.FlinkCluster, t.Job, t.Operator) }

// Placed says that Place is one to be explained.
func (t *FlinkTrouble) Placed() bool { return t.Place.Scope == OnePartition }

// State is a word for how bad it is.
func (t *FlinkTrouble) State() string {
	if t.Skip > 0 {
		return "broken"
	}
	return "behind"
}

// Verdict says what is wrong.
func (t *FlinkTrouble) Verdict() string {
	var parts []string
	if t.Skip > 0 {
		parts = append(parts, leadingCount(t.Skip, "record")+" "+verb(t.Skip, "is", "are")+" committed that the job had not emitted.")
	}
	switch on := func(n int) string { return count(int64(n), "partition") }; {
	case t.Ahead > 0 && t.Behind > 0:
		parts = append(parts, fmt.Sprintf("The group's offset is above what Flink says on %s, and below on %d.", on(t.Ahead), t.Behind))
	case t.Ahead > 0:
		parts = append(parts, fmt.Sprintf("The group's offset is above what Flink says on %s.", on(t.Ahead)))
	case t.Behind > 0:
		parts = append(parts, fmt.Sprintf("The group's offset is below what Flink says on %s.", on(t.Behind)))
	}
	if t.Ended && t.Uncommitted > 0 {
		parts = append(parts, leftUncommitted(t.Uncommitted))
	}
	if len(t.Conditions) > 0 {
		parts = append(parts, "Conditions: "+enumerate(t.Conditions)+".")
	}
	return strings.Join(parts, " ")
}
