package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/kafka"
	"truelag/web"
)

// elsewhere says which exporter has a group that belongs to another shard; nil: this one.
func elsewhere(shard kafka.Shard, p web.Place) error {
	if p.Scope < web.OneGroup || shard.Owns(p.Group) {
		return nil
	}
	of := shard.Of(p.Group)
	return fmt.Errorf("group %q belongs to shard %d of %d, and this exporter has shard %d: ask the one that runs with --shard=%s",
		p.Group, of.Index, of.Count, shard.Index, of)
}

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

// explanation asks the cluster and puts what it says into words.
func explanation(ctx context.Context, c *kafka.Cluster, p web.Place) (*web.Explanation, error) {
	if err := elsewhere(c.Shard(), p); err != nil {
		return nil, fmt.Errorf("%w: %w", err, web.ErrNoSuch)
	}
	from, err := c.Explain(ctx, p.Group, p.Topic, p.Partition)
	if err != nil {
		if errors.Is(err, kafka.ErrLeftOut) {
			err = fmt.Errorf("%w: %w", err, web.ErrNoSuch)
		}
		return nil, err
	}
	e := &web.Explanation{
		Place: p, At: from.At, Took: from.Took,
		Lag: web.Group{
			Cluster: p.Cluster, Group: p.Group, Topic: p.Topic,
			Uncommitted: from.Err == nil && from.Committed < 0,
			Known:       from.Lag.Known, Offsets: from.Lag.Offsets, Records: from.Records,
			Unscanned: from.Composition[kafka.Unscanned], Blocked: from.Composition[kafka.Blocked], Lost: from.Composition[kafka.Lost],
			BeyondEnd: from.BeyondEnd,
		},
		Exact: from.Exact, Kinds: kindsOf(&from.Composition), Lacks: from.Lacks,
		Committed: from.Committed,
		EndsKnown: from.Ends.Err == nil, Start: from.Ends.LogStart, Stable: from.Ends.LastStable, End: from.Ends.HighWatermark,
		Leader: from.Ends.Leader, Epoch: from.Ends.LeaderEpoch, Coordinator: from.Coordinator,
		First: from.First, Blocker: blockerOf(from), Rewinds: eventsOf(p.Cluster, from.Rewinds),
	}
	if from.Err != nil {
		e.Why = whyNot(from)
	}
	if from.Lag.Known {
		e.Isolation, e.IsolationSource = from.Isolation.String(), from.Source.String()
	}
	if s := from.Scraped; s != nil {
		e.Scraped = &web.Scraped{At: from.ScrapedAt, Known: s.Known, Offsets: s.Offsets, Records: s.Records, Polled: !from.Followed}
		if s.CommitAt > 0 {
			e.Scraped.CommitAt = time.UnixMilli(s.CommitAt)
		}
	}
	for i := range from.Log {
		s := &from.Log[i]
		e.Log = append(e.Log, web.Stretch{
			From: s.From, To: s.To, Kind: s.Kind.String(), Kinds: kindsOf(&s.Composition),
			Batches: s.Batches, Bytes: s.Bytes, Producer: s.Producer, Epoch: s.Epoch, Marker: s.Marker, Open: s.Open, First: s.First,
		})
	}
	for _, r := range from.Requests {
		e.Requests = append(e.Requests, web.Request(r))
	}
	return e, nil
}

// whyNot says in words why there is no lag.
func whyNot(e *kafka.Explanation) string {
	switch {
	case e.Type == kafka.Share:
		return "A share group has no committed offsets to be judged by"
	case errors.Is(e.Err, kerr.UnknownTopicOrPartition) && e.Partitions > 0:
		return fmt.Sprintf("The topic has no such partition: its last one is %d", e.Partitions-1)
	}
	return why(e.Err)
}

// why puts an error into words.
func why(err error) string {
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID):
		return "The topic does not exist"
	case errors.Is(err, kerr.InvalidTopicException):
		return "No topic can have this name"
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return "The broker refuses to describe the topic"
	case errors.Is(err, kerr.GroupAuthorizationFailed):
		return "The broker refuses to tell the group's commits"
	case errors.Is(err, kerr.LeaderNotAvailable):
		return "The partition has no leader"
	}
	return "Not everything could be read: " + err.Error()
}

// lower lets a sentence go on.
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// blockerOf joins what the log tells of an open transaction with what its leader and coordinator have told.
func blockerOf(e *kafka.Explanation) *web.Blocker {
	if e.Composition[kafka.Blocked] == 0 || e.Blocker == nil && e.Transaction == nil {
		return nil
	}
	b := &web.Blocker{Producer: -1}
	if from := e.Blocker; from != nil {
		b.Producer, b.Epoch, b.Since = from.Producer, int32(from.Epoch), from.Since
	}
	if t := e.Transaction; t != nil {
		if t.ProducerID >= 0 {
			b.Producer, b.Epoch = t.ProducerID, t.Epoch
		}
		if !t.StartedAt.IsZero() {
			b.Since = t.StartedAt
		}
		b.TransactionalID, b.State, b.Timeout = t.TransactionalID, t.State, t.Timeout
		if b.Judged = t.Err == nil; b.Judged {
			b.Hanging, b.Doubt = t.Hanging, t.Why
		} else {
			b.Why = unjudged(t.Err)
		}
	}
	return b
}

// unjudged says what is missing where nobody tells whether a transaction hangs.
func unjudged(err error) string {
	switch {
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return "allow Read on Topic"
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return "allow Describe on TransactionalId"
	}
	return err.Error()
}

func kindsOf(c *kafka.Composition) web.Kinds {
	var kinds web.Kinds
	for _, k := range kafka.Kinds() {
		if c[k] > 0 {
			kinds = append(kinds, web.Count{Kind: k.String(), N: c[k]})
		}
	}
	return kinds
}

func eventsOf(cluster string, events []kafka.Event) []web.Event {
	all := make([]web.Event, len(events))
	for i, e := range events {
		all[i] = web.Event{
			At: e.At, Cluster: cluster, Kind: e.Kind.String(), Group: e.Group, Topic: e.Topic, Partition: e.Partition,
			From: e.From, To: e.To, Offsets: e.Offsets, Records: e.Records, More: e.More,
		}
	}
	return all
}
