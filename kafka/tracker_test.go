package kafka

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// sights is a tracker with what it takes to show it commits: topic t of two partitions, and group g.
type sights struct {
	t     *testing.T
	is    *tracker
	topic Topic
	live  bool
	fence int64
	count found
}

func newSights(t *testing.T) *sights {
	return &sights{t: t, is: newTracker(), fence: noFence, topic: Topic{
		Name: "t", ID: TopicID{1}, Partitions: []Partition{{HighWatermark: 1000, LastStable: 1000}, {HighWatermark: 1000, LastStable: 1000}},
	}}
}

// scrape shows what a follower saw, and then what was polled.
func (s *sights) scrape(seen trails, commits ...Commit) *history {
	s.t.Helper()
	s.is.scrape++
	s.is.absorb(collected{trails: seen, logs: 1, live: []bool{s.live}, anew: []bool{false}})
	h, lower := s.is.observe("g", &s.topic, commits, sight{live: s.live, fence: s.fence, now: time.UnixMilli(5000)})
	for _, r := range lower {
		r.count(r.From - r.To)
	}
	s.is.end(&Snapshot{Topics: []Topic{s.topic}, Groups: []Group{{Name: "g", Topics: []GroupTopic{{Topic: "t", Commits: commits}}}}, GroupsComplete: true})
	s.count = found{h.commits, h.parts[0].rewinds + h.parts[1].rewinds, h.rewound, h.replayed}
	return h
}

func (s *sights) want(what string, rewinds, rewound int64) {
	s.t.Helper()
	if s.count.rewinds != rewinds || s.count.rewound != rewound {
		s.t.Errorf("%s: %d rewinds of %d offsets, want %d of %d", what, s.count.rewinds, s.count.rewound, rewinds, rewound)
	}
}

// saw makes trails of group g on partition 0: record offset and commit in turn; a commit of -1 is a tombstone.
func saw(id TopicID, pairs ...int64) trails {
	ts := trails{}
	for i := 0; i < len(pairs); i += 2 {
		c := seenCommit{group: "g", topic: "t", at: pairs[i], offset: pairs[i+1], gone: pairs[i+1] < 0, time: 1000 + pairs[i], id: id}
		ts.of(&c, 0, 1).on(&c).add(&c)
	}
	return ts
}

func at(offset int64) Commit { return Commit{Offset: offset} }

func TestPolledCommits(t *testing.T) {
	s := newSights(t)
	if h := s.scrape(nil, at(100)); h.parts[0].time != 0 {
		t.Errorf("a commit was made at %d that nobody saw being made", h.parts[0].time)
	}
	s.want("first sight", 0, 0)
	if h := s.scrape(nil, at(120)); h.parts[0].time != 5000 {
		t.Errorf("the change was seen at %d, want 5000", h.parts[0].time)
	}
	s.scrape(nil, at(50))
	s.want("lower", 1, 70)
	s.scrape(nil, at(50))
	s.want("unmoved", 1, 70)
	s.topic.Partitions[0].HighWatermark = 40
	s.scrape(nil, at(50))
	s.scrape(nil, at(40))
	s.want("down to where the log was cut", 1, 70)
	s.scrape(nil, at(30))
	s.want("lower than that", 2, 80)
	s.topic.ID = TopicID{2}
	s.scrape(nil, at(0))
	s.want("a topic of another identity", 2, 80)
	s.scrape(nil)
	s.scrape(nil, at(0))
	s.want("an expired commit", 2, 80)
}

func TestTrailsAndPolls(t *testing.T) {
	for _, c := range []struct {
		name             string
		run              func(s *sights)
		rewinds, rewound int64
	}{
		{"a poll of what was followed", func(s *sights) {
			s.scrape(saw(TopicID{}, 210, 50), at(50))
		}, 1, 50},
		{"a poll of what is followed only later", func(s *sights) {
			s.scrape(nil, at(50))
			s.scrape(saw(TopicID{}, 210, 50), at(50))
		}, 1, 50},
		{"a poll while nobody follows, and a follower that comes to it later", func(s *sights) {
			s.live, s.fence = false, 220
			s.scrape(nil, at(50))
			s.live = true
			s.scrape(saw(TopicID{}, 210, 50), at(50))
			s.scrape(saw(TopicID{}, 230, 60), at(60))
		}, 1, 50},
		{"a follower that stops right after a rewind", func(s *sights) {
			s.live, s.fence = false, 220
			s.scrape(saw(TopicID{}, 205, 120, 210, 50), at(120)) // the broker tells what a marker commits a moment later
			s.scrape(nil, at(50))
		}, 1, 70},
		{"a poll without a fence", func(s *sights) {
			s.live, s.fence = false, noFence
			s.scrape(nil, at(80))
			s.live = true
			s.scrape(saw(TopicID{}, 205, 60, 215, 80), at(80)) // might be older than what was polled
			s.fence = 220
			s.scrape(nil, at(80))
			s.scrape(saw(TopicID{}, 230, 70), at(70))
		}, 2, 30},
		{"records below the first fence", func(s *sights) {
			s.scrape(saw(TopicID{}, 150, 20, 160, 100), at(100))
		}, 0, 0},
		{"records on both sides of the first fence", func(s *sights) {
			s.scrape(saw(TopicID{}, 150, 20, 160, 100, 210, 90), at(90))
		}, 1, 10},
		{"a tombstone between", func(s *sights) {
			s.scrape(saw(TopicID{}, 210, -1, 211, 20), at(20))
		}, 0, 0},
		{"a tombstone that the poll has seen, too", func(s *sights) {
			s.scrape(saw(TopicID{}, 210, -1))
			s.scrape(saw(TopicID{}, 211, 20), at(20))
		}, 0, 0},
		{"a commit that expires while it is followed, and one later that is not", func(s *sights) {
			s.scrape(nil)
			s.live, s.fence = false, 220
			s.scrape(nil, at(20))
		}, 0, 0},
		{"a topic of another identity, by its records", func(s *sights) {
			s.scrape(saw(TopicID{1}, 210, 100), at(100))
			s.topic.ID = TopicID{2}
			s.scrape(saw(TopicID{2}, 211, 20, 212, 10), at(10))
		}, 1, 10},
		{"a topic of another identity, by Metadata alone", func(s *sights) {
			s.topic.ID = TopicID{2}
			s.scrape(saw(TopicID{}, 211, 90, 212, 10), at(10)) // which of them are about which topic is not known
			s.scrape(saw(TopicID{}, 213, 5), at(5))
		}, 1, 5},
		{"records about the topic before", func(s *sights) {
			s.topic.ID = TopicID{2}
			s.scrape(saw(TopicID{1}, 211, 90, 212, 10), at(10))
		}, 0, 0},
		{"a log that was cut", func(s *sights) {
			s.topic.Partitions[0].HighWatermark = 80
			s.scrape(saw(TopicID{}, 211, 90, 212, 80, 213, 70), at(70))
		}, 1, 10},
		{"ends that are unknown for a while", func(s *sights) {
			s.topic.Partitions[0].Err = kerr.LeaderNotAvailable
			s.scrape(saw(TopicID{}, 211, 50), at(100))
			s.scrape(saw(TopicID{}, 212, 100), at(100))
			s.topic.Partitions[0].Err = nil
			s.scrape(saw(TopicID{}, 213, 90), at(90))
		}, 2, 60},
		{"a topic that is unknown for a while", func(s *sights) {
			s.is.scrape++
			s.is.absorb(collected{trails: saw(TopicID{}, 211, 50, 212, 100), logs: 1, live: []bool{true}, anew: []bool{false}})
			s.is.end(&Snapshot{Topics: []Topic{{Name: "t", Err: kerr.TopicAuthorizationFailed}}, Groups: []Group{{Name: "g"}}, GroupsComplete: true})
			s.scrape(saw(TopicID{}, 213, 90), at(90))
		}, 2, 60},
		{"a follower that has missed something", func(s *sights) {
			s.is.absorb(collected{logs: 1, live: []bool{true}, anew: []bool{true}})
			s.scrape(saw(TopicID{}, 250, 50), at(50))
			s.scrape(saw(TopicID{}, 260, 40), at(40))
		}, 1, 10},
		{"a partition that does not exist", func(s *sights) {
			c := seenCommit{group: "g", topic: "t", partition: 1 << 30, at: 211, offset: 3}
			ts := saw(TopicID{}, 212, 90)
			ts.of(&c, 0, 1).on(&c).add(&c)
			s.scrape(ts, at(90))
		}, 1, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSights(t)
			s.live, s.fence = true, 200
			s.scrape(nil, at(100))
			c.run(s)
			s.want("in the end", c.rewinds, c.rewound)
			if len(s.is.trails) > 0 {
				t.Errorf("trails are left: %v", s.is.trails)
			}
		})
	}
}

// Random histories: no decline is counted twice, nor one that did not happen, whoever sees what when; and where the
// follower keeps up, none is missed.
func TestRandomSights(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		perfect := seed%4 == 0 // the follower keeps up, and nothing goes wrong
		s := newSights(t)
		var log []int64 // commits; -1: a tombstone
		var declines, offsets int64
		last, before := int64(-1), int64(-1)
		grow := func() {
			for range r.IntN(4) {
				c := r.Int64N(20)
				if r.IntN(8) == 0 {
					c = -1
				}
				from := last
				if !perfect { // polls do not see what expires between them
					from = before
				}
				if c >= 0 && from >= 0 && c < from {
					declines, offsets = declines+1, offsets+from-c
				}
				log, last = append(log, c), c
				if c >= 0 {
					before = c
				}
			}
		}
		position, anew := 0, false
		seen := trails{}
		follow := func(to int) {
			for ; position < to; position++ {
				c := seenCommit{group: "g", topic: "t", at: int64(position), offset: log[position], gone: log[position] < 0}
				seen.of(&c, 0, 1).on(&c).add(&c)
			}
		}
		log, last, before = []int64{10}, 10, 10
		due := 0
		for step := range 40 {
			grow()
			switch {
			case perfect:
				follow(len(log))
			case r.IntN(20) == 0: // the position is gone
				position, anew, seen = len(log), true, trails{}
			case r.IntN(3) > 0:
				follow(position + r.IntN(len(log)-position+1))
			}
			s.is.scrape++
			s.live = position >= due && (perfect || r.IntN(10) > 0)
			s.is.absorb(collected{trails: seen, logs: 1, live: []bool{s.live}, anew: []bool{anew}})
			seen, anew = trails{}, false
			grow()
			polled := last
			if !perfect { // what is committed between a first poll and its fence is missed
				grow()
			}
			s.fence = int64(len(log))
			due = len(log)
			if !perfect && r.IntN(6) == 0 {
				s.fence = noFence
			}
			s.topic.Partitions[0].Err = nil
			if !perfect && r.IntN(8) == 0 {
				s.topic.Partitions[0].Err = kerr.LeaderNotAvailable
			}
			var commits []Commit
			if polled >= 0 {
				commits = []Commit{at(polled)}
			}
			h, lower := s.is.observe("g", &s.topic, commits, sight{live: s.live, fence: s.fence})
			for _, l := range lower {
				l.count(0)
			}
			s.is.end(&Snapshot{Topics: []Topic{s.topic}, Groups: []Group{{Name: "g"}}, GroupsComplete: true})
			if n, of := h.parts[0].rewinds, h.rewound; n > declines || of > offsets {
				t.Fatalf("seed %d, step %d: %d rewinds of %d offsets, but there were only %d of %d: %v", seed, step, n, of, declines, offsets, log)
			}
		}
		if !perfect {
			continue
		}
		follow(len(log))
		s.is.scrape++
		s.is.absorb(collected{trails: seen, logs: 1, live: []bool{true}, anew: []bool{false}})
		h, lower := s.is.observe("g", &s.topic, nil, sight{live: true, fence: noFence})
		for _, l := range lower {
			l.count(0)
		}
		if n := h.parts[0].rewinds; n != declines || h.rewound != offsets {
			t.Fatalf("seed %d: %d rewinds of %d offsets, but there were %d of %d: %v", seed, n, h.rewound, declines, offsets, log)
		}
	}
}
