package collector

import (
	"testing"
	"time"
)

// Two interfaces tell of a source, each up to a moment that it does not know well. What the one says that comes later may be
// older, and is no new attempt.
func TestAnOlderAnswerIsNoNewAttempt(t *testing.T) {
	at := func(seconds float64) time.Time {
		return time.Unix(1_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
	}
	for _, attempt := range []int64{-1, 0} {
		var line CommitLine
		for i, step := range []struct {
			at, after, before         float64
			broker, committed, counts int64
			want                      Agreement
		}{
			{10, 9.5, 10, 5, 5, 5, Match},
			{12, 8, 12, 10, 8, 8, Match},
			{13, 9, 12.5, 10, 7, 7, Match}, // else nothing is known of what the group had before
			{14, 6, 7, 10, 2, 2, Match},
			{15, 14, 14.5, 10, 9, 9, Match},
			{30, 25, 26, 10, 5, 1, Pending}, // a new one
		} {
			got := line.Observe(CommitSample{
				At: at(step.at), Known: true, Broker: step.broker, After: at(step.after), Before: at(step.before),
				Committed: step.committed, Emitted: 10, Commits: step.counts, Attempt: attempt,
			})
			if got.Agreement != step.want {
				t.Errorf("attempt %d, step %d: %v, want %v", attempt, i, got.Agreement, step.want)
			}
		}
	}
}

func TestAnOlderAnswerChangesNoCondition(t *testing.T) {
	var watch sourceWatch
	tell := func(heard, by int, succeeded int64) {
		s := said{t: 20, u: 9, c: 9, b: 10, ok: succeeded, done: 5}
		e := s.evidence()
		e.Heard, e.HeardBy = second(heard), second(by)
		watch.observe(e)
	}
	tell(10, 14, 8)
	tell(11, 13, 7)
	if sub := watch.subtasks[0]; sub.attempts != 0 || sub.last.Succeeded != 8 {
		t.Errorf("an older answer: %+v", sub)
	}
	tell(14, 15, 1)
	if sub := watch.subtasks[0]; sub.attempts != 1 || sub.last.Succeeded != 1 {
		t.Errorf("a new attempt: %+v", sub)
	}
}
