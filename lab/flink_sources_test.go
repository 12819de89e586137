//go:build e2e

package lab_test

import (
	"fmt"
	"testing"

	"truelag/flink"
	"truelag/lab"
)

// A DynamicKafkaSource says the same as a KafkaSource, under other names. So does the FlinkKafkaConsumer that the line 1.20
// still has, of commits that it asked for.
func TestFlinkOtherSources(t *testing.T) {
	t.Parallel()
	kinds := []string{"dynamic"}
	if pool.Flink(t, lab.FlinkOptions{}).Options.Line == "1.20" {
		kinds = append(kinds, "legacy")
	}
	for _, kind := range kinds {
		s := stage(t, "flink-"+kind)
		s.transaction(t, 5, true)
		s.play(t, "source="+kind)
		s.await(t, facts{B: 5, C: 5, U: 4})
		s.capture(t, kind)
		s.want(t, "group_lag_offsets 1", "group_lag_records 0", agreement("match"), "flink_replay_records 0", "flink_skip_records 0")
		for _, w := range ways {
			s.awaitSource(t, w, func(source flink.Source) error {
				if got, want := byReporter.spell(source.KafkaCluster), map[string]string{"dynamic": "lab_cluster_1"}[kind]; got != want {
					return fmt.Errorf("the Kafka cluster is %q, want %q", got, want)
				}
				if got, want := source.Legacy, kind == "legacy"; got != want {
					return fmt.Errorf("that legacy is %t, want %t", got, want)
				}
				return nil
			})
		}
	}
}
