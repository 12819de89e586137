package collector

import "testing"

// What looks like a fault and is none, because counts and offsets are of another attempt, or were not there before.
func TestNoConditionFollowsFromAnotherAttempt(t *testing.T) {
	for name, moments := range map[string][]said{
		"a commit that was gone before the source was heard": {
			{t: 0, u: 99, c: 100, b: noCommit, ok: 9, done: 10},
		},
		"a checkpoint has failed and a later one has completed, between two readings": {
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 110, b: 110, ok: 10, done: 11, broken: 1},
		},
		"nothing emitted, said before the job was restored": {
			{t: 0, u: 5, c: 0, b: 0, ok: 1, done: 1},
			{t: 15, u: -1, c: 0, b: 0, ok: 1, done: 1, change: func(e *sourceEvidence, p *partitionEvidence) {
				tail(7, 7)(e, p)
				e.Restored, e.Heard = second(10), second(5)
			}},
		},
		"the counts of checkpoints began anew before a commit was due": {
			{t: 0, u: 99, c: 90, b: 90, ok: 9, done: 10}, {t: 15, u: 120, c: 90, b: 90, ok: 9, done: 10},
			{t: 30, u: 120, c: 90, b: 90, ok: 9, done: 2}, {t: 45, u: 120, c: 90, b: 90, ok: 9, done: 11},
			{t: 60, u: 120, c: 90, b: 90, ok: 9, done: 12},
		},
	} {
		if got, fixed := watched(moments); len(got) > 0 || fixed {
			t.Errorf("%s: %v, fixed %t", name, got, fixed)
		}
	}
}
