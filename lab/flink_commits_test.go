//go:build e2e

package lab_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"truelag/lab"
)

// Without checkpoints, without a group, or where it is told not to, a source commits nothing; its consumer may, by the
// clock, and then past markers.
func TestFlinkCommitsOff(t *testing.T) {
	t.Parallel()
	off := stage(t, "flink-off")
	off.transaction(t, 5, true)
	off.play(t, "kafka.commit.offsets.on.checkpoint=false")
	unchecked, auto := off.other("flink-off-unchecked"), off.other("flink-off-auto")
	unchecked.play(t, "checkpoint=off")
	auto.play(t, "checkpoint=off", "kafka.enable.auto.commit=true", "kafka.auto.commit.interval.ms=500")

	auto.await(t, facts{B: 6, C: none, U: 4})
	if epoch := auto.commit(t).LeaderEpoch; epoch < 0 {
		t.Errorf("the consumer's commit has the leader epoch %d", epoch)
	}
	// Of a commit that moves, and of a record that is emitted, the exporter knows only if it has looked before.
	off.want(t, "flink_emitted_offset 4")
	auto.wantBy(t, byREST, "flink_emitted_offset 4", "group_committed_offset 6")
	off.write(t, 1) // polls return: commits that wait would be sent
	off.job.AwaitCheckpoints(t, 2)
	off.write(t, 1)
	for _, s := range []*scene{off, unchecked} {
		s.await(t, facts{B: none, C: none, U: 7})
		for _, w := range ways {
			if _, source := s.say(t, w); source.Succeeded != 0 || source.Failed != 0 {
				t.Errorf("job %s by %s: %+v, want no commits", s.job.Name, w.of, source)
			}
		}
	}
	off.capture(t, "commits-off")
	unchecked.capture(t, "checkpoints-off")
	auto.capture(t, "auto-commit")
	if n := unchecked.job.Checkpoints(t); n != 0 {
		t.Errorf("%d checkpoints without checkpoints", n)
	}
	unchecked.wantBy(t, byREST, condition("checkpoints_off"), not(condition("auto_commit")))
	auto.wantBy(t, byREST, condition("checkpoints_off"), condition("auto_commit"))
	for _, s := range []*scene{off, unchecked, auto} {
		s.want(t, agreement("unknown"), "flink_emitted_offset 7")
	}
	off.want(t, condition("commits_off"), not(condition("not_committing")))
}

// A commit that somebody rewinds stays until the next one that the job can send, and Flink does not notice.
func TestFlinkCommitRewound(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-rewound")
	s.write(t, 5)
	s.play(t, onlyWhenAsked)
	s.awaitEmitted(t, 4)
	s.job.Checkpoint(t)
	s.await(t, facts{B: 5, C: 5, U: 4})
	s.want(t, agreement("match"))

	s.c.CommitOffset(t, s.group, s.topic, 0, 2)
	s.await(t, facts{B: 2, C: 5, U: 4})
	s.want(t, condition("offsets_reset"), "flink_commit_difference_offsets -3", "flink_replay_records 3", "flink_skip_records 0")

	s.write(t, 1)
	s.awaitEmitted(t, 5)
	s.await(t, facts{B: 2, C: 5, U: 5})
	s.job.Checkpoint(t)
	s.write(t, 1)
	s.await(t, facts{B: 6, C: 6, U: 6})
	s.want(t, agreement("match"), "flink_replay_records 1", not(condition("another_writer")))
}

// Two jobs with one group overwrite each other's commits. Each believes that all is well.
func TestFlinkTwoJobs(t *testing.T) {
	t.Parallel()
	fast := stage(t, "flink-shared-group")
	slow := fast.other(fast.group)
	fast.disputed, slow.disputed = true, true
	defer feed(t, fast)()
	fast.play(t)
	// Who polls sees only the commits that stand for a while: with one rhythm, one job's may always be replaced at once.
	slow.play(t, "name=flink-shared-group-2", "sleep=500", "kafka.max.poll.records=1", "checkpoint=1300")
	before, rewinds := int64(none), 0
	lab.Await(t, func() error {
		b := fast.commit(t).At
		if b < before {
			rewinds++
		}
		if before = b; rewinds < 3 {
			return fmt.Errorf("%d rewinds, the last commit %d", rewinds, b)
		}
		return nil
	})
	for _, s := range []*scene{fast, slow} {
		since := s.job.Source(t)
		lab.Await(t, func() error { // while a coordinator begins some fail
			source := s.job.Source(t)
			if source.Failed != since.Failed || source.Succeeded < since.Succeeded {
				since = source
			}
			if source.Succeeded < since.Succeeded+3 {
				return fmt.Errorf("job %s: %+v, want three more commits than %+v, and none to fail", s.job.Name, source, since)
			}
			return nil
		})
		s.want(t, condition("another_writer"), not(condition("commits_failing")))
	}
}

// feed writes a record every 20 ms until it is told to end.
func feed(t *testing.T, s *scene) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	p := s.c.Producer(t, lab.ProducerOptions{})
	go func() {
		defer close(ended)
		for tick := time.Tick(20 * time.Millisecond); ctx.Err() == nil; <-tick {
			p.Batch(t, s.topic, 0, lab.Records(1)...)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// A member that subscribes in Flink's group keeps it from committing for as long as it stays.
func TestFlinkMemberInTheGroup(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-member")
	s.write(t, 5)
	s.play(t)
	s.await(t, facts{B: 5, C: 5, U: 4})
	member := s.c.Member(t, "classic", s.group, s.topic, 0)
	failed := s.job.Source(t).Failed
	s.write(t, 5)
	s.awaitCounters(t, 1, failed+1)
	s.await(t, facts{B: 5, C: 5, U: 9})
	s.capture(t, "member")
	s.want(t, condition("member_in_group"), condition("commits_failing"), agreement("match"), "flink_replay_records 5")
	member.Close()
	member.Wait(t)
	s.write(t, 5)
	s.await(t, facts{B: 15, C: 15, U: 14})
	s.want(t, not(condition("member_in_group")), not(condition("commits_failing")), agreement("match"), "flink_replay_records 0")
	if epoch := s.commit(t).LeaderEpoch; epoch != -1 {
		t.Errorf("Flink's commit has the leader epoch %d, want none", epoch)
	}
}
