package flink

import (
	"testing"
	"time"
)

// What an attempt said last stays whole, whichever of its series is gone first: while its task ends, or once a Prometheus server forgets
// it. An attempt that begins tells anew that it has emitted and committed nothing.
func TestMemoryOfSeriesThatEnd(t *testing.T) {
	begun := time.Unix(1795980000, 0)
	partition := func(emitted, committed int64) Partition {
		return Partition{Topic: "orders", Emitted: emitted, Committed: committed}
	}
	noEmitted, noCommitted := partition(Unset, 10), partition(16, Unset)
	noEmitted.noEmitted, noCommitted.noCommitted = true, true
	counts := func(attempt, succeeded, failed int64) Subtask {
		return Subtask{Attempt: attempt, Succeeded: succeeded, Failed: failed}
	}
	for name, of := range map[string]struct {
		subtask       Subtask
		partition     Partition
		running       bool
		want          Partition
		wantSucceeded int64
	}{
		"all is there":                          {counts(1, 4, 0), partition(17, 11), true, partition(17, 11), 4},
		"what it has emitted ends first":        {counts(1, 4, 0), noEmitted, true, partition(16, 10), 4},
		"what it has committed ends first":      {counts(1, 4, 0), noCommitted, true, partition(16, 10), 4},
		"its counts end first":                  {counts(1, -1, -1), partition(16, 10), true, partition(16, 10), 3},
		"what it has emitted is forgotten":      {counts(1, 4, 0), noEmitted, false, partition(16, 10), 4},
		"what it has committed is":              {counts(1, -1, 0), noCommitted, false, partition(16, 10), 3},
		"an attempt of which no number is told": {counts(-1, -1, 0), noCommitted, false, partition(16, Unset), -1},
		"it was scheduled anew":                 {counts(1, 0, 0), partition(Unset, Unset), true, partition(Unset, Unset), 0},
		"an attempt that begins":                {counts(2, 0, 0), partition(Unset, 10), true, partition(Unset, 10), 0},
		"one of which not all is there yet":     {counts(2, -1, -1), noCommitted, true, partition(16, Unset), -1},
		"the end of one that was not heard":     {counts(2, 4, 0), noEmitted, false, partition(Unset, 10), 4},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(time.Hour)
			tell := func(after time.Duration, s Subtask, p Partition, running bool) {
				at := begun.Add(after)
				m.remember([]Job{{ID: "j", Heard: at, Sources: []Source{{Vertex: "v", Samples: []Sample{
					{Interface: Reporter, After: at, Before: at, Running: running, Subtasks: []Subtask{s}, Partitions: []Partition{p}},
				}}}}}, at)
			}
			check := func(when string) {
				t.Helper()
				all := m.all()
				if len(all) != 1 || len(all[0].Sources) != 1 || len(all[0].Sources[0].Samples) != 1 {
					t.Fatalf("%s %+v", when, all)
				}
				last := all[0].Sources[0].Samples[0]
				if len(last.Partitions) != 1 || last.Partitions[0] != of.want || len(last.Subtasks) != 1 || last.Subtasks[0].Succeeded != of.wantSucceeded {
					t.Errorf("%s %+v, want %+v and %d commits", when, last, of.want, of.wantSucceeded)
				}
			}
			tell(0, counts(1, 3, 0), partition(16, 10), true)
			tell(time.Second, of.subtask, of.partition, of.running)
			check("now it says")
			m.remember(nil, begun.Add(2*time.Second)) // the job is not told of any more
			check("last it has said")
		})
	}
}
