package kafka

import (
	"context"
	"errors"
	"slices"

	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kerr"
)

// scan reads the batch headers between commits and ends as far as they are not known.
func (c *Cluster) scan(ctx context.Context, s *Snapshot, standings []standing, lower []*rewind, questions []asked) {
	for i := range standings {
		standings[i].want(c.index)
	}
	for _, r := range lower {
		standings[r.at].wantReplay(c.index, r)
	}
	for i := range questions {
		questions[i].want(c.index)
	}
	c.settle(ctx, c.index.settle(s))
	c.learnPolicies(ctx, s)
	sc := scanner{ask: c.reader.wire.ask, books: c.books, now: s.At}
	sc.budget.Store(c.config.Scan.BytesPerScrape)
	sc.run(ctx, c.index.plan(s))
	c.index.renewed(s)
	sc.run(ctx, c.index.date(standings))
	c.books.unreadable(&sc.decoder)
}

// partial says that a group's commits are not known in this scrape, or that a group is missing that may only be on its
// way from one coordinator to another.
func (c *Cluster) partial(s *Snapshot) bool {
	return !s.GroupsComplete || len(c.tracker.absent) > 0 || slices.ContainsFunc(s.Groups, func(g Group) bool {
		return g.CommitsErr != nil && !errors.Is(g.CommitsErr, kerr.GroupAuthorizationFailed)
	})
}

// settle asks the new leaders of partitions where the log under the old leader ended, so that an election makes nothing
// be read again that still stands. A log of which nothing can be learned is forgotten; one whose leader does not answer is
// doubted until it does.
func (c *Cluster) settle(ctx context.Context, moved []movedTail) {
	asks := make([]epochAsk, len(moved))
	for i, m := range moved {
		asks[i] = askEpoch(m.topic, m.partition, m.tail.epoch)
	}
	for i, end := range c.reader.epochEnds(ctx, asks) {
		m := &moved[i]
		switch {
		case end.Err != nil: // the next scrape asks again
			m.tail.doubted = true
			continue
		case end.End < 0:
			m.tail.forget()
		default:
			m.tail.truncate(end.End)
		}
		m.tail.epoch = m.topic.Partitions[m.partition].LeaderEpoch
	}
}

func askEpoch(topic *Topic, partition, epoch int32) epochAsk {
	p := &topic.Partitions[partition]
	return epochAsk{Topic: topic.Name, Partition: partition, Leader: p.Leader, Current: p.LeaderEpoch, Epoch: epoch}
}

// learnPolicies asks for the cleanup policy of topics whose maps would be read again otherwise. Where no broker answers, they are when the
// policy was not known before, and the next scrape in which they are due asks again.
func (c *Cluster) learnPolicies(ctx context.Context, s *Snapshot) {
	names := c.index.unsure(s)
	if len(names) == 0 {
		return
	}
	policies, err := c.reader.policies(ctx, s, names)
	if err != nil {
		level.Debug(c.logger).Log("msg", "cleanup policies not learned, topics of which none is known are taken as compacted", "topics", len(names), "err", err)
		return
	}
	c.index.learn(s.At, names, policies)
}
