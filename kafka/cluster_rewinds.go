package kafka

import (
	"context"

	"github.com/go-kit/log/level"
)

// rewinds counts the lower commits that are rewinds: those whose topic is still the one of the pass's beginning, and
// whose log was not cut below the commit before by an election.
func (c *Cluster) rewinds(ctx context.Context, standings []standing, lower []*rewind) {
	if len(lower) == 0 {
		return
	}
	recreated := c.recreated(ctx, lower)
	ends := c.epochsOf(ctx, lower)
	for i, r := range lower {
		if recreated[r.Topic] {
			continue
		}
		if end := ends[i]; end >= 0 {
			r.From = min(r.From, end)
		}
		if r.To < r.From {
			replayed := standings[r.at].replay(&r.Rewind)
			r.count(replayed)
			c.events.rewound(standings[r.at].now, &r.Rewind, replayed)
		}
	}
}

// recreated asks once more for the ids of topics: one that was recreated during the pass has commits of two topics
// under one name.
func (c *Cluster) recreated(ctx context.Context, lower []*rewind) map[string]bool {
	was := map[string]TopicID{}
	var names []string
	for _, r := range lower {
		if _, ok := was[r.Topic]; !ok && r.topic.ID != (TopicID{}) {
			was[r.Topic] = r.topic.ID
			names = append(names, r.Topic)
		}
	}
	if len(names) == 0 {
		return nil
	}
	is, err := c.reader.confirm(ctx, names)
	if err != nil {
		level.Warn(c.logger).Log("msg", "rewinds counted without a second look at their topics", "topics", len(names), "err", err)
		return nil
	}
	recreated := map[string]bool{}
	for name, id := range was {
		recreated[name] = is[name] != id
	}
	return recreated
}

// epochsOf asks where the log ended under the leader of the commit before, for those lower commits that see another
// leader epoch; -1 for the others, and where it cannot be learned.
func (c *Cluster) epochsOf(ctx context.Context, lower []*rewind) []int64 {
	asks := make([]epochAsk, len(lower)) // the zero value: none is needed
	learned := map[epochAsk]int64{{}: -1}
	var left []epochAsk
	for i, r := range lower {
		if r.epoch < 0 || r.epoch == r.topic.Partitions[r.Partition].LeaderEpoch {
			continue
		}
		asks[i] = askEpoch(r.topic, r.Partition, r.epoch)
		if _, ok := learned[asks[i]]; !ok {
			learned[asks[i]] = -1
			left = append(left, asks[i])
		}
	}
	for len(left) > 0 { // one request may not ask about a partition twice
		type place struct {
			topic     string
			partition int32
		}
		taken := map[place]bool{}
		var now, later []epochAsk
		for _, a := range left {
			if at := (place{a.Topic, a.Partition}); taken[at] {
				later = append(later, a)
			} else {
				taken[at] = true
				now = append(now, a)
			}
		}
		for i, end := range c.reader.epochEnds(ctx, now) {
			if end.Err == nil {
				learned[now[i]] = end.End
			}
		}
		left = later
	}
	ends := make([]int64, len(lower))
	for i := range asks {
		ends[i] = learned[asks[i]]
	}
	return ends
}
