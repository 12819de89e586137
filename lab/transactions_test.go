//go:build e2e

package lab_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"truelag/kafka"
	"truelag/lab"
)

// onlyTopic makes an exporter look at one topic.
func onlyTopic(topic string) func(*kafka.Config) {
	return func(cfg *kafka.Config) {
		cfg.Topics.Include = []*regexp.Regexp{regexp.MustCompile("^" + regexp.QuoteMeta(topic) + "$")}
	}
}

// one is the only open transaction of a reading.
func one(t *testing.T, r *kafka.Reading) kafka.OpenTransaction {
	t.Helper()
	if len(r.Transactions) != 1 {
		t.Fatalf("open transactions %+v, want one", r.Transactions)
	}
	return r.Transactions[0]
}

// findHanging is what kafka-transactions find-hanging prints of a topic: "partition producer start-offset", for
// transactions whose last record is older than a minute.
func findHanging(t *testing.T, c *lab.Cluster, topic string) (rows []string) {
	t.Helper()
	var column map[string]int
	for _, line := range c.Tool(t, "transactions", "find-hanging", "--topic", topic, "--max-transaction-timeout", "1") {
		f := strings.Fields(line)
		switch {
		case len(f) > 0 && f[0] == "Topic":
			column = map[string]int{}
			for i, name := range f {
				column[name] = i
			}
		case len(f) > 0 && column != nil:
			rows = append(rows, strings.Join([]string{f[column["Partition"]], f[column["ProducerId"]], f[column["StartOffset"]]}, " "))
		}
	}
	return rows
}

// blocker is what an explanation tells of the transaction that holds a group back at the beginning of a partition.
func blocker(t *testing.T, k *kafka.Cluster, c *lab.Cluster, topic string, partition int32) kafka.OpenTransaction {
	t.Helper()
	group := topic + "-rc-0"
	c.CommitOffset(t, group, topic, partition, 0)
	ctx, cancel := context.WithTimeout(t.Context(), passTime)
	defer cancel()
	e, err := k.Explain(ctx, group, topic, partition)
	if err != nil || e.Err != nil || e.Composition[kafka.Blocked] == 0 || e.Blocker == nil || e.Transaction == nil {
		t.Fatalf("%v, %+v", err, e)
	}
	if e.Transaction.FirstOffset != e.Blocker.First || e.Transaction.ProducerID != e.Blocker.Producer {
		t.Errorf("the log names %+v, the brokers %+v", e.Blocker, e.Transaction)
	}
	return *e.Transaction
}

// Who holds the last stable offset, since when, and when it is over; also when the client has died.
func TestOpenTransaction(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "open-transaction"
	c.CreateTopic(t, topic, 2, nil)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 1, lab.Records(3)...)
	p := c.Producer(t, lab.ProducerOptions{TxnID: topic})
	before := time.Now()
	p.Batch(t, topic, 1, lab.Records(2)...)
	after := time.Now()
	k := exporter(t, c, topic, onlyTopic(topic))
	unread := blocker(t, k, c, topic, 1)
	if r := read(t, k); len(r.Transactions) != 0 {
		t.Errorf("at first sight: %+v", r.Transactions)
	}
	check := func() {
		t.Helper()
		for range 2 {
			tx := one(t, read(t, k))
			for when, explained := range map[string]kafka.OpenTransaction{"before any read": unread, "after it": blocker(t, k, c, topic, 1)} {
				if explained != tx {
					t.Errorf("explained %s as %+v, read as %+v", when, explained, tx)
				}
			}
			if tx.StartedAt.Before(before.Truncate(time.Millisecond)) || tx.StartedAt.After(after) {
				t.Errorf("began at %s, want from %s to %s", tx.StartedAt, before, after)
			}
			if tx.Err != nil || tx.Hanging || tx.Why != "" || tx.Partition != 1 || tx.FirstOffset != 3 || tx.TransactionalID != topic ||
				tx.State != "Ongoing" || tx.Timeout < time.Minute {
				t.Errorf("got %+v", tx)
			}
		}
	}
	check()
	p.Abandon()
	check()
	if rows := findHanging(t, c, topic); rows != nil {
		t.Errorf("kafka-transactions calls %q hanging", rows)
	}
	successor := c.Producer(t, lab.ProducerOptions{TxnID: topic}) // aborts what was left
	successor.Batch(t, topic, 0, lab.Records(1)...)
	successor.End(t, true)
	c.AwaitEnded(t, topic)
	if r := read(t, k); len(r.Transactions) != 0 {
		t.Errorf("after the end: %+v", r.Transactions)
	}
}

// late writes a batch to a transaction that its coordinator has ended: what brokers let through that do not verify
// (KAFKA-14402), and what then hangs for ever. The record is an hour old, as find-hanging wants it; from says when it was made.
func late(t *testing.T, p *kgo.Client, id, topic string, sequence int32) (from time.Time) {
	t.Helper()
	producer, epoch, err := p.ProducerID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	record := kmsg.Record{Value: []byte("late")}
	record.Length = int32(len(record.AppendTo(nil)) - 1) // but for the length itself
	at := time.Now().Add(-time.Hour).UnixMilli()
	batch := kmsg.RecordBatch{
		PartitionLeaderEpoch: -1, Magic: 2, Attributes: 0x10, FirstTimestamp: at, MaxTimestamp: at,
		ProducerID: producer, ProducerEpoch: epoch, FirstSequence: sequence, NumRecords: 1, Records: record.AppendTo(nil),
	}
	log := batch.AppendTo(nil)
	binary.BigEndian.PutUint32(log[8:], uint32(len(log)-12))
	binary.BigEndian.PutUint32(log[17:], crc32.Checksum(log[21:], crc32.MakeTable(crc32.Castagnoli)))

	req := kmsg.NewPtrProduceRequest()
	req.TransactionID, req.Acks, req.TimeoutMillis = &id, -1, 10_000
	rp := kmsg.NewProduceRequestTopicPartition()
	rp.Records = log
	rt := kmsg.NewProduceRequestTopic()
	rt.Topic, rt.Partitions = topic, []kmsg.ProduceRequestTopicPartition{rp}
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(t.Context(), p)
	if err == nil {
		err = kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
	}
	if err != nil {
		t.Fatalf("produce late: %v", err)
	}
	return time.UnixMilli(at)
}

// A record that comes after its transaction's end begins one that nobody will end. The exporter says so where
// kafka-transactions find-hanging does, and no more once that tool has aborted it.
func TestHangingTransactionIsTheTools(t *testing.T) {
	c := pool.Shared(t, lab.Options{Extra: map[string]string{"transaction.partition.verification.enable": "false"}})
	const topic = "hanging-transaction"
	c.CreateTopic(t, topic, 2, nil)
	// Requests of before KIP-890: an end of a transaction then leaves the producer's epoch as it is.
	p := c.Client(t, kgo.TransactionalID(topic), kgo.MaxVersions(kversion.V3_6_0()), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err := p.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte("v")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	c.AwaitEnded(t, topic)
	c.AwaitCompleted(t, topic)
	from := late(t, p, topic, topic, 2)
	open := c.Producer(t, lab.ProducerOptions{TxnID: topic + "-open"}) // an ordinary one beside it
	open.Batch(t, topic, 1, lab.Records(1)...)

	k := exporter(t, c, topic, onlyTopic(topic))
	unread := blocker(t, k, c, topic, 0) // two looks in one
	read(t, k)
	for look := range 3 {
		r := read(t, k)
		if len(r.Transactions) != 2 {
			t.Fatalf("look %d: %+v", look, r.Transactions)
		}
		tx := r.Transactions[0]
		if tx.Err != nil || tx.Hanging != (look > 0) || tx.FirstOffset != 3 || tx.TransactionalID != topic || !strings.Contains(tx.Why, "no transaction on the partition") {
			t.Errorf("look %d: %+v", look, tx)
		}
		if !tx.StartedAt.Equal(from) { // the coordinator tells no beginning
			t.Errorf("look %d: began at %s, want %s, as the record says", look, tx.StartedAt, from)
		}
		if explained := blocker(t, k, c, topic, 0); explained != tx || look > 0 && unread != tx {
			t.Errorf("look %d: %+v, explained as %+v, and before any read as %+v", look, tx, explained, unread)
		}
		if explained := blocker(t, k, c, topic, 1); explained != r.Transactions[1] {
			t.Errorf("look %d: %+v, explained as %+v", look, r.Transactions[1], explained)
		}
		if tx := r.Transactions[1]; tx.Partition != 1 || tx.Hanging || tx.Err != nil || tx.Why != "" {
			t.Errorf("look %d: the other one: %+v", look, tx)
		}
		if look == 2 {
			want := []string{fmt.Sprint("0 ", tx.ProducerID, " 3")}
			if rows := findHanging(t, c, topic); !slices.Equal(rows, want) {
				t.Errorf("kafka-transactions calls %q hanging, the exporter %q", rows, want)
			}
		}
	}
	c.Tool(t, "transactions", "abort", "--topic", topic, "--partition", "0", "--start-offset", "3")
	lab.Await(t, func() error {
		if e := c.Ends(t, topic)[0]; e.LastStable != e.HighWatermark {
			return fmt.Errorf("ends %+v", e)
		}
		return nil
	})
	if tx := one(t, read(t, k)); tx.Partition != 1 {
		t.Errorf("after its end: %+v", tx)
	}
}

// What the exporter may not ask is said, and costs nothing else.
func TestTransactionsThatMayNotBeDescribed(t *testing.T) {
	c := pool.Shared(t, lab.Options{Secure: true})
	const topic, user = "transaction-acls", "transaction-reader"
	c.CreateTopic(t, topic, 1, nil)
	c.AddUser(t, user)
	p := c.Producer(t, lab.ProducerOptions{TxnID: topic})
	p.Batch(t, topic, 0, lab.Records(2)...)
	c.Allow(t, user, kadm.NewACLs().Topics(topic), kadm.OpDescribe)
	secret := func(s string) kafka.Secret { return func() (string, error) { return s, nil } }
	k := exporter(t, c, topic, onlyTopic(topic), func(cfg *kafka.Config) {
		cfg.Client.Seeds = []string{c.SASL}
		cfg.Client.SASL = kafka.Scram{User: secret(user), Password: secret(lab.Password(user))}
	})
	first := read(t, k).At

	tx := one(t, read(t, k))
	if !errors.Is(tx.Err, kerr.TopicAuthorizationFailed) || tx.ProducerID != -1 || !tx.StartedAt.Equal(first) {
		t.Errorf("without READ: %+v, want it since the first sight at %s", tx, first)
	}
	c.Allow(t, user, kadm.NewACLs().Topics(topic), kadm.OpRead)
	lab.Await(t, func() error {
		tx = one(t, read(t, k))
		if tx.ProducerID < 0 {
			return fmt.Errorf("with READ: %+v", tx)
		}
		return nil
	})
	for range 2 {
		r := read(t, k)
		if tx := one(t, r); !errors.Is(tx.Err, kerr.TransactionalIDAuthorizationFailed) || tx.Hanging || tx.TransactionalID != "" {
			t.Errorf("without DESCRIBE on the transactional id: %+v", tx)
		}
		if r.Ledger.Errors[kafka.Failure{API: "DescribeTransactions", Error: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"}] == 0 {
			t.Error("the refusal is not counted")
		}
	}
	c.Allow(t, user, kadm.NewACLs().TransactionalIDs(topic), kadm.OpDescribe)
	lab.Await(t, func() error {
		if tx := one(t, read(t, k)); tx.Err != nil || tx.TransactionalID != topic || tx.State != "Ongoing" || tx.Hanging {
			return fmt.Errorf("with all that it takes: %+v", tx)
		}
		return nil
	})
}
