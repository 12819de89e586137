package kafka

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// standing is one group on one topic in one scrape, on its way to a TopicLag.
type standing struct {
	group   *Group
	topic   *Topic
	commits []Commit // none where members only subscribe
	history *history // nil when nothing is known of the topic's partitions
	tails   *topicTails
	follows bool // commits are followed, be it late

	isolation Isolation
	source    IsolationSource
	now       time.Time
}

// named is what the group has commits on or subscribes to, by topic.
func (g *Group) named() []GroupTopic {
	all := g.Topics
	for _, sub := range g.Subscriptions {
		if !g.committed(sub.Topic) {
			all = append(all[:len(all):len(all)], GroupTopic{Topic: sub.Topic})
		}
	}
	if len(all) > len(g.Topics) {
		slices.SortFunc(all, func(a, b GroupTopic) int { return cmp.Compare(a.Topic, b.Topic) })
	}
	return all
}

// judge says how far the group is behind, from what was read alone.
func (s *standing) judge() TopicLag {
	l := TopicLag{Group: s.group.Name, Topic: s.topic.Name, Isolation: s.isolation, Source: s.source}
	if s.history != nil {
		l.Rewound, l.Replayed = s.history.rewound, s.history.replayed
		l.Followed, l.Commits = s.follows, s.history.commits
	}
	if len(s.commits) > 0 {
		l.Partitions = make([]PartitionLag, 0, len(s.commits))
	}
	uncommitted := len(s.topic.Partitions)
	for _, c := range s.commits {
		if int(c.Partition) < len(s.topic.Partitions) {
			uncommitted--
		}
		if c.Code != 0 {
			l.Conditions[conditionOf(kerr.ErrorForCode(c.Code))]++
			continue
		}
		l.Partitions = append(l.Partitions, PartitionLag{Partition: c.Partition, Committed: c.Offset})
		s.measure(&l, &l.Partitions[len(l.Partitions)-1])
	}
	if s.topic.Err == nil {
		l.Conditions[Uncommitted] = uncommitted
	} else if len(s.commits) == 0 {
		l.Conditions[conditionOf(s.topic.Err)] = s.subscribed()
	}
	return l
}

// measure fills one partition's row and adds it to the topic's sums.
func (s *standing) measure(l *TopicLag, row *PartitionLag) {
	if s.history != nil && int(row.Partition) < len(s.history.parts) {
		row.Rewinds, row.CommitAt = s.history.parts[row.Partition].rewinds, s.history.parts[row.Partition].time
	}
	switch {
	case s.topic.Err != nil:
		l.Conditions[conditionOf(s.topic.Err)]++
		return
	case int(row.Partition) >= len(s.topic.Partitions):
		l.Conditions[TopicMissing]++
		return
	}
	p := &s.topic.Partitions[row.Partition]
	if p.Err != nil {
		l.Conditions[conditionOf(p.Err)]++
		return
	}
	row.Known = true
	l.Known++
	if row.Committed > p.HighWatermark {
		l.BeyondEnd = sum(l.BeyondEnd, row.Committed-p.HighWatermark)
		l.Conditions[BeyondEnd]++
	}
	if row.Committed < p.LogStart {
		l.Conditions[BelowStart]++
	}
	if row.Committed >= p.HighWatermark {
		return
	}
	var c Composition
	from := min(max(row.Committed, p.LogStart), p.HighWatermark)
	c[Lost] = from - row.Committed
	t := s.tail(row.Partition)
	t.count(p, s.isolation, from, p.HighWatermark, &c)
	if t != nil && !t.denied.IsZero() && c[Unscanned] > 0 {
		l.Conditions[Unreadable]++
	}
	row.Offsets, row.Records, row.Unscanned = c.Offsets(), c.Records(), c[Unscanned]
	if row.Records > 0 {
		row.Age = s.age(t, p, from)
	}
	l.Composition.add(&c)
}

// age is how old the first record of [from, HW) is, never negative: clocks differ.
func (s *standing) age(t *tail, p *Partition, from int64) int64 {
	millis, _, _ := t.oldest(p, s.isolation, from)
	if millis <= 0 {
		return notKnown
	}
	return max(s.now.UnixMilli()-millis, 0)
}

// want tells the index which commits have something between them and the end.
func (s *standing) want(x *index) {
	if s.topic.Err != nil {
		return
	}
	for _, c := range s.commits {
		p := s.ends(c)
		if p == nil || max(c.Offset, p.LogStart) >= p.HighWatermark {
			continue
		}
		if s.tails == nil {
			s.tails = x.topic(s.topic)
		}
		t := &s.tails.parts[c.Partition]
		t.wants = append(t.wants, want{from: c.Offset, isolation: s.isolation, moved: s.history.parts[c.Partition].moved})
	}
}

// wantReplay tells the index which offsets a rewind makes the group read again: its commit may stand above them by now.
func (s *standing) wantReplay(x *index, r *rewind) {
	p := &s.topic.Partitions[r.Partition]
	if p.Err != nil || max(r.To, p.LogStart) >= min(r.From, p.HighWatermark) {
		return
	}
	if s.tails == nil {
		s.tails = x.topic(s.topic)
	}
	t := &s.tails.parts[r.Partition]
	t.wants = append(t.wants, want{from: r.To, isolation: s.isolation, moved: true})
}

// ends is the partition of a commit, if the commit and the partition's ends are known.
func (s *standing) ends(c Commit) *Partition {
	if c.Code != 0 || int(c.Partition) >= len(s.topic.Partitions) || s.topic.Partitions[c.Partition].Err != nil {
		return nil
	}
	return &s.topic.Partitions[c.Partition]
}

func (s *standing) tail(partition int32) *tail { return s.tails.known(partition) }

// replay is how many records a rewind makes the group read again. Those below the log start are gone.
func (s *standing) replay(r *Rewind) int64 {
	p := &s.topic.Partitions[r.Partition]
	var c Composition
	s.tail(r.Partition).count(p, s.isolation, max(r.To, p.LogStart), min(r.From, p.HighWatermark), &c)
	return c.Records()
}

// subscribed is how many partitions of the topic are assigned to members, at least one.
func (s *standing) subscribed() int {
	for _, sub := range s.group.Subscriptions {
		if sub.Topic == s.topic.Name {
			return max(1, sub.Partitions)
		}
	}
	return 1
}

// conditionOf is the condition that an error puts a partition in.
func conditionOf(err error) Condition {
	switch {
	case errors.Is(err, kerr.LeaderNotAvailable):
		return NoLeader
	case errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID):
		return TopicMissing
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return Denied
	}
	return Unavailable
}
