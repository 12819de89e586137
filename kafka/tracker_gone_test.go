package kafka

import (
	"fmt"
	"testing"
	"time"
)

// The memory of the tracker is that of the groups and partitions that there are.
func TestTrackerForgets(t *testing.T) {
	tr := newTracker()
	s := &Snapshot{GroupsComplete: true, Topics: []Topic{{Name: "t", Partitions: make([]Partition, 1)}}}
	for round := range 5 {
		ts := trails{}
		for i := range 100 {
			c := seenCommit{group: fmt.Sprint("g", round, i), topic: "t", at: int64(i)}
			ts.of(&c, 0, 1).on(&c).add(&c)
		}
		tr.scrape++
		s.At = s.At.Add(goneAfter / 2)
		tr.absorb(collected{trails: ts, logs: 1, live: []bool{true}, anew: []bool{false}})
		if round == 0 {
			for i := range 100 {
				name := fmt.Sprint("g", round, i)
				tr.observe(name, &s.Topics[0], []Commit{{}}, sight{})
			}
		}
		tr.end(s) // which lists no group at all
		if n := len(tr.groups) + len(tr.trails) + len(tr.absent); n > 800 {
			t.Errorf("round %d: %d groups are remembered", round, n)
		}
	}
	tr.absorb(collected{trails: trails{}})
	s.At = s.At.Add(goneAfter)
	tr.end(s)
	if n := len(tr.groups) + len(tr.trails) + len(tr.absent); n != 0 {
		t.Errorf("%d groups are remembered in the end", n)
	}
}

// A group that no listing has for some seconds is on its way from one coordinator to another, however many scrapes fall
// into that time. What is known of it stays, so that its next commit is compared with its last one.
func TestGroupIsGoneAfterATime(t *testing.T) {
	for _, c := range []struct {
		name    string
		lacking []time.Duration // the scrapes, after the last that has the group, whose listing lacks it
		rewinds int64
	}{
		{"it moves while two servers scrape", []time.Duration{0, time.Second, 15 * time.Second, 16 * time.Second}, 1},
		{"it is gone for longer", []time.Duration{0, time.Minute}, 0},
		{"one listing lacked it", []time.Duration{0}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Unix(1_800_000_000, 0)
			s := newSights(t)
			s.scrape(nil, at(100))
			for _, after := range c.lacking {
				s.is.scrape++
				s.is.absorb(collected{trails: trails{}})
				s.is.end(&Snapshot{At: start.Add(after), Topics: []Topic{s.topic}, GroupsComplete: true})
			}
			s.scrape(nil, at(90))
			s.want("in the end", c.rewinds, 10*c.rewinds)
			if len(s.is.absent) > 0 {
				t.Errorf("taken as absent: %v", s.is.absent)
			}
		})
	}
}
