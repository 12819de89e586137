package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// producer writes one transaction after the other.
type producer struct {
	client  *kgo.Client // nil: the cluster never saw it
	id      int64
	epoch   int16
	open    bool
	touched map[int32]bool // partitions of the open transaction
}

// Append writes one batch.
func (f *Fake) Append(ctx context.Context, a Append) error {
	if a.Txn == "" {
		here := func(l *partitionLog) error {
			l.append(a.Records, noProducer, -1)
			return nil
		}
		return f.both(a.Partition, here, func() error { return produce(ctx, f.client, a.Partition, a.Records) })
	}
	p, err := f.begin(ctx, a.Txn)
	if err != nil {
		return err
	}
	here := func(l *partitionLog) error {
		l.append(a.Records, p.id, p.epoch)
		p.touched[a.Partition] = true
		return nil
	}
	return f.both(a.Partition, here, func() error { return produce(ctx, p.client, a.Partition, a.Records) })
}

// begin opens a transaction unless it is open.
func (f *Fake) begin(ctx context.Context, txn string) (*producer, error) {
	p := f.producers[txn]
	if p == nil {
		p = &producer{id: 4000 + int64(len(f.producers))}
		f.producers[txn] = p
		if !f.crafted {
			var err error
			// The cluster ends a transaction that has lasted longer by itself, which no case wants, however slowly it is played.
			if p.client, err = f.newClient(kgo.TransactionalID(txn), kgo.TransactionTimeout(15*time.Minute)); err != nil {
				return nil, err
			}
		}
	}
	if p.open {
		return p, nil
	}
	p.open, p.touched = true, map[int32]bool{}
	if f.crafted {
		return p, nil
	}
	if err := p.client.BeginTransaction(); err != nil {
		return nil, err
	}
	var err error
	p.id, p.epoch, err = p.client.ProducerID(ctx)
	return p, err
}

// End writes markers. Each carries the epoch after that of its data, as brokers do since KIP-890.
func (f *Fake) End(ctx context.Context, a End) error {
	p := f.producers[a.Txn]
	if p == nil || !p.open {
		return fmt.Errorf("transaction %s is not open", a.Txn)
	}
	p.open = false
	p.epoch++
	for _, partition := range slices.Sorted(maps.Keys(p.touched)) {
		if f.topic == nil || int(partition) >= len(f.topic.parts) {
			continue // deleted meanwhile
		}
		if err := f.change(partition, func(l *partitionLog) error {
			l.mark(p.id, p.epoch, a.Commit)
			return nil
		}); err != nil {
			return err
		}
	}
	if f.crafted {
		return nil
	}
	if err := p.client.EndTransaction(ctx, kgo.TransactionEndTry(a.Commit)); err != nil {
		return err
	}
	return f.agree()
}

// SkipTo writes plain records.
func (f *Fake) SkipTo(ctx context.Context, a SkipTo) error {
	var left int64
	here := func(l *partitionLog) error {
		left = a.Offset - l.end
		if left > fillLimit {
			f.crafted = true
		}
		l.skipTo(a.Offset)
		return nil
	}
	return f.both(a.Partition, here, func() error {
		for ; left > 0; left -= fillBatch {
			if err := produce(ctx, f.client, a.Partition, int(min(left, fillBatch))); err != nil {
				return err
			}
		}
		return nil
	})
}

// produce writes one batch.
func produce(ctx context.Context, client *kgo.Client, partition int32, records int) error {
	var failed error // promises are called one after the other, and all before Flush returns
	for range records {
		client.Produce(ctx, &kgo.Record{Topic: fakeTopic, Partition: partition, Key: []byte{}, Value: []byte{'x'}}, func(_ *kgo.Record, err error) {
			failed = errors.Join(failed, err)
		})
	}
	return errors.Join(client.Flush(ctx), failed)
}
