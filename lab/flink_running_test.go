//go:build e2e

package lab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"truelag/lab"
)

// scrapes is how often a running job is looked at, as fast as that goes. On a slow machine it is seldomer, but for a while.
const (
	scrapes       = 200
	fewestScrapes = 20
	watching      = time.Minute
)

// watch scrapes over and over, by each interface. Every scrape agrees, or says that the job has not said anything yet where
// that may be, or that Flink has not answered; none finds a commit of something that the job has not emitted.
func (s *scene) watch(t *testing.T, allowed ...string) {
	t.Helper()
	allowed = append(allowed, agreement("match"))
	began := time.Now()
	for n := 0; n < fewestScrapes || n < scrapes && time.Since(began) < watching; n++ {
		for _, w := range s.ways() {
			got := s.exported(t, w)
			allowed := allowed
			if slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "flink_up{") && strings.HasSuffix(s, " 0") }) {
				allowed = append(slices.Clone(allowed), agreement("unknown"))
			}
			agrees := slices.ContainsFunc(allowed, func(a string) bool { return slices.Contains(got, a) })
			lost := slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "flink_skip_records ") && !strings.HasSuffix(s, " 0") })
			if !agrees || lost {
				t.Fatalf("job %s, by %s:\n%s", s.job.Name, w.of, strings.Join(flinkSamples(got), "\n"))
			}
		}
	}
}

// A job that runs and commits is not doubted for one moment.
func TestFlinkRunning(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-running")
	s.infer = true
	defer feed(t, s)()
	s.play(t)
	s.want(t, `flink_source_info{how="inferred"} 1`, agreement("match"))
	s.watch(t)
}

// Where records are emitted slowly the queue is full, and commits wait for a poll that waits for the queue: the job learns
// of a commit one poll after the broker has it.
func TestFlinkBackpressured(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-slow")
	s.play(t, "sleep=20")
	s.await(t, facts{B: none, C: none, U: none})
	s.want(t, agreement("unknown")) // it has looked before the first commit: of what the group had before it looks, it cannot know
	for range 4 {
		s.write(t, 5000) // for more than six minutes
	}
	lab.Await(t, func() error {
		if got, _ := s.say(t, byReporter); got.B <= got.C {
			return fmt.Errorf("%+v, want a commit that the job has not learned of", got)
		}
		return nil
	})
	s.capture(t, "slow")
	s.watch(t, agreement("unknown"))
	s.want(t, agreement("match"))
	s.watch(t)
}

// An idle source sends its commits when its poll returns, ten seconds after it began.
func TestFlinkIdle(t *testing.T) {
	t.Parallel()
	s := stage(t, "flink-idle")
	s.write(t, 5)
	s.play(t)
	s.await(t, facts{B: 5, C: 5, U: 4})
	s.want(t, agreement("match"))
	s.write(t, 1)
	s.watch(t)
	s.await(t, facts{B: 6, C: 6, U: 5})
}
