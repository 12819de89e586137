package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

// gone is a scrape that finds group g's commits on a topic that is not there.
func (s *sights) gone(commits ...Commit) {
	s.is.scrape++
	s.is.end(&Snapshot{
		Topics:         []Topic{{Name: "t", Err: kerr.UnknownTopicOrPartition}},
		Groups:         []Group{{Name: "g", Topics: []GroupTopic{{Topic: "t", Commits: commits}}}},
		GroupsComplete: true,
	})
}

// A commit about a topic that another of its name has replaced is no commit on the new one: a lower one is none either,
// but for the ones after it.
func TestCommitsLeftOverFromATopicBefore(t *testing.T) {
	for _, c := range []struct {
		name             string
		run              func(s *sights)
		rewinds, rewound int64
	}{
		{"the commit stands, and the first one about the new topic is lower", func(s *sights) {
			s.scrape(nil, at(100))
			s.scrape(nil, at(100))
			s.scrape(nil, at(15))
		}, 0, 0},
		{"and one that is lower still", func(s *sights) {
			s.scrape(nil, at(100))
			s.scrape(nil, at(15))
			s.scrape(nil, at(5))
		}, 1, 10},
		{"the first commit about the new topic is the first that is seen", func(s *sights) {
			s.scrape(nil, at(15))
			s.scrape(nil, at(5))
		}, 1, 10},
		{"the first commit about the new topic is higher", func(s *sights) {
			s.scrape(nil, at(100))
			s.scrape(nil, at(120))
			s.scrape(nil, at(90))
		}, 1, 30},
		{"one more was made about the topic before, where the new one has never been", func(s *sights) {
			s.topic.Partitions[0].HighWatermark = 20
			s.scrape(nil, at(110))
			s.scrape(nil, at(15))
			s.scrape(nil, at(5))
		}, 1, 10},
		{"the ends are unknown at first", func(s *sights) {
			s.topic.Partitions[0].Err = kerr.LeaderNotAvailable
			s.scrape(nil, at(100))
			s.topic.Partitions[0].Err = nil
			s.scrape(nil, at(100))
			s.scrape(nil, at(15))
		}, 0, 0},
		{"the commit is deleted, and made again by who has not noticed", func(s *sights) {
			s.scrape(nil)
			s.scrape(nil, at(100))
			s.scrape(nil, at(15))
		}, 0, 0},
		{"the topic is missing for a while", func(s *sights) {
			s.gone(at(100))
			s.scrape(nil, at(100))
			s.scrape(nil, at(15))
		}, 0, 0},
		{"followed later", func(s *sights) {
			s.scrape(nil, at(100))
			s.live = true
			s.scrape(nil, at(100))
			s.scrape(saw(TopicID{}, 210, 15), at(15))
			s.scrape(saw(TopicID{}, 211, 5), at(5))
		}, 1, 10},
		{"followed later, with one more about the topic before", func(s *sights) {
			s.live = true
			s.topic.Partitions[0].HighWatermark = 20
			s.scrape(nil, at(100))
			s.scrape(saw(TopicID{}, 210, 110, 211, 15), at(15))
			s.scrape(saw(TopicID{}, 212, 5), at(5))
		}, 1, 10},
		{"followed, and polled from then on", func(s *sights) {
			s.live = true
			s.scrape(nil, at(100))
			s.live = false
			s.scrape(nil, at(100))
			s.scrape(nil, at(15))
		}, 0, 0},
		{"followed while it was recreated, by records that tell no identity", func(s *sights) {
			s.live = true
			s.topic.Partitions[0].HighWatermark = 20
			s.scrape(saw(TopicID{}, 210, 110), at(110))
			s.scrape(saw(TopicID{}, 211, 15), at(15))
			s.scrape(saw(TopicID{}, 212, 5), at(5))
		}, 1, 10},
		{"followed while it was recreated, by records that tell one", func(s *sights) {
			s.live = true
			s.scrape(saw(TopicID{2}, 210, 100), at(100))
			s.scrape(saw(TopicID{2}, 211, 15), at(15))
		}, 1, 85},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSights(t)
			s.fence = 200
			s.scrape(nil, at(100))
			s.topic.ID = TopicID{2}
			c.run(s)
			s.want("in the end", c.rewinds, c.rewound)
		})
	}
}

// Brokers before 2.8 tell no identities: a topic that was missing for a scrape is another one.
func TestTopicsWithoutAnIdentity(t *testing.T) {
	s := newSights(t)
	s.topic.ID = TopicID{}
	s.scrape(nil, at(100))
	s.gone(at(100))
	s.scrape(nil, at(100))
	s.scrape(nil, at(15))
	s.want("recreated", 0, 0)
	s.scrape(nil, at(5))
	s.want("lower than that", 1, 10)
	s.gone()
	if len(s.is.groups["g"]) != 0 {
		t.Errorf("a topic without commits that is missing is remembered: %v", s.is.groups["g"])
	}
}

// A topic that one broker has not heard of for a moment is the same one if its identity is.
func TestTopicThatIsUnknownForAMoment(t *testing.T) {
	s := newSights(t)
	s.scrape(nil, at(100))
	s.gone(at(100))
	s.scrape(nil, at(60))
	s.want("lower", 1, 40)
}

// A commit about the topic before shows nothing of how the new one is read.
func TestLeftOverCommitsAreNoSignOfAnIsolation(t *testing.T) {
	s := newSights(t)
	s.scrape(nil, at(100))
	s.topic.ID, s.topic.Partitions[0].LastStable = TopicID{2}, 50
	h := s.scrape(nil, at(100))
	if is, source := s.is.isolation(h, &s.topic); is != ReadCommitted || source != Assumed {
		t.Errorf("left over: %s (%s)", is, source)
	}
	h = s.scrape(nil, at(60))
	if is, source := s.is.isolation(h, &s.topic); is != ReadUncommitted || source != Observed {
		t.Errorf("one about the new topic: %s (%s)", is, source)
	}
}
