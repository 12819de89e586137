package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// writer produces to every partition of one topic.
type writer struct {
	client     *kgo.Client
	topic      string
	partitions int32
	written    int
}

// writer opens a producer; with an id it is a transactional one.
func (s *stage) writer(id string) (*writer, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(s.addrs...),
		kgo.ClientID("demo-" + s.topic),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
	}
	if id != "" {
		opts = append(opts, kgo.TransactionalID(id), kgo.TransactionTimeout(10*time.Minute))
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("open a producer: %w", err)
	}
	return &writer{client: client, topic: s.topic, partitions: s.partitions}, nil
}

// write appends n records to each partition.
func (w *writer) write(ctx context.Context, n int) error {
	var records []*kgo.Record
	for p := range w.partitions {
		for range n {
			w.written++
			records = append(records, &kgo.Record{
				Topic:     w.topic,
				Partition: p,
				Value:     fmt.Appendf(nil, `{"event":%d}`, w.written),
			})
		}
	}
	return w.client.ProduceSync(ctx, records...).FirstErr()
}

// begin opens a transaction and writes n records to each partition in it.
func (w *writer) begin(ctx context.Context, n int) error {
	if err := w.client.BeginTransaction(); err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	return w.write(ctx, n)
}

func (w *writer) end(ctx context.Context, how kgo.TransactionEndTry) error {
	if err := w.client.EndTransaction(ctx, how); err != nil {
		return fmt.Errorf("end a transaction: %w", err)
	}
	return nil
}

// transaction writes n records to each partition in one transaction, which ends as told.
func (w *writer) transaction(ctx context.Context, n int, how kgo.TransactionEndTry) error {
	if err := w.begin(ctx, n); err != nil {
		return err
	}
	return w.end(ctx, how)
}
