//go:build e2e

package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"truelag/flink"
	"truelag/lab"
)

// wantRead holds the finished job's count of read records against what it should be. Flink 1.20 counts none for a source.
func (s *scene) wantRead(t *testing.T, n int64) {
	t.Helper()
	if strings.HasPrefix(s.f.Options.Line, "1.") {
		n = 0
	}
	for _, v := range s.job.Status(t).Vertices {
		if got := v.Metrics.ReadRecords; got != n && strings.HasPrefix(v.Name, "Source: ") {
			t.Errorf("job %s has read %d records, want %d", s.job.Name, got, n)
		}
	}
}

// onlyWhenAsked lets a job take checkpoints once a year. The first comes at a random time within the interval: of an hour's, each
// minute of a test had one in sixty.
const onlyWhenAsked = "checkpoint=31536000000"

// uncommitted brings a job to have emitted 17 records of which 10 are committed.
func (s *scene) uncommitted(t *testing.T) {
	t.Helper()
	s.write(t, 10)
	s.play(t, onlyWhenAsked)
	s.awaitEmitted(t, 9)
	s.job.Checkpoint(t)
	s.write(t, 7) // the poll returns, and what waited for it is committed
	s.await(t, facts{B: 10, C: 10, U: 16})
	s.awaitSource(t, byREST, func(source flink.Source) error { // a dump takes counts before offsets, and may be the last one
		if all := source.Samples[0].Subtasks; len(all) != 1 || all[0].Records != 17 {
			return fmt.Errorf("%+v, want 17 records to be read", all)
		}
		return nil
	})
}

// awaitEmitted waits until the source has emitted an offset.
func (s *scene) awaitEmitted(t *testing.T, offset int64) {
	t.Helper()
	for _, w := range ways {
		lab.Await(t, func() error {
			if got, _ := s.say(t, w); got.U != offset {
				return fmt.Errorf("job %s by %s: %+v, want it to emit %d", s.job.Name, w.of, got, offset)
			}
			return nil
		})
	}
}

// awaitEnded waits until the exporter knows by REST that the job has ended, and holds what it says of it by each interface.
func (s *scene) awaitEnded(t *testing.T, want facts) {
	t.Helper()
	lab.Await(t, func() error {
		if job := s.heard(t, byREST); job == nil || !job.Terminal() || job.Ended.IsZero() {
			return fmt.Errorf("job %s: the exporter hears %+v, want it to have ended", s.job.Name, job)
		}
		return nil
	})
	for _, w := range ways {
		s.awaitSource(t, w, func(source flink.Source) error {
			if sample := source.Samples[0]; !s.told(w, sample, want) {
				return fmt.Errorf("%+v of a job that has ended, want %+v", sample, want)
			}
			return nil
		})
	}
}

// endUncommitted is a scene whose job was brought to its end while what it had emitted last was not committed. What a stop's savepoint
// would commit is dropped, unless a poll of the source's, of ten seconds each, returns just between the savepoint and the end: then it is
// done once more.
func endUncommitted(t *testing.T, how string, end func(*scene)) *scene {
	t.Helper()
	const tries = 5
	topic := "flink-uncommitted-" + how
	for n := 1; ; n++ {
		s := stage(t, topic)
		s.uncommitted(t)
		end(s)
		b := s.commit(t).At
		if b == 10 {
			return s
		}
		if how != "stop" || b != 17 || n == tries {
			t.Fatalf("job %s has ended by %s, and the broker has the commit %d, want 10", s.job.Name, how, b)
		}
		topic = fmt.Sprintf("flink-uncommitted-%s-%d", how, n+1)
	}
}

// Neither a stop with a savepoint nor a cancel commits what was emitted last. REST remembers a job's last dump, the
// reporter nothing.
func TestFlinkEndsUncommitted(t *testing.T) {
	t.Parallel()
	var scenes []*scene
	for how, end := range map[string]func(*scene){
		"stop":   func(s *scene) { s.job.Stop(t) },
		"cancel": func(s *scene) { s.job.Cancel(t) },
	} {
		s := endUncommitted(t, how, end)
		s.awaitBy(t, byReporter, facts{B: 10, C: none, U: none})
		s.awaitBy(t, byREST, facts{B: 10, C: 10, U: 16})
		s.awaitEnded(t, facts{B: 10, C: 10, U: 16})
		if how == "stop" {
			s.wantRead(t, 17)
		}
		s.capture(t, "uncommitted-"+how)
		s.wantBy(t, byREST, "flink_stopped_uncommitted_records 7", condition("ended_uncommitted"), "group_lag_records 7")
		scenes = append(scenes, s)
	}
	for _, s := range scenes { // nobody tells the reporters' readers that the job has ended
		s.wantBy(t, byReporter, "flink_stopped_uncommitted_records 7")
		for _, w := range ways {
			for _, sample := range s.exported(t, w) {
				if strings.HasPrefix(sample, "flink_partitions") {
					t.Errorf("job %s has ended, the exporter says by %s: %s", s.job.Name, w.of, sample)
				}
			}
		}
	}
}

// A job that is restored reads from its savepoint on, wherever the group is: the commit goes back, and then forward again.
func TestFlinkRestore(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-restored")
	s.write(t, 20)
	s.play(t)
	s.await(t, facts{B: 20, C: 20, U: 19})
	older := s.job.Savepoint(t)
	s.write(t, 30)
	s.await(t, facts{B: 50, C: 50, U: 49})
	newest := s.job.Stop(t)

	s.replay(t, newest) // nothing new to read: what was emitted before is not known any more
	s.await(t, facts{B: 50, C: 50, U: none})
	s.capture(t, "restored")
	s.want(t, agreement("match"), "flink_committed_offset 50", "flink_commit_difference_offsets 0")
	s.job.Cancel(t)

	s.replay(t, older, "sleep=1500", "kafka.max.poll.records=1") // a record or so in each checkpoint, and time to see it
	lab.Await(t, func() error {
		if b := s.commit(t).At; b >= 50 {
			return fmt.Errorf("the broker has the commit %d, want one that the savepoint has brought back", b)
		}
		return nil
	})
	s.capture(t, "replaying")
	s.wantBy(t, byREST, condition("restored_older"))
	s.await(t, facts{B: 50, C: 50, U: 49})
	s.want(t, agreement("match"), "flink_replay_records 0", "flink_skip_records 0", "group_lag_records 0")
}
