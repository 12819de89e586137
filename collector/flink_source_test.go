package collector

import (
	"slices"
	"testing"
	"time"
)

// said is one moment of a job with one source, one instance and one partition. What is left out is as in a healthy job that
// makes a checkpoint each ten seconds; absent says that nothing is known.
type said struct {
	t       int // seconds since the beginning
	u, c, b int64
	ok      int64 // commits that succeeded
	failed  int64
	done    int64 // checkpoints
	broken  int64

	change func(*sourceEvidence, *partitionEvidence)
}

var simBegin = time.Unix(1_000_000, 0)

func second(t int) time.Time { return simBegin.Add(time.Duration(t) * time.Second) }

func (s *said) evidence() *sourceEvidence {
	running := true
	e := &sourceEvidence{
		At: second(s.t), State: "RUNNING", Started: simBegin.Add(-time.Hour), Running: &running,
		Interval: 10 * time.Second, Completed: s.done, Failed: s.broken, LastCompleted: second(s.t),
		Heard: second(s.t), Subtasks: []subtaskEvidence{{Index: 0, Attempt: notTold, Succeeded: s.ok, Failed: s.failed}},
		Members: 0,
	}
	p := partitionEvidence{
		partitionKey: partitionKey{"t", 0}, Emitted: s.u, Committed: s.c, Broker: s.b, LeaderEpoch: -1, Agreement: Match,
		LogStart: 0, LastStable: 10_000, HighWatermark: 10_000,
		Uncommitted: max(s.u+1-s.b, 0), Tail: 10_000, Unread: 10_000, PastEmitted: notCounted, PastMetric: notCounted, Skipped: 0,
	}
	if s.change != nil {
		s.change(e, &p)
	}
	e.Partitions = []partitionEvidence{p}
	return e
}

// tail says where the last stable offset and the high watermark are, and that no record lies behind the commit.
func tail(stable, high int64) func(*sourceEvidence, *partitionEvidence) {
	return func(_ *sourceEvidence, p *partitionEvidence) {
		p.LastStable, p.HighWatermark, p.Tail, p.Unread, p.Uncommitted = stable, high, 0, 0, 0
	}
}

func unchecked(_ *sourceEvidence, p *partitionEvidence) { p.Tail, p.Unread, p.Uncommitted = -1, -1, -1 }

// watched is what holds after the last moment.
func watched(moments []said) (conditions []Condition, fixed bool) {
	var w sourceWatch
	var got conditionSet
	for i := range moments {
		got = w.observe(moments[i].evidence())
	}
	return got.list(), w.fixed
}

// disputed are looks, one a second, at a group to which two jobs commit in turn. What Flink says is made anew each ten seconds, and is
// three seconds old when it is first told.
func disputed(looks int64) (all []said) {
	for t := range looks {
		made := t - t%10
		all = append(all, said{
			t: int(t), u: 310 + made, c: 300 + made, b: []int64{300 + t, 17 + t}[t%2], ok: 30 + made, done: 31 + made,
			change: func(e *sourceEvidence, _ *partitionEvidence) { e.Heard = second(int(made) - 3) },
		})
	}
	return all
}

// Each row of docs/flink-conditions.md, as numbers: what holds after the last moment.
func TestConditionsTellFaultsApart(t *testing.T) {
	off := func(e *sourceEvidence, _ *partitionEvidence) {
		e.Interval, e.Completed, e.LastCompleted = 0, 0, time.Time{}
	}
	for _, tc := range []struct {
		name  string
		said  []said
		want  []Condition
		fixed bool
	}{
		{name: "all well", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 4, done: 5}, {t: 15, u: 129, c: 120, b: 120, ok: 5, done: 6},
			{t: 30, u: 149, c: 130, b: 140, ok: 7, done: 8}, {t: 45, u: 169, c: 160, b: 160, ok: 8, done: 9},
		}},
		{name: "FLINK-33484: stops before markers", said: []said{
			{t: 0, u: 4, c: 5, b: 5, ok: 4, done: 5, change: tail(6, 6)}, {t: 15, u: 4, c: 5, b: 5, ok: 5, done: 6, change: tail(6, 6)},
			{t: 30, u: 4, c: 5, b: 5, ok: 6, done: 8, change: tail(6, 6)},
		}, want: []Condition{MarkersUncommitted}},
		{name: "a commit before markers that may still move on", said: []said{
			{t: 0, u: 4, c: 5, b: 5, ok: 4, done: 5, change: tail(6, 6)}, {t: 15, u: 4, c: 5, b: 5, ok: 5, done: 6, change: tail(6, 6)},
		}},
		{name: "first attempt at the fix: the metric is a marker short", said: []said{
			{t: 0, u: 4, c: 5, b: 6, ok: 4, done: 5, change: func(_ *sourceEvidence, p *partitionEvidence) {
				tail(6, 6)(nil, p)
				p.Agreement, p.PastMetric = BrokerAhead, 0
			}},
		}, want: []Condition{MetricBelowCommit}},
		{name: "the broker is ahead by records", said: []said{
			{t: 0, u: 4, c: 5, b: 9, ok: 4, done: 5, change: func(_ *sourceEvidence, p *partitionEvidence) { p.Agreement, p.PastMetric = BrokerAhead, 3 }},
		}},
		{name: "the fix", said: []said{
			{t: 0, u: 4, c: 6, b: 6, ok: 4, done: 5, change: func(_ *sourceEvidence, p *partitionEvidence) { tail(6, 6)(nil, p); p.PastEmitted = 0 }},
			{t: 15, u: 7, c: 8, b: 8, ok: 5, done: 6},
		}, fixed: true},
		{name: "committed past records is no fix", said: []said{
			{t: 0, u: 4, c: 7, b: 7, ok: 4, done: 5, change: func(_ *sourceEvidence, p *partitionEvidence) { p.PastEmitted = 1 }},
		}},
		{name: "committed and nothing emitted proves no fix", said: []said{
			{t: 0, u: -1, c: 7, b: 7, ok: 4, done: 5, change: func(_ *sourceEvidence, p *partitionEvidence) { p.PastEmitted = 0 }},
		}},
		{name: "aborted records alone, from latest", said: []said{
			{t: 0, u: -1, c: 0, b: 0, ok: 4, done: 5, change: tail(7, 7)}, {t: 30, u: -1, c: 0, b: 0, ok: 7, done: 8, change: tail(7, 7)},
		}, want: []Condition{MarkersUncommitted, NothingEmitted}},
		{name: "aborted records alone, from earliest", said: []said{
			{t: 0, u: -1, c: -1, b: noCommit, done: 5, change: tail(7, 7)}, {t: 300, u: -1, c: -1, b: noCommit, done: 35, change: tail(7, 7)},
		}, want: []Condition{NothingEmitted}},
		{name: "restored with nothing new to read", said: []said{
			{t: 0, u: -1, c: 7, b: 7, ok: 2, done: 2, change: tail(7, 7)}, {t: 300, u: -1, c: 7, b: 7, ok: 32, done: 32, change: tail(7, 7)},
		}},
		{name: "FLINK-36532: stopped with a savepoint", said: []said{
			{t: 0, u: 16, c: 10, b: 10, ok: 2, done: 2, change: func(e *sourceEvidence, _ *partitionEvidence) { e.State = "FINISHED" }},
		}, want: []Condition{EndedUncommitted}},
		{name: "cancelled", said: []said{
			{t: 0, u: 16, c: 10, b: 10, ok: 2, done: 2, change: func(e *sourceEvidence, _ *partitionEvidence) { e.State = "CANCELED" }},
		}, want: []Condition{EndedUncommitted}},
		{name: "a bounded job whose last commit was lost", said: []said{
			{t: 0, u: 99, c: -1, b: noCommit, done: 1, change: func(e *sourceEvidence, p *partitionEvidence) { e.State, p.Uncommitted = "FINISHED", 100 }},
		}, want: []Condition{EndedUncommitted}},
		{name: "ended, and all is committed", said: []said{
			{t: 0, u: 99, c: 90, b: 100, done: 1, change: func(e *sourceEvidence, p *partitionEvidence) { e.State, p.Uncommitted = "FINISHED", 0 }},
		}},
		{name: "ended, and nobody knows what is committed", said: []said{
			{t: 0, u: 99, c: 90, b: notRead, done: 1, change: func(e *sourceEvidence, p *partitionEvidence) { e.State = "FINISHED"; unchecked(e, p) }},
		}},
		{name: "FLINK-28060: commits are refused for ever", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: 90, ok: 9, failed: 1, done: 11},
			{t: 30, u: 140, c: 90, b: 90, ok: 9, failed: 2, done: 12}, {t: 160, u: 300, c: 90, b: 90, ok: 9, failed: 12, done: 25},
		}, want: []Condition{NotCommitting, CommitsFailing}},
		{name: "FLINK-28060: no answer at all", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: 90, ok: 9, done: 11},
			{t: 30, u: 140, c: 90, b: 90, ok: 9, done: 12}, {t: 150, u: 300, c: 90, b: 90, ok: 9, done: 25},
		}, want: []Condition{NotCommitting}},
		{name: "the broker is down for a while", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: notRead, ok: 9, failed: 10, done: 11, change: unchecked},
		}, want: []Condition{CommitsFailing}},
		{name: "the broker is back", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: notRead, ok: 9, failed: 10, done: 11, change: unchecked},
			{t: 40, u: 150, c: 145, b: 145, ok: 10, failed: 10, done: 14},
		}},
		{name: "no group, or commits turned off", said: []said{
			{t: 0, u: 9, c: -1, b: noCommit, done: 1}, {t: 15, u: 20, c: -1, b: noCommit, done: 2}, {t: 30, u: 30, c: -1, b: noCommit, done: 4},
			{t: 150, u: 200, c: -1, b: noCommit, done: 16},
		}, want: []Condition{CommitsOff}},
		{name: "the first commit of a job waits behind backpressure", said: []said{
			{t: 0, u: 9, c: -1, b: noCommit, done: 1}, {t: 15, u: 20, c: -1, b: noCommit, done: 12}, {t: 25, u: 30, c: -1, b: noCommit, done: 24},
			{t: 30, u: 40, c: -1, b: noCommit, done: 29},
		}, want: []Condition{CommitsWaiting}},
		{name: "it committed before it was started anew, and does no more", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: -1, c: -1, b: 90, done: 10}, {t: 30, u: 110, c: -1, b: 90, done: 11},
			{t: 45, u: 120, c: -1, b: 90, done: 13}, {t: 60, u: 130, c: -1, b: 90, done: 14}, {t: 200, u: 300, c: -1, b: 90, done: 30},
		}, want: []Condition{NotCommitting}},
		{name: "checkpoints are off", said: []said{
			{t: 0, u: 9, c: -1, b: noCommit, change: off}, {t: 300, u: 50, c: -1, b: noCommit, change: off},
		}, want: []Condition{CheckpointsOff}},
		{name: "checkpoints are off, and the consumer commits", said: []said{
			{t: 0, u: 4, c: -1, b: noCommit, change: off},
			{t: 15, u: 4, c: -1, b: 6, change: func(e *sourceEvidence, p *partitionEvidence) { off(e, p); p.LeaderEpoch = 0 }},
			{t: 30, u: 4, c: -1, b: 6, change: func(e *sourceEvidence, p *partitionEvidence) { off(e, p); p.LeaderEpoch = 0 }},
		}, want: []Condition{AutoCommit, CheckpointsOff}},
		{name: "checkpoints are off, and an old consumer's commits stand", said: []said{
			{t: 0, u: 4, c: -1, b: 6, change: func(e *sourceEvidence, p *partitionEvidence) { off(e, p); p.LeaderEpoch = 0 }},
			{t: 30, u: 9, c: -1, b: 6, change: func(e *sourceEvidence, p *partitionEvidence) { off(e, p); p.LeaderEpoch = 0 }},
		}, want: []Condition{CheckpointsOff}},
		{name: "nobody tells of checkpoints", said: []said{
			{t: 0, u: 9, c: -1, b: noCommit, done: notTold, broken: notTold, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Interval = notTold }},
			{t: 300, u: 90, c: -1, b: noCommit, done: notTold, broken: notTold, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Interval = notTold }},
		}},
		{name: "checkpoints fail", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: 90, ok: 9, done: 10, broken: 1},
			{t: 30, u: 140, c: 90, b: 90, ok: 9, done: 10, broken: 1},
		}, want: []Condition{CheckpointsFailing}},
		{name: "checkpoints complete again", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: 90, ok: 9, done: 10, broken: 1},
			{t: 30, u: 140, c: 139, b: 139, ok: 10, done: 11, broken: 1},
		}},
		{name: "checkpoints take too long", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10},
			{t: 140, u: 120, c: 90, b: 90, ok: 9, done: 10, change: func(e *sourceEvidence, _ *partitionEvidence) { e.LastCompleted = second(0) }},
		}, want: []Condition{CheckpointsFailing}},
		{name: "two jobs on one group", said: []said{
			{t: 0, u: 310, c: 300, b: 300, ok: 30, done: 31}, {t: 15, u: 318, c: 305, b: 17, ok: 45, done: 46},
			{t: 30, u: 330, c: 314, b: 314, ok: 60, done: 61}, {t: 45, u: 334, c: 320, b: 27, ok: 75, done: 76},
			{t: 60, u: 340, c: 336, b: 336, ok: 90, done: 91},
		}, want: []Condition{AnotherWriter}},
		{name: "two jobs on one group, looked at more often than Flink's numbers are made anew", said: disputed(40), want: []Condition{AnotherWriter}},
		{name: "commits of a consumer that tells leader epochs", said: []said{
			{t: 0, u: 310, c: 300, b: 305, ok: 30, done: 31, change: func(_ *sourceEvidence, p *partitionEvidence) { p.LeaderEpoch = 2 }},
			{t: 15, u: 320, c: 315, b: 318, ok: 31, done: 32, change: func(_ *sourceEvidence, p *partitionEvidence) { p.LeaderEpoch = 2 }},
		}, want: []Condition{AnotherWriter}},
		{name: "rewinds that only a follower sees", said: []said{
			{t: 0, u: 310, c: 300, b: 300, ok: 30, done: 31},
			{t: 15, u: 318, c: 305, b: 315, ok: 45, done: 46, change: func(_ *sourceEvidence, p *partitionEvidence) { p.Rewound = second(11) }},
			{t: 30, u: 330, c: 314, b: 324, ok: 60, done: 61, change: func(_ *sourceEvidence, p *partitionEvidence) { p.Rewound = second(26) }},
			{t: 45, u: 340, c: 334, b: 334, ok: 90, done: 91, change: func(_ *sourceEvidence, p *partitionEvidence) { p.Rewound = second(26) }},
		}, want: []Condition{AnotherWriter}},
		{name: "offsets reset by hand, back", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 9, done: 10}, {t: 5, u: 103, c: 100, b: 2, ok: 9, done: 10},
			{t: 20, u: 120, c: 110, b: 110, ok: 11, done: 12}, {t: 35, u: 130, c: 125, b: 125, ok: 12, done: 13},
		}, want: []Condition{OffsetsReset}},
		{name: "offsets reset by hand, which a follower counts one reading later", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 9, done: 10}, {t: 5, u: 103, c: 100, b: 2, ok: 9, done: 10},
			{t: 10, u: 103, c: 100, b: 2, ok: 9, done: 10, change: func(_ *sourceEvidence, p *partitionEvidence) { p.Rewound = second(10) }},
			{t: 15, u: 103, c: 100, b: 2, ok: 9, done: 10, change: func(_ *sourceEvidence, p *partitionEvidence) { p.Rewound = second(10) }},
		}, want: []Condition{OffsetsReset}},
		{name: "offsets reset by hand, forward", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 9, done: 10}, {t: 5, u: 103, c: 100, b: 900, ok: 9, done: 10},
			{t: 9, u: 109, c: 100, b: 900, ok: 9, done: 10, change: func(_ *sourceEvidence, p *partitionEvidence) { p.Skipped = 790 }},
			{t: 20, u: 120, c: 110, b: 110, ok: 11, done: 12}, {t: 35, u: 130, c: 125, b: 125, ok: 12, done: 13},
		}, want: []Condition{OffsetsReset}},
		{name: "a reset of long ago", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 9, done: 10}, {t: 5, u: 103, c: 100, b: 2, ok: 9, done: 10},
			{t: 20, u: 120, c: 110, b: 110, ok: 11, done: 12}, {t: 50, u: 150, c: 140, b: 140, ok: 14, done: 15},
			{t: 350, u: 430, c: 425, b: 425, ok: 44, done: 45}, {t: 650, u: 730, c: 725, b: 725, ok: 74, done: 75},
			{t: 950, u: 1030, c: 1025, b: 1025, ok: 104, done: 105},
		}},
		{name: "a subscribed consumer in the group", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10},
			{t: 15, u: 120, c: 90, b: 90, ok: 9, failed: 1, done: 11, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Members = 1 }},
		}, want: []Condition{CommitsFailing, MemberInGroup}},
		{name: "that consumer has left", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10},
			{t: 15, u: 120, c: 90, b: 90, ok: 9, failed: 1, done: 11, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Members = 1 }},
			{t: 30, u: 130, c: 125, b: 125, ok: 10, failed: 1, done: 13},
		}},
		{name: "restored from an older savepoint", said: []said{
			{t: 0, u: 95, c: 89, b: 89, ok: 40, done: 41}, {t: 15, u: -1, c: -1, b: 89, done: 0},
			{t: 30, u: 50, c: 45, b: 45, ok: 1, done: 2, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Restored = second(8) }},
		}, want: []Condition{RestoredOlder}},
		{name: "restored from an older savepoint in a new job", said: []said{
			{t: 0, u: -1, c: -1, b: 89, done: 0, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Restored = second(-3) }},
			{t: 15, u: 50, c: -1, b: 89, done: 1, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Restored = second(-3) }},
		}, want: []Condition{RestoredOlder}},
		{name: "restored from an older savepoint, seen by a follower", said: []said{
			{t: 0, u: 91, c: 45, b: 90, ok: 3, done: 3, change: func(e *sourceEvidence, p *partitionEvidence) {
				e.Restored, p.Rewound = second(-20), second(-8)
			}},
		}, want: []Condition{RestoredOlder}},
		{name: "restored from an older savepoint and caught up long ago", said: []said{
			{t: 0, u: 95, c: 89, b: 89, ok: 40, done: 41}, {t: 15, u: -1, c: -1, b: 89, done: 0},
			{t: 30, u: 50, c: 45, b: 45, ok: 1, done: 2, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Restored = second(8) }},
			{t: 45, u: 150, c: 145, b: 145, ok: 3, done: 4, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Restored = second(8) }},
			{t: 260, u: 350, c: 345, b: 345, ok: 23, done: 24, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Restored = second(8) }},
		}},
		{name: "restored from the last checkpoint", said: []said{
			{t: 0, u: 95, c: 89, b: 89, ok: 40, done: 41}, {t: 15, u: -1, c: -1, b: 89, done: 41},
			{t: 30, u: 103, c: 92, b: 92, ok: 1, done: 43, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Restored = second(8) }},
		}},
		{name: "an idle source whose commit waits for the poll", said: []said{
			{t: 0, u: 4, c: 5, b: 5, ok: 9, done: 10}, {t: 2, u: 5, c: 5, b: 5, ok: 9, done: 12}, {t: 4, u: 5, c: 5, b: 5, ok: 9, done: 14},
			{t: 6, u: 5, c: 5, b: 5, ok: 9, done: 16},
		}, want: []Condition{CommitsWaiting}},
		{name: "slow emission behind a full queue", said: []said{
			{t: 0, u: 99, c: 50, b: 100, ok: 9, done: 10}, {t: 5, u: 300, c: 50, b: 100, ok: 9, done: 15}, {t: 10, u: 500, c: 50, b: 100, ok: 9, done: 20},
			{t: 25, u: 1200, c: 50, b: 100, ok: 9, done: 35},
		}, want: []Condition{CommitsWaiting}},
		{name: "and its commits have come", said: []said{
			{t: 0, u: 99, c: 50, b: 100, ok: 9, done: 10}, {t: 5, u: 300, c: 50, b: 100, ok: 9, done: 15}, {t: 10, u: 500, c: 50, b: 100, ok: 9, done: 20},
			{t: 25, u: 1200, c: 50, b: 100, ok: 9, done: 35}, {t: 30, u: 1300, c: 100, b: 1140, ok: 31, done: 40},
		}},
		{name: "a commit each ten minutes", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 9}, {t: 300, u: 400, c: 90, b: 90, ok: 9, done: 9}, {t: 600, u: 700, c: 650, b: 650, ok: 10, done: 10},
			{t: 900, u: 1000, c: 650, b: 650, ok: 10, done: 10},
		}},
		{name: "a task manager is lost", said: []said{
			{t: 0, u: 95, c: 89, b: 89, ok: 40, done: 41},
			{t: 15, u: 95, c: 89, b: 89, ok: 40, done: 41, change: func(e *sourceEvidence, _ *partitionEvidence) { *e.Running = false }},
		}, want: []Condition{SourceDown}},
		{name: "an open transaction of somebody's sink", said: []said{
			{t: 0, u: 4, c: 5, b: 5, ok: 9, done: 10, change: tail(5, 60)}, {t: 150, u: 4, c: 5, b: 5, ok: 24, done: 25, change: tail(5, 90)},
		}, want: []Condition{HeldBack}},
		{name: "open transactions that end", said: []said{
			{t: 0, u: 4, c: 5, b: 5, ok: 9, done: 10, change: tail(5, 60)}, {t: 150, u: 59, c: 60, b: 60, ok: 24, done: 25, change: tail(60, 90)},
		}},
		{name: "a source that reads uncommitted records", said: []said{
			{t: 0, u: 59, c: 60, b: 60, ok: 9, done: 10, change: tail(5, 60)}, {t: 150, u: 89, c: 90, b: 90, ok: 24, done: 25, change: tail(5, 90)},
		}},
		{name: "restored after somebody's commit, by a JobManager whose clock is an hour behind", said: []said{
			{t: 0, u: 95, c: 90, b: 90, ok: 9, done: 10, change: func(_ *sourceEvidence, p *partitionEvidence) { p.LeaderEpoch = 3 }},
			{t: 15, u: 100, c: 90, b: 90, done: 11, change: func(e *sourceEvidence, p *partitionEvidence) {
				e.Ahead = -time.Hour
				e.Restored, p.Rewound = second(10).Add(e.Ahead), second(12)
			}},
		}, want: []Condition{OffsetsReset, RestoredOlder}},
		{name: "a commit beyond the end of the log", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 9, done: 10, change: tail(20, 20)},
		}, want: []Condition{OutsideLog}},
		{name: "a commit below the start of the log", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 9, done: 10, change: func(_ *sourceEvidence, p *partitionEvidence) { p.LogStart = 500 }},
		}, want: []Condition{OutsideLog}},
		{name: "offsets that expired", said: []said{
			{t: 0, u: 99, c: 100, b: 100, ok: 9, done: 10}, {t: 15, u: 99, c: 100, b: noCommit, ok: 9, done: 10},
		}, want: []Condition{OffsetsGone}},
		{name: "a topic that was made anew", said: []said{
			{t: 0, u: 900, c: 890, b: 890, ok: 9, done: 10}, {t: 15, u: 901, c: 895, b: 3, ok: 10, done: 11, change: func(_ *sourceEvidence, p *partitionEvidence) {
				p.LastStable, p.HighWatermark = 40, 40
			}},
			{t: 30, u: 902, c: 895, b: 5, ok: 11, done: 12, change: func(_ *sourceEvidence, p *partitionEvidence) { p.LastStable, p.HighWatermark = 50, 50 }},
		}},
		{name: "an older answer of another interface", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: 90, ok: 9, failed: 1, done: 12},
			{t: 20, u: 100, c: 90, b: 90, ok: 9, done: 12, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Heard = second(5) }},
		}, want: []Condition{CommitsFailing}},
		{name: "a checkpoint has just been completed", said: []said{
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: 90, ok: 9, done: 10}, {t: 30, u: 140, c: 90, b: 90, ok: 9, done: 11},
		}},
		{name: "a lower commit of an attempt that is not heard of yet", said: []said{
			{t: 0, u: 95, c: 89, b: 89, ok: 40, done: 41},
			{t: 15, u: 95, c: 89, b: 45, ok: 40, done: 41, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Heard = second(10) }},
			{t: 18, u: 95, c: 89, b: 46, ok: 40, done: 41, change: func(e *sourceEvidence, _ *partitionEvidence) { e.Heard = second(11) }},
			{t: 30, u: 50, c: 46, b: 46, ok: 2, done: 2},
		}},
		{name: "nothing is known", said: []said{{t: 0, u: -1, c: -1, b: notRead, ok: notTold, failed: notTold, done: notTold, broken: notTold,
			change: func(e *sourceEvidence, p *partitionEvidence) {
				*e = sourceEvidence{At: e.At, Interval: notTold, Completed: notTold, Failed: notTold, Members: notTold}
				p.LogStart, p.LastStable, p.HighWatermark = notTold, notTold, notTold
				unchecked(e, p)
			}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, fixed := watched(tc.said)
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			if fixed != tc.fixed {
				t.Errorf("fixed: %v", fixed)
			}
		})
	}
}
