package kafka

import (
	"context"
	"time"
)

// recall takes what the last Reading tells of the partition.
func (e *Explanation) recall(last *Reading) {
	if last == nil {
		return
	}
	if g := last.Group(e.Group); g != nil {
		e.Type = g.Type
	}
	if l := last.Lag(e.Group, e.Topic); l != nil {
		e.Scraped, e.ScrapedAt, e.Followed = l.partition(e.Partition), last.At, l.Followed
	}
}

// measure judges what was read as a scrape does, by an index of its own.
func (c *Cluster) measure(ctx context.Context, q *inquiry, last *Reading) {
	e := q.explanation
	s := &Snapshot{At: e.At, Topics: q.topics}
	topic := &s.Topics[0]
	commit := Commit{Offset: e.Committed, Partition: e.Partition, LeaderEpoch: -1}
	st := standing{
		group: &Group{Name: e.Group}, topic: topic, commits: []Commit{commit}, now: e.At,
		history: &history{id: topic.ID, parts: make([]past, len(topic.Partitions))},
	}
	e.Isolation, e.Source = c.presumed(e, last)
	st.isolation, st.source = e.Isolation, e.Source
	index := newIndex(ScanConfig{BytesPerPartition: explainBytes, MaxRuns: 1 << 20})
	st.want(index)
	e.Transaction = openTransaction(e, last)
	within(ctx, 1,
		func(ctx context.Context) {
			if c.config.Scan.Enabled {
				q.scan(ctx, index, s, &st)
			}
		},
		func(ctx context.Context) {
			if e.Transaction == nil && e.Isolation == ReadCommitted && max(e.Committed, e.Ends.LastStable) < e.Ends.HighWatermark {
				e.Transaction = q.openTransaction(ctx, c.novelties.over(q.wire))
			}
		})
	lag := st.judge()
	e.Lag, e.Composition, e.BeyondEnd = lag.Partitions[0], lag.Composition, lag.BeyondEnd
	t := st.tail(e.Partition)
	if e.Lag.Records > 0 {
		if millis, _, _ := t.oldest(&e.Ends, e.Isolation, max(e.Committed, e.Ends.LogStart)); millis > 0 {
			e.First = time.UnixMilli(millis)
		}
	}
	e.Records, e.Exact = e.Lag.Records, e.Composition[Unscanned] == 0
	if !e.Exact {
		e.bound(topic, last)
	}
	e.Log = q.list(t)
}

// presumed is the isolation by which the group is judged: what the configuration says, else what the scrapes have seen,
// else what the commit that was just read shows.
func (c *Cluster) presumed(e *Explanation, last *Reading) (Isolation, IsolationSource) {
	for _, rule := range c.config.Isolation {
		if rule.Groups.MatchString(e.Group) {
			return rule.Isolation, Configured
		}
	}
	if last != nil {
		if l := last.Lag(e.Group, e.Topic); l != nil && l.Source != Assumed {
			return l.Isolation, l.Source
		}
	}
	if e.Ends.above(e.Committed) {
		return ReadUncommitted, Observed
	}
	return ReadCommitted, Assumed
}

// bound lowers the upper bound of the true lag by what the last Reading has counted.
func (e *Explanation) bound(topic *Topic, last *Reading) {
	was := e.Scraped
	if was == nil || !was.Known || was.Committed > e.Ends.HighWatermark || last.Topic(e.Topic).ID != topic.ID {
		return
	}
	p := &last.Topic(e.Topic).Partitions[e.Partition]
	l := last.Lag(e.Group, e.Topic)
	if e.Ends.HighWatermark < p.HighWatermark || l.Isolation != e.Isolation {
		return
	}
	n := was.Records + e.Ends.HighWatermark - p.HighWatermark + max(was.Committed-max(e.Committed, e.Ends.LogStart), 0)
	same := was.Committed == e.Committed && p.HighWatermark == e.Ends.HighWatermark && p.LogStart == e.Ends.LogStart
	if e.Isolation == ReadCommitted && e.Ends.LastStable != p.LastStable { // what was held back may be records by now
		n += p.HighWatermark - min(max(p.LastStable, was.Committed), p.HighWatermark)
		same = false
	}
	if n <= e.Records {
		e.Records, e.Exact = n, same && was.Unscanned == 0
	}
}
