package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

// nobody is a transactional id that no producer has. Being told that it does not exist, rather than being refused, shows
// that ids which no coordinator lists are really not there.
const nobody = "truelag-exporter-asks-whether-it-may-describe"

// listTransactions asks all brokers for the transactional ids of the producers: each lists those that it coordinates.
func (q *transactionQuery) listTransactions(ctx context.Context, rows []*held) {
	q.listed, q.at = map[int64]string{}, map[string][]int32{}
	req := kmsg.NewPtrListTransactionsRequest()
	for _, r := range rows {
		if r.Err == nil {
			req.ProducerIDFilters = append(req.ProducerIDFilters, r.ProducerID)
		}
	}
	slices.Sort(req.ProducerIDFilters)
	req.ProducerIDFilters = slices.Compact(req.ProducerIDFilters)
	if len(req.ProducerIDFilters) == 0 {
		return
	}
	if q.snapshot.leaderless {
		q.unasked = fmt.Errorf("a partition of __transaction_state is without a leader: %w", kerr.CoordinatorNotAvailable)
	}
	var c guard.Crew
	for _, b := range q.snapshot.Brokers {
		if b.Err != nil { // it would use up the time of all
			q.unasked = cmp.Or(q.unasked, b.Err)
			continue
		}
		own := *req // the client notes the version in it
		c.Go(func() { q.listTransactionsAt(ctx, b.ID, &own) })
	}
	c.Wait()
}

func (q *transactionQuery) listTransactionsAt(ctx context.Context, broker int32, req *kmsg.ListTransactionsRequest) {
	answer, err := q.ask(ctx, broker, req)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.unasked = err
		return
	}
	resp := answer.(*kmsg.ListTransactionsResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil { // while it loads, it lists none
		q.wire.books.failed("ListTransactions", err)
		q.unasked = err
		return
	}
	for _, t := range resp.TransactionStates {
		q.listed[t.ProducerID] = t.TransactionalID
		q.at[t.TransactionalID] = append(q.at[t.TransactionalID], broker)
	}
}

// describeTransactions asks each broker about the ids that it listed.
func (q *transactionQuery) describeTransactions(ctx context.Context, rows []*held) {
	q.told = map[string]*kmsg.DescribeTransactionsResponseTransactionState{}
	q.failed = map[string]error{}
	type question struct {
		broker int32
		id     string
	}
	asked := map[question]bool{}
	requests := map[int32]*kmsg.DescribeTransactionsRequest{}
	add := func(broker int32, id string) {
		if asked[question{broker, id}] {
			return
		}
		asked[question{broker, id}] = true
		req := requests[broker]
		if req == nil {
			req = kmsg.NewPtrDescribeTransactionsRequest()
			requests[broker] = req
		}
		req.TransactionalIDs = append(req.TransactionalIDs, id)
	}
	unlisted := false
	for _, r := range rows {
		if r.Err != nil {
			continue
		}
		id, ok := q.listed[r.ProducerID]
		unlisted = unlisted || !ok
		for _, broker := range q.at[id] {
			add(broker, id)
		}
	}
	if unlisted && q.unasked == nil {
		at := q.snapshot.Brokers[0].ID
		for broker := range requests {
			at = broker
		}
		add(at, nobody)
	}
	var c guard.Crew
	for broker, req := range requests {
		c.Go(func() { q.describeTransactionsAt(ctx, broker, req) })
	}
	c.Wait()
	counted := map[string]bool{}
	for a := range asked {
		_, err := q.description(a.id)
		known := err == nil || q.told[a.id] == nil && q.failed[a.id] != nil // that is counted as a request's
		if known || counted[a.id] || a.id == nobody && !errors.Is(err, kerr.TransactionalIDAuthorizationFailed) {
			continue
		}
		counted[a.id] = true
		q.wire.books.failed("DescribeTransactions", err)
	}
}

func (q *transactionQuery) describeTransactionsAt(ctx context.Context, broker int32, req *kmsg.DescribeTransactionsRequest) {
	answer, err := q.ask(ctx, broker, req)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		for _, id := range req.TransactionalIDs {
			q.failed[id] = err
		}
		return
	}
	states := answer.(*kmsg.DescribeTransactionsResponse).TransactionStates
	for i := range states {
		t := &states[i]
		was := q.told[t.TransactionalID]
		if was == nil || was.ErrorCode == kerr.NotCoordinator.Code || t.ErrorCode == 0 {
			q.told[t.TransactionalID] = t
		}
	}
}

// idOf is the transactional id of a producer; empty when no coordinator has one. The error is why that cannot be said.
func (q *transactionQuery) idOf(producer int64) (string, error) {
	if id, ok := q.listed[producer]; ok {
		return id, nil
	}
	if q.unasked != nil {
		return "", fmt.Errorf("list the transactions of producer %d: %w", producer, q.unasked)
	}
	switch _, err := q.description(nobody); {
	case err == nil, errors.Is(err, kerr.TransactionalIDNotFound), errors.Is(err, kerr.NotCoordinator):
		return "", nil
	default: // brokers leave out of the list, without a word, what may not be described
		return "", fmt.Errorf("no coordinator lists producer %d, and not all may be listed: %w", producer, err)
	}
}

// description is what a coordinator told of a transactional id.
func (q *transactionQuery) description(id string) (*kmsg.DescribeTransactionsResponseTransactionState, error) {
	if t := q.told[id]; t != nil {
		return t, kerr.ErrorForCode(t.ErrorCode)
	}
	return nil, cmp.Or(q.failed[id], errUnanswered)
}

// names says whether a transaction has written to a partition and its marker is not there yet.
func names(d *kmsg.DescribeTransactionsResponseTransactionState, topic string, partition int32) bool {
	for i := range d.Topics {
		if d.Topics[i].Topic == topic && slices.Contains(d.Topics[i].Partitions, partition) {
			return true
		}
	}
	return false
}
