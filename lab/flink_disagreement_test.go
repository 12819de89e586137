//go:build e2e

package lab_test

import (
	"fmt"
	"testing"

	"truelag/lab"
)

// The exporter is told that a job commits for a group for which somebody else does: what Flink says of its commits and what
// the broker has stay apart, which is said once the job's own commits have had their time.
func TestFlinkOfAnotherGroup(t *testing.T) {
	t.Parallel()
	var scenes []*scene
	for verdict, commit := range map[string]int64{"broker_ahead": 4000, "broker_behind": 5} {
		s := stage(t, "flink-"+verdict)
		s.disputed = true
		s.write(t, 5000)
		s.c.CommitOffset(t, s.group, s.topic, 0, commit)
		s.play(t, "group="+s.group+"-own", "start=earliest", "sleep=1000", "kafka.max.poll.records=1") // it passes 4000 in more than an hour
		scenes = append(scenes, s)
	}
	for _, s := range scenes {
		verdict := s.topic[len("flink-"):]
		s.want(t, agreement(verdict), not(condition("not_committing")))
		for _, w := range ways {
			lab.Await(t, func() error { // in an answer without the offset it is none
				if got, _ := s.say(t, w); got.C == none || (got.B > got.C) != (verdict == "broker_ahead") {
					return fmt.Errorf("job %s by %s: %+v is %s", s.job.Name, w.of, got, verdict)
				}
				return nil
			})
		}
	}
}
