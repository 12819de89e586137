package collector

import (
	"testing"
	"time"
)

// evidence is what a sample shows, with the line that judges its commits.
func (j *simJob) evidence(s CommitSample, line *CommitLine) *sourceEvidence {
	judged := line.Observe(s)
	n := len(j.past) - 1
	for n > 0 && j.past[n].at.After(s.Before) {
		n--
	}
	e := &sourceEvidence{
		At: s.At, State: "RUNNING", Started: simBegin, Interval: j.interval, Completed: j.past[n].done, LastCompleted: s.At,
		Heard:    s.After,
		Subtasks: []subtaskEvidence{{Attempt: s.Attempt, Succeeded: s.Commits}},
	}
	e.Partitions = []partitionEvidence{{
		partitionKey: partitionKey{"t", 0}, Emitted: s.Emitted, Committed: s.Committed, Broker: s.Broker, LeaderEpoch: -1, Agreement: judged.Agreement,
		Rewound: j.rewound, LastStable: j.end, HighWatermark: j.end,
		Uncommitted: judged.Replay.Len(), Tail: j.end - max(s.Broker, 0), Unread: j.end - s.Emitted - 1,
		PastEmitted: max(s.Committed-s.Emitted-1, 0), PastMetric: max(s.Broker-s.Committed, 0), Skipped: judged.Skip.Len(),
	}}
	return e
}

// A source that does all right has none of the conditions that are faults; an older state is told as such, where one was
// restored.
func TestHealthySourceHasNoFault(t *testing.T) {
	var seen [conditions]int
	for seed := range uint64(60) {
		j := newSimJob(seed)
		j.stall = min(j.stall, 30*time.Second)
		every, oldest := 1+j.rnd.IntN(600), 1+j.rnd.IntN(150)
		var (
			line  CommitLine
			watch sourceWatch
			older bool
			told  = j.restored // as far as it is told
		)
		for step := range 9000 {
			j.step()
			switch j.rnd.IntN(6000) {
			case 0:
				j.restart(0)
			case 1: // as another job
				j.restart(0)
				line, watch, told = CommitLine{}, sourceWatch{}, j.restored
				j.past = j.past[len(j.past)-1:]
				j.past[0] = j.state
			case 2:
				j.restart(1 + j.rnd.IntN(20))
				older = true
			}
			if seed%3 == 0 || seed%3 == 1 && j.now.Sub(j.restored) > 20*time.Second {
				told = j.restored
			}
			if j.rnd.IntN(every) != 0 {
				continue
			}
			s := j.sample(time.Duration(j.rnd.IntN(oldest)) * 100 * time.Millisecond)
			if seed%3 == 0 { // then the time of the restore tells attempts apart
				s.Attempt = notTold
			}
			e := j.evidence(s, &line)
			e.Restored = told
			for _, c := range watch.observe(e).list() {
				seen[c]++
				switch {
				case c == CommitsWaiting, c == NothingEmitted, c == RestoredOlder && older:
				default:
					t.Fatalf("seed %d step %d: %v, %+v", seed, step, c, s)
				}
			}
			if watch.fixed {
				t.Fatalf("seed %d step %d: the fix is in, %+v", seed, step, s)
			}
		}
	}
	t.Log(seen)
	if seen[CommitsWaiting] == 0 || seen[RestoredOlder] == 0 {
		t.Errorf("nothing was told: %v", seen)
	}
}
