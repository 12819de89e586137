package collector

import (
	"fmt"
	"testing"
	"time"
)

// A source that does all right is never said to disagree with the broker, nor to leave records out, whenever it is looked
// at and however old what it says is: through late polls and acknowledgements, bursts, failures and older savepoints.
func TestHealthySourceIsNeverAccused(t *testing.T) {
	for _, way := range []string{"polled", "followed", "followed late"} {
		t.Run(way, func(t *testing.T) {
			var seen [agreements]int
			for seed := range uint64(60) {
				j := newSimJob(seed)
				every, oldest := 1+j.rnd.IntN(600), 1+j.rnd.IntN(200)
				var line CommitLine
				for step, told, unheard := 0, 0, 0; step < 9000; step++ {
					j.step()
					switch j.rnd.IntN(6000) {
					case 0, 1:
						j.restart(0)
					case 2: // as another job, or told by its attempt
						j.restart(1 + j.rnd.IntN(20))
						if seed%2 == 0 {
							line = CommitLine{}
							j.past = j.past[len(j.past)-1:]
							j.past[0] = j.state
						}
					}
					if j.rnd.IntN(every) != 0 {
						continue
					}
					s := j.sample(time.Duration(j.rnd.IntN(oldest)) * 100 * time.Millisecond)
					if seed%2 == 0 {
						s.Attempt = -1
					}
					if way != "polled" {
						upTo := len(j.trail)
						if way == "followed late" {
							upTo -= min(j.rnd.IntN(4), upTo-told)
						}
						s.Followed = append([]int64{}, j.trail[told:upTo]...)
						told = upTo
					}
					if unheard--; j.rnd.IntN(60) == 0 {
						unheard = j.rnd.IntN(40)
					}
					if unheard > 0 {
						line.Miss(s)
						continue
					}
					got := line.Observe(s)
					seen[got.Agreement]++
					if got.Agreement == BrokerAhead || got.Agreement == BrokerBehind || got.Skip.Len() > 0 {
						t.Fatalf("seed %d step %d: %+v of %+v", seed, step, got, s)
					}
				}
			}
			t.Log(seen)
			if seen[Match] < 20*seen[Pending] || seen[Match] < seen[Unknown] {
				t.Errorf("too few matches: %v", seen)
			}
		})
	}
}

// A source whose group is written by somebody else, or whose metric says less than was committed, is found out when
// the patience is over and its count of commits has risen twice.
func TestSickSourceIsFoundOut(t *testing.T) {
	for _, tc := range []struct {
		name     string
		followed bool
		quiet    bool // nothing is written any more
		lie      int64
		foreign  bool
		want     Agreement
	}{
		{name: "metric below the commit of a quiet partition", quiet: true, lie: 1, want: BrokerAhead},
		{name: "metric below each followed commit", followed: true, lie: 1, want: BrokerAhead},
		{name: "commits go to another group", foreign: true, want: BrokerBehind},
		{name: "commits go to another group that is followed", followed: true, foreign: true, want: BrokerBehind},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range uint64(50) {
				j := newSimJob(seed)
				j.stall = 0
				j.interval = time.Duration(1+j.rnd.IntN(60)) * time.Second
				j.lie = tc.lie
				if tc.followed {
					j.burst = 0.02
				}
				for j.next < 10 || j.state.commits == 0 || tc.quiet && j.end > j.broker {
					j.step()
					if tc.quiet && j.next >= 10 {
						j.burst = 0
					}
				}
				mine := j.broker
				var line CommitLine
				var began time.Time
				var from int64
				for told := len(j.trail); ; {
					for range 1 + j.rnd.IntN(300) {
						j.step()
						if tc.foreign {
							j.broker = min(mine, 5)
						}
					}
					s := j.sample(time.Duration(j.rnd.IntN(100)) * 100 * time.Millisecond)
					if tc.followed {
						s.Followed = append([]int64{}, even(j.trail[told:], tc.foreign)...)
						told = len(j.trail)
					}
					got := line.Observe(s).Agreement
					if got == Match || got == Unknown {
						began = time.Time{}
						if s.At.Sub(time.Unix(1_000_000, 0)) > 4*time.Hour {
							t.Fatalf("seed %d: still %v: %+v", seed, got, s)
						}
						continue
					}
					if began.IsZero() {
						began, from = s.At, s.Commits
					}
					due := s.At.Sub(began) >= line.patience.span() && s.Commits-from >= 2
					if due != (got == tc.want) || !due && got != Pending {
						t.Fatalf("seed %d: %v, due %v: %+v", seed, got, due, s)
					}
					if due {
						break
					}
				}
			}
		})
	}
}

// even leaves out the commits of a source that commits elsewhere.
func even(trail []int64, elsewhere bool) []int64 {
	if elsewhere {
		return nil
	}
	return trail
}

// The oldest of many commits become one span; nothing that was held is forgotten within the patience.
func TestHeldIsBounded(t *testing.T) {
	at := time.Unix(0, 0)
	var polled, followed held
	for i := range int64(5000) {
		polled.poll(at.Add(time.Duration(i)), i)
		followed.follow(at.Add(time.Duration(i)), []int64{3 * i, 3*i + 1}, 3*i+1)
	}
	if n := len(polled.past); n > maxHeld {
		t.Errorf("%d spans", n)
	}
	for i := range int64(5000) {
		if !polled.admits(i, at) || !followed.admits(3*i, at) {
			t.Fatalf("%d is forgotten", i)
		}
	}
	for _, offset := range []int64{5000, -1} {
		if polled.admits(offset, at) {
			t.Error(fmt.Sprint(offset, " is admitted"))
		}
	}
	if followed.admits(3*4999-1, at) {
		t.Error("what no commit held is admitted")
	}
}
