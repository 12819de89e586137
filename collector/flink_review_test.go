package collector_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/collector"
	"truelag/flink"
)

// The review tells of the sources that somebody should look at, and of the partition where most is to be seen.
func TestFlinkReview(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 10, kgo.TryCommit)
	b.transact("t", 1, 10, kgo.TryCommit)
	if r := b.flink.Review(); !r.At.IsZero() || r.Sources != 0 {
		t.Errorf("before any pass: %+v", r)
	}
	review := func(want ...collector.FlinkTrouble) {
		t.Helper()
		b.scrape("")
		if r := b.flink.Review(); r.At.IsZero() || r.Sources != 1 || !reflect.DeepEqual(r.Troubled, want) {
			t.Errorf("got  %+v\nwant %+v", r, want)
		}
	}
	b.commit("g", "t", 0, 3)
	b.commit("g", "t", 1, 5)
	b.says = says("t", 1, flink.Partition{Emitted: 2, Committed: 3}, flink.Partition{Emitted: 4, Committed: 5})
	review()
	b.commit("g", "t", 1, 9) // somebody else's
	b.scrape("")
	b.says = says("t", 2, flink.Partition{Emitted: 2, Committed: 3}, flink.Partition{Emitted: 5, Committed: 5})
	trouble := collector.FlinkTrouble{Job: "payments", Operator: "Source__orders", Group: "g", How: "configured", Topic: "t"}
	skips := trouble
	skips.Partition, skips.Skip = 1, 3
	review(skips) // not the condition that it shows besides: an administrator's reset passes by itself

	b.says = says("t", 3, flink.Partition{Emitted: 8, Committed: 3}, flink.Partition{Emitted: 8, Committed: 9})
	b.says.Jobs[0].State, b.says.Jobs[0].Ended = "CANCELED", time.Now()
	over := trouble
	over.Ended, over.Uncommitted, over.Conditions = true, 6, []collector.Condition{collector.EndedUncommitted}
	review(over)
}
