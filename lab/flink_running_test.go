//go:build e2e

package lab_test

import (
	"fmt"
	"testing"

	"truelag/lab"
)

// scrapes is how often a running job is looked at, as fast as that goes.
const scrapes = 200

// watch looks at a running job over and over. What it knows to be committed is never beyond what the broker has next, and
// what the broker had before is never beyond what it has emitted.
func (s *scene) watch(t *testing.T) {
	t.Helper()
	for range scrapes {
		before := s.commit(t).At
		got, _ := s.say(t, byReporter)
		if got.C > got.B || got.U != none && before > got.U+1 {
			t.Errorf("job %s: %+v, and a commit of %d before", s.job.Name, got, before)
		}
	}
}

// A job that runs and commits is not doubted for one moment.
func TestFlinkRunning(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-running")
	defer feed(t, s)()
	s.play(t)
	s.awaitCounters(t, 2, 0)
	s.watch(t)
}

// Where records are emitted slowly the queue is full, and commits wait for a poll that waits for the queue: the job learns
// of a commit one poll after the broker has it.
func TestFlinkBackpressured(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-slow")
	s.write(t, 5000)
	s.play(t, "sleep=20")
	lab.Await(t, func() error {
		if got, _ := s.say(t, byReporter); got.B <= got.C {
			return fmt.Errorf("%+v, want a commit that the job has not learned of", got)
		}
		return nil
	})
	s.capture(t, "slow")
	s.watch(t)
	s.awaitCounters(t, 1, 0)
}

// An idle source sends its commits when its poll returns, ten seconds after it began.
func TestFlinkIdle(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-idle")
	s.write(t, 5)
	s.play(t)
	s.await(t, facts{B: 5, C: 5, U: 4})
	s.write(t, 1)
	s.watch(t)
	s.await(t, facts{B: 6, C: 6, U: 5})
}
