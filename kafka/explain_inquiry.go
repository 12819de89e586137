package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// inquiry reads one partition for one group. It goes through the steps of a pass, and its wire tells it of each request.
type inquiry struct {
	*pass
	explanation *Explanation

	mu       sync.Mutex
	requests []Request
	answers  []fetched
	fetches  int
}

// fetched is what one Fetch brought.
type fetched struct {
	at  int64 // the offset that was asked for
	log []byte
}

func newInquiry(c *Cluster, e *Explanation) *inquiry {
	q := &inquiry{explanation: e}
	w := &wire{client: c.client, books: c.books, told: q.told}
	r := &reader{wire: w, config: c.reader.config, logger: log.NewNopLogger()}
	q.pass = &pass{reader: r, strangers: map[string]bool{}, strangerIDs: map[TopicID]bool{}}
	return q
}

// read fills in the commit and the ends, in the order that makes them comparable: log start, commit, last stable offset,
// high watermark. The error is why there can be no lag.
func (q *inquiry) read(ctx context.Context) error {
	e := q.explanation
	if e.Type == Share {
		return errShare
	}
	var err error
	within(ctx, 1./3, func(ctx context.Context) { err = q.readTopic(ctx) })
	if err != nil {
		return fmt.Errorf("topic %q: %w", e.Topic, err)
	}
	part := &q.topics[0].Partitions[e.Partition]
	defer func() { e.Ends = *part }()
	var coordinator *node
	within(ctx, 1./3,
		func(ctx context.Context) { coordinator, err = q.findCoordinator(ctx) },
		func(ctx context.Context) { q.readEnds(ctx, logStart) })
	if err == nil {
		e.Coordinator = coordinator.ID
		within(ctx, 1./3, func(ctx context.Context) { err = q.readCommit(ctx, coordinator) })
	}
	within(ctx, 1./3, func(ctx context.Context) { q.readEnds(ctx, lastStable) })
	within(ctx, 1./3, func(ctx context.Context) { q.readEnds(ctx, highWatermark) })
	switch {
	case err != nil:
		return fmt.Errorf("commit of group %q: %w", e.Group, err)
	case part.Err != nil:
		return fmt.Errorf("ends of partition %d: %w", e.Partition, part.Err)
	}
	return nil
}

// errShare is why a share group has no lag of this kind.
var errShare = errors.New("a share group has no committed offsets")

// readTopic learns the brokers, the topic's identity and the partition's leader.
func (q *inquiry) readTopic(ctx context.Context) error {
	e := q.explanation
	if !legalTopic(e.Topic) {
		return kerr.InvalidTopicException
	}
	began := time.Now()
	topics := []kmsg.MetadataRequestTopic{{Topic: kmsg.StringPtr(e.Topic)}}
	if e.Topic != transactionTopic {
		topics = append(topics, kmsg.MetadataRequestTopic{Topic: kmsg.StringPtr(transactionTopic)})
	}
	resp, met, err := q.wire.metadata(ctx, topics)
	r := Request{API: "Metadata", Version: -1, Broker: met.NodeID, At: began, Took: time.Since(began), About: "leader of the partition", Err: err}
	if err != nil {
		q.note(r)
		return err
	}
	r.Version = resp.GetVersion()
	q.takeBrokers(resp, met)
	err = errUnanswered
	for i := range resp.Topics {
		t := &resp.Topics[i]
		if t.Topic == nil {
			continue
		}
		if *t.Topic == transactionTopic {
			q.txnCoordinators = leaders(t)
		}
		if *t.Topic == e.Topic {
			q.topics = []Topic{q.topic(t)}
			err = q.topics[0].Err
		}
	}
	r.Err = err
	q.note(r)
	if err != nil {
		return err
	}
	row := &q.topics[0]
	q.index, q.names = map[string]int{e.Topic: 0}, map[TopicID]string{row.ID: e.Topic}
	delete(q.names, TopicID{})
	e.Partitions = len(row.Partitions)
	if e.Partition < 0 || int(e.Partition) >= e.Partitions {
		return fmt.Errorf("it has %d partitions, counted from 0: %w", e.Partitions, kerr.UnknownTopicOrPartition)
	}
	for i := range row.Partitions {
		if i != int(e.Partition) {
			row.Partitions[i].Err = errUnasked
		}
	}
	return nil
}

// errUnasked keeps the other partitions out of the requests.
var errUnasked = errors.New("not asked about")

// scan reads the batch headers from the commit on. Of a read_committed group what lies above the last stable offset
// counts as held back without a look; it is read all the same, for who holds it back.
func (q *inquiry) scan(ctx context.Context, x *index, s *Snapshot, st *standing) {
	e := q.explanation
	run := func(budget int64, jobs []*job) {
		sc := scanner{ask: q.fetch, books: q.wire.books, now: e.At}
		sc.budget.Store(budget)
		sc.run(ctx, jobs)
	}
	run(explainBytes, x.plan(s))
	run(explainBytes, x.date([]standing{*st}))
	if p := &e.Ends; st.isolation == ReadCommitted && p.LastStable < p.HighWatermark && st.tails != nil && !refused(q.sent()) {
		t := st.tail(e.Partition)
		j := job{topic: st.topic, partition: e.Partition, leader: p.Leader, epoch: p.LeaderEpoch, tail: t, left: explainOpen}
		run(explainOpen, j.add(nil, intoOpen, &t.open, []span{{max(p.LastStable, p.LogStart), p.HighWatermark}}))
	}
}

var errEnough = errors.New("as many Fetch requests as one explanation may send")

// fetch sends a Fetch while the inquiry may send one.
func (q *inquiry) fetch(ctx context.Context, broker int32, req kmsg.Request) (kmsg.Response, error) {
	if q.fetches++; q.fetches > explainFetches {
		return nil, errEnough
	}
	return q.wire.ask(ctx, broker, req)
}
