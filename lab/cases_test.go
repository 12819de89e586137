//go:build e2e

package lab_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/kafka"
	"truelag/lab"
)

// kv are records with keys and values of one letter: "a1" is key a, value 1.
func kv(pairs ...string) []lab.Record {
	var rs []lab.Record
	for _, p := range pairs {
		rs = append(rs, lab.Record{Key: []byte(p[:1]), Value: []byte(p[1:])})
	}
	return rs
}

// big is a record that fills most of a segment.
func big(key string) lab.Record {
	return lab.Record{Key: []byte(key), Value: bytes.Repeat([]byte("x"), 3000)}
}

// check holds the lag of a group that has committed an offset on partition 0, once for each isolation level, against what
// it should be made of, and its records against the oracle.
func check(t *testing.T, c *lab.Cluster, topic string, commit int64, committed, uncommitted kafka.Composition) {
	t.Helper()
	oracle := c.Oracle(t)
	k := exporter(t, c, topic)
	for i, want := range []kafka.Composition{committed, uncommitted} {
		group := fmt.Sprintf("%s-%s-%d", topic, []string{"rc", "ru"}[i], commit)
		c.CommitOffset(t, group, topic, 0, commit)
		lag := lagOf(read(t, k), group, topic)
		if lag == nil || lag.Composition != want {
			t.Errorf("group %s: %+v, want %v", group, lag, want)
			continue
		}
		answer := oracle.Ask(t, []lab.Question{{Topic: topic, Offset: commit, ReadCommitted: i == 0}})[0]
		if got := lag.Composition.Records(); got != answer.Records {
			t.Errorf("group %s: %d records, the consumer is handed %d: %s", group, got, answer.Records, answer.Offsets)
		}
	}
}

// batch is what a batch's header says.
type batch struct {
	last    int64
	count   int32
	control bool
}

// batches are those that a Fetch from offset 0 on is answered with.
func batches(t *testing.T, c *lab.Cluster, topic string) (all []batch) {
	t.Helper()
	for _, b := range recordBatches(t, c, topic) {
		all = append(all, batch{last: b.FirstOffset + int64(b.LastOffsetDelta), count: b.NumRecords, control: b.Attributes&0x20 != 0})
	}
	return all
}

// recordBatches are those that a Fetch from offset 0 on is answered with, whole.
func recordBatches(t *testing.T, c *lab.Cluster, topic string) (all []kmsg.RecordBatch) {
	t.Helper()
	for _, entry := range entries(t, c, topic) {
		var b kmsg.RecordBatch
		if err := b.ReadFrom(entry); err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// entries are what a Fetch from offset 0 on of a topic's only partition is answered with, in any message format.
func entries(t *testing.T, c *lab.Cluster, topic string) (all [][]byte) {
	t.Helper()
	cl := c.Client(t)
	details, err := kadm.NewClient(cl).ListTopics(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	p := kmsg.NewFetchRequestTopicPartition()
	p.PartitionMaxBytes = 1 << 20
	ft := kmsg.NewFetchRequestTopic()
	ft.Topic, ft.TopicID, ft.Partitions = topic, details[topic].ID, append(ft.Partitions, p)
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.Topics = 1<<20, append(req.Topics, ft)
	answer, err := cl.Broker(1).RetriableRequest(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for log := answer.(*kmsg.FetchResponse).Topics[0].Partitions[0].RecordBatches; len(log) > 0; {
		size := 12 + int(binary.BigEndian.Uint32(log[8:]))
		all, log = append(all, log[:size]), log[size:]
	}
	return all
}

// A marker whose data the cleaner has removed goes too, one pass later, but its batch may stay, emptied.
func TestEmptiedControlBatch(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "emptied-control"
	c.CreateTopic(t, topic, 1, c.Compacted())
	p := c.Producer(t, lab.ProducerOptions{TxnID: topic})
	p.Batch(t, topic, 0, kv("a1")...)
	p.End(t, false)
	check(t, c, topic, 0, kafka.Composition{kafka.Aborted: 1, kafka.Control: 1}, kafka.Composition{kafka.Record: 1, kafka.Control: 1})
	c.Compact(t, topic, 0)
	c.Compact(t, topic, 0)
	from, to := c.Compact(t, topic, 0)
	if from != 8 || to != 11 {
		t.Fatalf("pads at [%d, %d), want [8, 11)", from, to)
	}
	if b := batches(t, c, topic)[0]; b != (batch{last: 1, control: true}) {
		t.Fatalf("the first batch is %+v, want an emptied control batch", b)
	}
	// Of the nine pads two are left: the cleaner leaves the active segment, and the last record of a key below it.
	empty := kafka.Composition{kafka.Gap: 9, kafka.Record: 2}
	check(t, c, topic, 0, empty, empty)
	check(t, c, topic, 1, kafka.Composition{kafka.Gap: 8, kafka.Record: 2}, kafka.Composition{kafka.Gap: 8, kafka.Record: 2})
}

// The last batch of an idempotent producer stays when all its records are gone.
func TestEmptyDataBatch(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "empty-data"
	c.CreateTopic(t, topic, 1, c.Compacted())
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, kv("a1", "b1")...)
	c.Producer(t, lab.ProducerOptions{Raw: true}).Batch(t, topic, 0, kv("a2", "b2")...)
	c.Compact(t, topic, 0)
	if b := batches(t, c, topic)[0]; b != (batch{last: 1}) {
		t.Fatalf("the first batch is %+v, want an empty one", b)
	}
	for commit, gaps := range []int64{3, 2, 1} {
		want := kafka.Composition{kafka.Gap: gaps, kafka.Record: 4}
		check(t, c, topic, int64(commit), want, want)
	}
}

// The cleaner has removed all that was left below an open transaction. A read_committed consumer stays where it is until
// that ends, and nothing is left to read for it below.
func TestStuckPosition(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "stuck"
	c.CreateTopic(t, topic, 1, c.Compacted())
	c.Producer(t, lab.ProducerOptions{Raw: true}).Batch(t, topic, 0, kv("a1", "b1")...)
	ended := c.Producer(t, lab.ProducerOptions{TxnID: topic + "-ended"})
	ended.Batch(t, topic, 0, big("k1")) // 2
	hanging := c.Producer(t, lab.ProducerOptions{TxnID: topic + "-hanging"})
	hanging.Batch(t, topic, 0, big("k2")) // 3
	ended.End(t, false)                   // 4
	c.Compact(t, topic, 0)                // 5, 6, 7
	if e := (lab.Ends{LogStart: 0, LastStable: 3, HighWatermark: 8}); c.Ends(t, topic)[0] != e {
		t.Fatalf("ends %+v, want %+v", c.Ends(t, topic)[0], e)
	}
	if a := c.Oracle(t).Ask(t, []lab.Question{{Topic: topic, Offset: 2, ReadCommitted: true}})[0]; a.Stalled != 2 {
		t.Fatalf("the consumer: %+v, want it to stay at 2", a)
	}
	check(t, c, topic, 2, kafka.Composition{kafka.Gap: 1, kafka.Blocked: 5}, kafka.Composition{kafka.Gap: 1, kafka.Record: 4, kafka.Control: 1})
	check(t, c, topic, 0, kafka.Composition{kafka.Record: 2, kafka.Gap: 1, kafka.Blocked: 5},
		kafka.Composition{kafka.Record: 6, kafka.Gap: 1, kafka.Control: 1})

	hanging.End(t, true) // 8; the cleaner goes on
	c.AwaitCleaned(t, topic)
	group := topic + "-rc-2"
	lag := lagOf(read(t, exporter(t, c, group)), group, topic)
	a := c.Oracle(t).Ask(t, []lab.Question{{Topic: topic, Offset: 2, ReadCommitted: true}})[0]
	if lag == nil || lag.Composition.Records() != a.Records || lag.Composition[kafka.Blocked] != 0 || lag.Composition.Offsets() != 7 {
		t.Errorf("after the transaction: %+v, want %d records: %s", lag, a.Records, a.Offsets)
	}
}

// A client that died leaves its transaction open: what is above is blocked until the coordinator aborts it.
func TestHangingTransaction(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "hanging"
	c.CreateTopic(t, topic, 1, nil)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, lab.Records(3)...)
	dead := c.Producer(t, lab.ProducerOptions{TxnID: topic})
	dead.Batch(t, topic, 0, lab.Records(2)...)
	dead.Abandon()
	other := c.Producer(t, lab.ProducerOptions{TxnID: topic + "-other"})
	other.Batch(t, topic, 0, lab.Records(4)...)
	other.End(t, true)
	check(t, c, topic, 1, kafka.Composition{kafka.Record: 2, kafka.Blocked: 7}, kafka.Composition{kafka.Record: 8, kafka.Control: 1})

	successor := c.Producer(t, lab.ProducerOptions{TxnID: topic}) // its first act aborts what was left
	successor.Batch(t, topic, 0, lab.Records(1)...)
	successor.End(t, true)
	check(t, c, topic, 1, kafka.Composition{kafka.Record: 7, kafka.Aborted: 2, kafka.Control: 3},
		kafka.Composition{kafka.Record: 9, kafka.Control: 3})
}

// DeleteRecords past the start of an open transaction: the last stable offset is below the log start, and a
// read_committed consumer gets nothing.
func TestDeletedPastAnOpenTransaction(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "deleted-open"
	c.CreateTopic(t, topic, 1, nil)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, lab.Records(3)...)
	p := c.Producer(t, lab.ProducerOptions{TxnID: topic})
	p.Batch(t, topic, 0, lab.Records(4)...)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, lab.Records(5)...)
	c.DeleteRecords(t, topic, 0, 5)
	if e := (lab.Ends{LogStart: 5, LastStable: 3, HighWatermark: 12}); c.Ends(t, topic)[0] != e {
		t.Fatalf("ends %+v, want %+v", c.Ends(t, topic)[0], e)
	}
	check(t, c, topic, 1, kafka.Composition{kafka.Lost: 4, kafka.Blocked: 7}, kafka.Composition{kafka.Lost: 4, kafka.Record: 7})
	check(t, c, topic, 6, kafka.Composition{kafka.Blocked: 6}, kafka.Composition{kafka.Record: 6})
	p.End(t, false)
	check(t, c, topic, 1, kafka.Composition{kafka.Lost: 4, kafka.Aborted: 2, kafka.Record: 5, kafka.Control: 1},
		kafka.Composition{kafka.Lost: 4, kafka.Record: 7, kafka.Control: 1})
}

// An offset that a transaction commits counts once the transaction is committed, and not before.
func TestTransactionalCommit(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic, group = "txn-commit", "txn-commit-rc-0"
	c.CreateTopic(t, topic, 1, nil)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, lab.Records(9)...)
	c.CommitOffset(t, group, topic, 0, 2)
	k := exporter(t, c, group)
	lagIs := func(want int64) {
		t.Helper()
		lab.Await(t, func() error { // the coordinator answers before it writes the marker
			if lag := lagOf(read(t, k), group, topic); lag == nil || lag.Composition.Offsets() != want {
				return fmt.Errorf("%+v, want a lag of %d", lag, want)
			}
			return nil
		})
	}
	lagIs(7)
	for i, how := range []string{"abort", "commit", "leave"} {
		job := c.TxnCommit(t, fmt.Sprint(topic, i), group, topic, 0, int64(5+i))
		lagIs([]int64{7, 7, 3}[i])
		job.Send(t, how)
		job.Wait(t)
		lagIs([]int64{7, 3, 3}[i])
	}
}
