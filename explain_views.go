package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"truelag/kafka"
	"truelag/web"
)

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
