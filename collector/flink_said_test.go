package collector_test

import (
	"testing"
	"time"

	"truelag/flink"
)

// A state that REST has not told for long is not shown as the job's, on /explain no more than as a metric.
func TestAStateOfLongAgoIsNotSaid(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.commit("g", "t", 0, 3)
	for ago, want := range map[time.Duration]string{time.Second: "RUNNING", 3 * time.Minute: ""} {
		b.says = says("t", 1, flink.Partition{Emitted: 2, Committed: 3})
		b.says.Jobs[0].Told = time.Now().Add(-ago)
		b.scrape("")
		said := b.flink.Said("", "g", "t", 0)
		if len(said) != 1 || said[0].State != want {
			t.Errorf("told %s ago: %+v, want the state %q", ago, said, want)
		}
	}
}
