package kafka

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// bed is a fake cluster of three brokers, a reader of it, and a client that makes what is to be read.
type bed struct {
	*kfake.Cluster
	*reader
	connections
	t     testing.TB
	books *books
	maker *kgo.Client
}

func newBed(t testing.TB, config readerConfig, opts ...kfake.Opt) *bed {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3), patient}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	client := func(opts ...kgo.Opt) *kgo.Client {
		cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(c.ListenAddrs()...), kgo.RequestRetries(3), kgo.RetryBackoffFn(quickly))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cl.Close)
		return cl
	}
	b := &bed{Cluster: c, t: t, books: newBooks(), maker: client(kgo.RecordPartitioner(kgo.ManualPartitioner()))}
	b.reader = newReader(client(kgo.WithHooks(&b.connections)), config, b.books, log.NewNopLogger())
	return b
}

// patient makes brokers wait for group members and acknowledgements longer than any test takes: none sends heartbeats.
var patient = kfake.BrokerConfigs(map[string]string{
	"group.consumer.session.timeout.ms":   "3600000",
	"group.share.session.timeout.ms":      "3600000",
	"group.share.record.lock.duration.ms": "3600000",
})

// transactionTime is how long a transaction stays open: the longest that brokers allow, and longer than any test takes.
const transactionTime = 15 * time.Minute

// quickly is how the exporter's client retries.
func quickly(tries int) time.Duration { return time.Duration(tries) * 50 * time.Millisecond }

// fill makes two topics of six partitions with 5 records in each, topic a with an open transaction at the end of
// partition 0 and two records deleted from partition 1, and nine groups that have committed 3 everywhere.
func (b *bed) fill() {
	b.t.Helper()
	for _, topic := range []string{"a", "b"} {
		b.topic(topic, 6)
		for p := range int32(6) {
			b.ok(b.MoveTopicPartition(topic, p, p%3))
		}
		for p := range int32(6) {
			b.produce(b.maker, topic, p, 5)
		}
	}
	tx, err := kgo.NewClient(kgo.SeedBrokers(b.ListenAddrs()...), kgo.TransactionalID("x"),
		kgo.TransactionTimeout(transactionTime), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	b.ok(err)
	b.t.Cleanup(tx.Close)
	b.ok(tx.BeginTransaction())
	b.produce(tx, "a", 0, 1)
	b.ok(b.DeleteRecords("a", 1, 2))
	for i := range 9 {
		for _, topic := range []string{"a", "b"} {
			for p := range int32(6) {
				b.commit(fmt.Sprint("g", i), topic, p, 3)
			}
		}
	}
}

func (b *bed) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) topic(name string, partitions int32) {
	b.t.Helper()
	b.ok(b.CreateTopic(name, partitions, nil))
}

func (b *bed) produce(cl *kgo.Client, topic string, partition int32, records int) {
	b.t.Helper()
	for range records {
		b.ok(cl.ProduceSync(b.t.Context(), &kgo.Record{Topic: topic, Partition: partition, Value: []byte("v")}).FirstErr())
	}
}

func (b *bed) commit(group, topic string, partition int32, offset int64) {
	b.t.Helper()
	var os kadm.Offsets
	os.AddOffset(topic, partition, offset, -1)
	b.ok(kadm.NewClient(b.maker).CommitAllOffsets(b.t.Context(), group, os))
}

// request sends a request where the client thinks it belongs.
func request[R kmsg.Response](b *bed, req kmsg.Request) R {
	b.t.Helper()
	resp, err := b.maker.Request(b.t.Context(), req)
	b.ok(err)
	return resp.(R)
}

// hanging is the time of a read that waits for what does not come. Each of its steps gets a share, in which all that does come
// must be there, however busy the machine is.
const hanging = 24 * time.Second

// unhurried is the time of a read that has nothing to wait for.
const unhurried = 2 * time.Minute

// pass reads once, where every broker answers.
func (b *bed) pass() *Snapshot {
	b.t.Helper()
	return b.passWithin(unhurried)
}

// passWithin reads once, and wants the answer before the deadline.
func (b *bed) passWithin(d time.Duration) *Snapshot {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), d)
	defer cancel()
	s, err := b.read(ctx)
	b.ok(err)
	b.ok(ctx.Err())
	return s
}

// seen are the requests that brokers were sent, in order.
type seen struct {
	mu       sync.Mutex
	requests []seenRequest
}

type seenRequest struct {
	node int32
	req  kmsg.Request
}

func (b *bed) watch() *seen {
	s := &seen{}
	b.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, seenRequest{b.CurrentNode(), req})
		return nil, nil, false
	})
	return s
}

// take returns the requests since the last time, but for those that the client sends by itself on each new connection.
func (s *seen) take() []seenRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := slices.DeleteFunc(s.requests, func(r seenRequest) bool { return r.req.Key() == kmsg.ApiVersions.Int16() })
	s.requests = nil
	return r
}

// answer crafts the answers to a request key, at one broker (-1: at each). A nil response leaves the answer to the
// cluster.
func answer[Q kmsg.Request](b *bed, node int32, craft func(Q) kmsg.Response) {
	var q Q
	b.ControlKey(q.Key(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if node >= 0 && b.CurrentNode() != node {
			return nil, nil, false
		}
		resp := craft(req.(Q))
		if resp == nil {
			return nil, nil, false
		}
		b.KeepControl()
		resp.SetVersion(req.GetVersion())
		return resp, nil, true
	})
}

// join848 adds a member to a group of the new consumer protocol.
func (b *bed) join848(group, topic string) {
	b.t.Helper()
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch, req.RebalanceTimeoutMillis = group, "m", 0, 60_000
	req.SubscribedTopicNames = []string{topic}
	req.Topics = []kmsg.ConsumerGroupHeartbeatRequestTopic{}
	if resp := request[*kmsg.ConsumerGroupHeartbeatResponse](b, req); resp.ErrorCode != 0 {
		b.t.Fatalf("join %s: error %d %v", group, resp.ErrorCode, resp.ErrorMessage)
	}
}
