package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

// producersWidth is how many partitions one DescribeProducers names at the most: an answer lists all producers that a
// partition has seen within a day. Partitions beyond it, those held for the shortest time, keep the age of their first
// sight.
const producersWidth = 2000

// describeProducers asks the leaders which producers have a transaction open.
func (q *transactionQuery) describeProducers(ctx context.Context, rows []*held) {
	byLeader := map[int32][]*held{}
	for _, r := range rows {
		byLeader[r.leader] = append(byLeader[r.leader], r)
	}
	var c guard.Crew
	for leader, rows := range byLeader {
		if len(rows) > producersWidth {
			slices.SortStableFunc(rows, func(a, b *held) int { return a.stand.since.Compare(b.stand.since) })
			for _, r := range rows[producersWidth:] {
				r.Err = fmt.Errorf("not asked: %d partitions of broker %d are held for longer", producersWidth, leader)
			}
			rows = rows[:producersWidth]
		}
		c.Go(func() { q.describeProducersAt(ctx, leader, rows) })
	}
	c.Wait()
}

func (q *transactionQuery) describeProducersAt(ctx context.Context, leader int32, rows []*held) {
	req := kmsg.NewPtrDescribeProducersRequest()
	found := make(map[place]*held, len(rows))
	topics := map[string]int{}
	for _, r := range rows {
		r.Err = errUnanswered
		found[place{r.Topic, r.Partition}] = r
		i, ok := topics[r.Topic]
		if !ok {
			i = len(req.Topics)
			topics[r.Topic] = i
			t := kmsg.NewDescribeProducersRequestTopic()
			t.Topic = r.Topic
			req.Topics = append(req.Topics, t)
		}
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, r.Partition)
	}
	answer, err := q.ask(ctx, leader, req)
	if err != nil {
		for _, r := range rows {
			r.Err = err
		}
		return
	}
	for _, t := range answer.(*kmsg.DescribeProducersResponse).Topics {
		for i := range t.Partitions {
			p := &t.Partitions[i]
			r := found[place{t.Topic, p.Partition}]
			if r == nil || !errors.Is(r.Err, errUnanswered) {
				continue
			}
			if r.Err = kerr.ErrorForCode(p.ErrorCode); r.Err == nil {
				r.take(p.ActiveProducers)
			}
		}
	}
	for _, r := range rows {
		if r.Err != nil {
			q.wire.books.failed("DescribeProducers", r.Err)
		}
	}
}

// take finds the producer that holds the last stable offset: the one whose transaction began first, if it did so there.
// A log start that has passed the beginning may have taken the last stable offset along. One that began later has only
// taken the place of one that ended.
func (r *held) take(producers []kmsg.DescribeProducersResponseTopicPartitionActiveProducer) {
	var first *kmsg.DescribeProducersResponseTopicPartitionActiveProducer
	for i := range producers {
		p := &producers[i]
		if p.CurrentTxnStartOffset >= 0 && (first == nil || p.CurrentTxnStartOffset < first.CurrentTxnStartOffset) {
			first = p
		}
	}
	if first == nil || first.CurrentTxnStartOffset > r.FirstOffset {
		r.gone = true
		return
	}
	r.ProducerID, r.Epoch = first.ProducerID, first.ProducerEpoch
	if last := time.UnixMilli(first.LastTimestamp); first.LastTimestamp > 0 && last.Before(r.StartedAt) {
		r.StartedAt = last
	}
}
