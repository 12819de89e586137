package lab

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// transactionTimeout is longer than any test leaves a transaction open, and not longer than the brokers allow.
const transactionTimeout = 14 * time.Minute

// ProducerOptions says what kind of producer. The zero value is an idempotent one without transactions.
type ProducerOptions struct {
	TxnID       string // not empty: transactional
	Raw         bool   // without idempotence: producer id -1
	Compression kgo.CompressionCodec
}

// Producer writes batches whose borders the test decides. It is for one goroutine.
type Producer struct {
	client  *kgo.Client
	cluster *Cluster
	id      string // transactional; empty: none
	begun   bool
	open    kadm.TopicsSet // partitions of the open transaction
}

// Producer opens a producer; what it leaves open when the test ends stays open, like a client that died.
func (c *Cluster) Producer(t testing.TB, o ProducerOptions) *Producer {
	t.Helper()
	opts := []kgo.Opt{
		kgo.ManualFlushing(), // a batch is what lies between two flushes
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(o.Compression),
	}
	if o.TxnID != "" {
		opts = append(opts, kgo.TransactionalID(o.TxnID), kgo.TransactionTimeout(transactionTimeout))
	}
	if o.Raw {
		opts = append(opts, kgo.DisableIdempotentWrite())
	}
	return &Producer{client: c.Client(t, opts...), cluster: c, id: o.TxnID}
}

// Record is a record as the lab writes it: Key and Value may be nil.
type Record struct {
	Key, Value []byte
	At         time.Time // when it was created; now where it is zero
}

// Records are n records of one byte and without keys.
func Records(n int) []Record {
	rs := make([]Record, n)
	for i := range rs {
		rs[i].Value = []byte{'v'}
	}
	return rs
}

// Batch writes one batch, and begins a transaction before it where the producer is transactional and has none open.
func (p *Producer) Batch(t testing.TB, topic string, partition int32, records ...Record) {
	t.Helper()
	if p.id != "" && !p.begun {
		if err := p.client.BeginTransaction(); err != nil {
			t.Fatalf("begin a transaction: %v", err)
		}
		p.begun, p.open = true, kadm.TopicsSet{}
	}
	done := make(chan error, len(records))
	for _, r := range records {
		p.client.Produce(t.Context(), &kgo.Record{Topic: topic, Partition: partition, Key: r.Key, Value: r.Value, Timestamp: r.At},
			func(_ *kgo.Record, err error) { done <- err })
	}
	err := p.client.Flush(t.Context())
	for range records {
		err = errors.Join(err, <-done)
	}
	if err != nil {
		t.Fatalf("produce to %s-%d: %v", topic, partition, err)
	}
	if p.begun {
		p.open.Add(topic, partition)
	}
}

// End commits or aborts the open transaction, and waits until every partition has its marker, and whoever reads is handed what lies below:
// the coordinator answers before it has them written.
func (p *Producer) End(t testing.TB, commit bool) {
	t.Helper()
	id, _, err := p.client.ProducerID(t.Context())
	if err != nil {
		t.Fatalf("producer id: %v", err)
	}
	how := kgo.TryAbort
	if commit {
		how = kgo.TryCommit
	}
	if err := p.client.EndTransaction(t.Context(), how); err != nil {
		t.Fatalf("end the transaction: %v", err)
	}
	p.cluster.awaitMarkers(t, id, p.open)
	if !p.cluster.Options.zookeeper() { // before 3.0 transactions are not told
		p.cluster.AwaitCompleted(t, p.id)
	}
	p.begun, p.open = false, nil
}

// Abandon closes the client with the transaction open.
func (p *Producer) Abandon() { p.client.Close() }

// awaitMarkers waits until a producer has no open transaction on any of the partitions.
func (c *Cluster) awaitMarkers(t testing.TB, producer int64, on kadm.TopicsSet) {
	t.Helper()
	adm := c.Admin(t)
	Await(t, func() error {
		described, err := adm.DescribeProducers(t.Context(), on)
		if err != nil {
			return err
		}
		for _, p := range described.SortedPartitions() {
			if p.Err != nil {
				return p.Err
			}
			for _, a := range p.ActiveProducers {
				if a.ProducerID == producer && a.CurrentTxnStartOffset >= 0 {
					return fmt.Errorf("producer %d has a transaction open on %s-%d", producer, p.Topic, p.Partition)
				}
			}
		}
		return nil
	})
}

// AwaitCompleted waits until the coordinator of a transactional id has nothing left to do for a transaction that was ended: it has been told
// by every leader that the marker is there, and replicated.
func (c *Cluster) AwaitCompleted(t testing.TB, id string) {
	t.Helper()
	adm := c.Admin(t)
	Await(t, func() error {
		told, err := adm.DescribeTransactions(t.Context(), id)
		if err = cmp.Or(err, told[id].Err); err != nil {
			return fmt.Errorf("transactional id %s: %w", id, err)
		}
		if state := told[id].State; state == "Ongoing" || strings.HasPrefix(state, "Prepare") {
			return fmt.Errorf("transactional id %s is in state %s", id, state)
		}
		return nil
	})
}

// AwaitEnded waits until no transaction is open on any partition of a topic.
func (c *Cluster) AwaitEnded(t testing.TB, topic string) {
	t.Helper()
	adm := c.Admin(t)
	Await(t, func() error {
		ends, err := c.ends(t.Context(), adm, topic)
		if err != nil {
			return err
		}
		for p, e := range ends {
			if e.LastStable != e.HighWatermark {
				return fmt.Errorf("%s-%d: last stable offset %d, high watermark %d", topic, p, e.LastStable, e.HighWatermark)
			}
		}
		return nil
	})
}
