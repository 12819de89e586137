//go:build e2e

package lab_test

import "testing"

// A connector without the fix of FLINK-33484 commits what was emitted, never a marker: a quiet transactional topic keeps
// a raw lag for ever.
func TestFlinkQuietTransaction(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-quiet")
	s.transaction(t, 5, true)
	s.play(t)
	s.await(t, facts{B: 5, C: 5, U: 4})
	s.awaitEnds(t, 6, 6)
	s.capture(t, "quiet")
	s.want(t, "group_lag_offsets 1", "group_lag_records 0", agreement("match"), "flink_replay_records 0", "flink_skip_records 0",
		"flink_committed_offset 5", "flink_emitted_offset 4", "flink_commit_difference_offsets 0", condition("markers_uncommitted"))

	s.transaction(t, 1, true)
	s.await(t, facts{B: 7, C: 7, U: 6})
	s.transaction(t, 3, false)
	s.job.AwaitCheckpoints(t, 2)
	s.await(t, facts{B: 7, C: 7, U: 6})
	s.awaitEnds(t, 12, 12)
}

// Of a partition with nothing but an aborted transaction a source commits where it began, if that is an offset: from
// earliest on it commits nothing before the first record.
func TestFlinkAbortedOnly(t *testing.T) {
	t.Parallel()
	latest := stage(t, "flink-aborted")
	latest.transaction(t, 6, false)
	earliest := latest.other("flink-aborted-earliest")
	earliest.play(t)
	latest.play(t, "start=latest")
	latest.await(t, facts{B: 7, C: 7, U: none}) // as late as the other, which began before, would
	earliest.await(t, facts{B: none, C: none, U: none})
	earliest.awaitEnds(t, 7, 7)
	latest.want(t, "group_lag_offsets 0", agreement("match"), "flink_committed_offset 7", "flink_commit_difference_offsets 0")
	earliest.want(t, agreement("unknown"), condition("nothing_emitted"))
	latest.capture(t, "aborted-latest")
	earliest.capture(t, "aborted-earliest")

	uncommitted := latest.other("flink-aborted-uncommitted")
	uncommitted.play(t, "isolation=read_uncommitted")
	uncommitted.await(t, facts{B: 6, C: 6, U: 5})

	latest.write(t, 1)
	for _, s := range []*scene{latest, earliest, uncommitted} {
		s.await(t, facts{B: 8, C: 8, U: 7})
		s.want(t, "group_lag_records 0", agreement("match"), "flink_emitted_offset 7", "flink_replay_records 0", "flink_skip_records 0")
	}
}

// A bounded source whose end lies behind a marker ends; connectors before 3.2 did not (FLINK-34470). Its last commit may
// be lost.
func TestFlinkBoundedByAMarker(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-bounded")
	s.transaction(t, 5, true)
	s.awaitEnds(t, 6, 6)
	s.play(t, "stop=latest")
	s.job.AwaitState(t, "FINISHED")
	if b := s.commit(t).At; b == 0 || b > 5 { // fewer: a checkpoint came between two records, and its commit is the last that was not lost
		t.Errorf("the broker has the commit %d, want 5 or less, or none", b)
	}
	s.wantRead(t, 5)
	s.capture(t, "bounded")
	s.wantBy(t, byREST, `flink_job_state{state="FINISHED"} 1`)
}
