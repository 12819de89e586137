package kafka

import (
	"context"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// openTransactions looks for what holds back the last stable offsets that have not moved since the pass before. Requests:
// none when all have moved; else DescribeProducers 1 for each leader, ListTransactions 1 for each broker, and
// DescribeTransactions 1 for each broker that listed any of the producers.
func (c *Cluster) openTransactions(ctx context.Context, s *Snapshot) []OpenTransaction {
	rows := c.transactions.observe(s)
	if len(rows) == 0 {
		return nil
	}
	q := &transactionQuery{novelties: c.novelties, snapshot: s}
	rows = q.look(ctx, rows)
	open := make([]OpenTransaction, len(rows))
	for i, r := range rows {
		open[i] = r.OpenTransaction
	}
	return open
}

// transactionQuery is what leaders and coordinators told in one pass.
type transactionQuery struct {
	*novelties
	snapshot *Snapshot

	mu      sync.Mutex
	listed  map[int64]string   // transactional ids by producer id
	at      map[string][]int32 // brokers that listed an id; more than one while it moves
	unasked error              // why not all coordinators listed theirs
	told    map[string]*kmsg.DescribeTransactionsResponseTransactionState
	failed  map[string]error // by id, of a request
}

// look fills in the rows and judges them, and drops those that have ended.
func (q *transactionQuery) look(ctx context.Context, rows []*held) []*held {
	within(ctx, 1./3, func(ctx context.Context) { q.describeProducers(ctx, rows) })
	rows = slices.DeleteFunc(rows, func(r *held) bool { return r.gone })
	within(ctx, 1./2, func(ctx context.Context) { q.listTransactions(ctx, rows) })
	within(ctx, 3./4, func(ctx context.Context) { q.describeTransactions(ctx, rows) })
	for _, r := range rows {
		r.judge(q.snapshot.At, q)
	}
	return rows
}
