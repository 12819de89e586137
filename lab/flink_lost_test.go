//go:build e2e

package lab_test

import (
	"testing"

	"truelag/lab"
)

// While the broker is away commits fail and checkpoints complete. When it is back all goes on.
func TestFlinkBrokerLost(t *testing.T) {
	t.Parallel()
	s := &scene{c: pool.Start(t, lab.Options{}), f: pool.Flink(t, lab.FlinkOptions{}), topic: "flink-broker", group: "flink-broker"}
	s.c.CreateTopic(t, s.topic, 1, nil)
	s.write(t, 5)
	s.play(t, "kafka.partition.discovery.interval.ms=-1") // it gives up after a minute without a broker, and has the job fail
	s.await(t, facts{B: 5, C: 5, U: 4})
	failed := s.job.Source(t).Failed // the first ones may have, while the broker made the group's coordinator
	s.c.KillNode(t, 1)
	s.awaitCounters(t, 1, failed+1)
	s.job.AwaitCheckpoints(t, 2)
	s.capture(t, "broker-lost")
	s.c.StartNode(t, 1)
	s.write(t, 5)
	s.await(t, facts{B: 10, C: 10, U: 9})
	s.want(t, agreement("match"), not(condition("commits_failing")), "flink_replay_records 0")
}

// A TaskManager that is lost takes its tasks' values with it, though REST shows them for some seconds more. The next
// attempt begins with none. It shares no process with a test that runs beside it.
func TestFlinkTaskManagerLost(t *testing.T) {
	s := stage(t, "flink-taskmanager")
	s.write(t, 5)
	s.play(t)
	s.await(t, facts{B: 5, C: 5, U: 4})
	s.f.KillTaskManager(t, 1)
	s.awaitBy(t, byReporter, facts{B: 5, C: none, U: none})
	s.capture(t, "taskmanager-lost")
	s.wantBy(t, byREST, condition("source_down"))
	s.f.StartTaskManager(t, 1)
	s.job.AwaitRunning(t)
	s.await(t, facts{B: 5, C: 5, U: none})
	s.capture(t, "taskmanager-back")
	s.write(t, 5)
	s.await(t, facts{B: 10, C: 10, U: 9})
	s.want(t, agreement("match"), not(condition("source_down")), "flink_replay_records 0", "flink_skip_records 0")
}
