package kafka

import (
	"context"
	"time"
)

// openTransaction is what the last Reading tells of the transaction that holds the last stable offset.
func openTransaction(e *Explanation, last *Reading) *OpenTransaction {
	if last == nil || e.Ends.LastStable >= e.Ends.HighWatermark {
		return nil
	}
	for i := range last.Transactions {
		t := &last.Transactions[i]
		if t.Topic == e.Topic && t.Partition == e.Partition && t.FirstOffset == e.Ends.LastStable {
			return t
		}
	}
	return nil
}

// openTransaction asks for what holds the last stable offset, as a pass does; nil when that has ended. A doubt makes for
// a second look, which says whether the first one has met the transaction as it ended: leaders, who know of no open one
// then, are asked before coordinators.
func (q *inquiry) openTransaction(ctx context.Context, asks *novelties) *OpenTransaction {
	e := q.explanation
	s := &Snapshot{At: e.At}
	for _, n := range q.nodes {
		s.Brokers = append(s.Brokers, n.Broker)
	}
	for _, leader := range q.txnCoordinators {
		s.leaderless = s.leaderless || q.byID[leader] == nil
	}
	var found *OpenTransaction
	memory := &stand{}
	for range 2 {
		row := &held{
			OpenTransaction: OpenTransaction{
				Topic: e.Topic, Partition: e.Partition, FirstOffset: e.Ends.LastStable, ProducerID: -1, StartedAt: e.At,
			},
			leader: e.Ends.Leader,
			stand:  memory,
		}
		look := transactionQuery{novelties: asks, snapshot: s}
		within(ctx, 1./2, func(ctx context.Context) { look.look(ctx, []*held{row}) })
		if row.gone {
			return nil
		}
		if found != nil && row.Err != nil {
			break
		}
		if row.StartedAt.Equal(e.At) {
			row.StartedAt = time.Time{}
		}
		if found = &row.OpenTransaction; row.Err != nil || row.Why == "" {
			break
		}
	}
	return found
}
