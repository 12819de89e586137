//go:build e2e

package lab_test

import (
	"fmt"
	"testing"

	"truelag/lab"
)

// Each interface spells topics its own way. To the reporter two topics may be one.
func TestFlinkTopicNames(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-names.orders.v1-eu")
	s.write(t, 3)
	s.play(t)
	s.await(t, facts{B: 3, C: 3, U: 2})
	s.capture(t, "names")
	s.want(t, agreement("match"), "flink_committed_offset 3", `flink_unmatched_topics{reason="colliding"} 0`, `flink_unmatched_topics{reason="unknown"} 0`)

	dots, dashes := stage(t, "flink-names.pair"), stage(t, "flink-names-pair")
	dots.write(t, 3)
	dashes.write(t, 5)
	dots.play(t, "topics="+dots.topic+","+dashes.topic)
	dashes.group, dashes.job = dots.group, dots.job
	dots.awaitBy(t, byREST, facts{B: 3, C: 3, U: 2})
	dashes.awaitBy(t, byREST, facts{B: 5, C: 5, U: 4})
	either := map[lab.FlinkOffsets]bool{{Emitted: 2, Committed: 3}: true, {Emitted: 4, Committed: 5}: true}
	dots.capture(t, "names-pair")
	lab.Await(t, func() error {
		if got := dots.job.ReporterSource(t).Offsets; len(got) != 1 || !either[got["flink_names_pair-0"]] {
			return fmt.Errorf("the reporter says %+v, want the offsets of one topic", got)
		}
		return nil
	})
	dots.wantBy(t, byREST, agreement("match"), `flink_partitions{topic="flink-names-pair",agreement="match"} 1`)
	dots.wantBy(t, byReporter, `flink_unmatched_topics{reason="colliding"} 1`)
}
