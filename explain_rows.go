package main

import (
	"fmt"
	"time"

	"truelag/kafka"
	"truelag/web"
)

// lagsOf are the rows that readings have for a place.
func lagsOf(p web.Place, clusters ...*kafka.Cluster) (web.Lags, error) {
	var lags web.Lags
	readings := map[*kafka.Cluster]*kafka.Reading{}
	for _, c := range clusters {
		if err := elsewhere(c.Shard(), p); err != nil {
			return lags, fmt.Errorf("%w: %w", err, web.ErrNoSuch)
		}
		if !c.Shard().Whole() {
			lags.Shard = c.Shard().String()
		}
		r := c.Last()
		switch {
		case r == nil && len(clusters) > 1:
			lags.Unread = append(lags.Unread, c.Name())
		case r == nil:
		default:
			readings[c] = r
			if lags.Read.IsZero() || r.At.Before(lags.Read) {
				lags.Read = r.At
			}
		}
	}
	for _, r := range readings {
		if p.Scope >= web.OneGroup && r.Group(p.Group) == nil {
			return lags, fmt.Errorf("the last read saw no group of this name, among %d: %w", len(r.Groups), web.ErrNoSuch)
		}
		if p.Scope >= web.OneTopic && r.Lag(p.Group, p.Topic) == nil {
			return lags, fmt.Errorf("the last read saw neither a commit of the group on this topic nor a subscription: %w", web.ErrNoSuch)
		}
	}
	lags.Rows = func(yield func(*web.Row) bool) {
		for _, c := range clusters {
			r := readings[c]
			if r != nil && !eachRow(p, c.Name(), r, yield) {
				return
			}
		}
	}
	return lags, nil
}

// eachRow yields the rows of a reading until it is told to stop.
func eachRow(p web.Place, cluster string, r *kafka.Reading, yield func(*web.Row) bool) bool {
	if p.Scope >= web.OneTopic {
		return eachPartition(cluster, r, r.Lag(p.Group, p.Topic), yield)
	}
	for i := range r.Lags {
		l := &r.Lags[i]
		if p.Scope == web.OneGroup && l.Group != p.Group {
			continue
		}
		if !yield(&web.Row{Group: groupOf(cluster, l), Partition: -1, Committed: -1}) {
			return false
		}
	}
	return true
}

// eachPartition yields a row for each partition of a topic, and for commits on partitions that are not there.
func eachPartition(cluster string, r *kafka.Reading, l *kafka.TopicLag, yield func(*web.Row) bool) bool {
	t := r.Topic(l.Topic)
	rows := l.Partitions
	for n := range max(int32(len(t.Partitions)), lastPartition(rows)+1) {
		row := web.Row{Group: web.Group{Cluster: cluster, Group: l.Group, Topic: l.Topic}, Partition: n, Committed: -1, Age: -1}
		var p *kafka.Partition
		if int(n) < len(t.Partitions) {
			p = &t.Partitions[n]
		}
		switch {
		case len(rows) > 0 && rows[0].Partition == n:
			fill(&row, &rows[0], t, p, l.Isolation)
			rows = rows[1:]
		case p == nil:
			continue
		case t.Err == nil:
			row.Uncommitted = true
		}
		if !yield(&row) {
			return false
		}
	}
	return true
}

func lastPartition(rows []kafka.PartitionLag) int32 {
	if len(rows) == 0 {
		return -1
	}
	return rows[len(rows)-1].Partition
}

// fill turns a partition's row into one to be shown.
func fill(row *web.Row, lag *kafka.PartitionLag, t *kafka.Topic, p *kafka.Partition, isolation kafka.Isolation) {
	row.Committed = lag.Committed
	if !lag.Known {
		switch {
		case t.Err != nil:
			row.Why = "Unknown: " + lower(why(t.Err)) + "."
		case p == nil:
			row.Why = "Unknown: the topic has no such partition."
		default:
			row.Why = "Unknown: " + lower(why(p.Err)) + "."
		}
		return
	}
	row.Known, row.Offsets, row.Records, row.Unscanned = true, lag.Offsets, lag.Records, lag.Unscanned
	from := min(max(lag.Committed, p.LogStart), p.HighWatermark)
	row.Lost = max(from-lag.Committed, 0)
	row.BeyondEnd = max(lag.Committed-p.HighWatermark, 0)
	if isolation == kafka.ReadCommitted && row.BeyondEnd == 0 {
		row.Blocked = p.HighWatermark - min(max(p.LastStable, from), p.HighWatermark)
	}
	row.Age = time.Duration(lag.Age) * time.Millisecond
}

// groupOf is a topic's lag as the pages rank it.
func groupOf(cluster string, l *kafka.TopicLag) web.Group {
	return web.Group{
		Cluster:     cluster,
		Group:       l.Group,
		Topic:       l.Topic,
		Uncommitted: len(l.Partitions) == 0 && onlyUncommitted(l),
		Known:       l.Known > 0,
		Offsets:     l.Composition.Offsets(),
		Records:     l.Composition.Records(),
		Unscanned:   l.Composition[kafka.Unscanned],
		Blocked:     l.Composition[kafka.Blocked],
		Lost:        l.Composition[kafka.Lost],
		BeyondEnd:   l.BeyondEnd,
	}
}
