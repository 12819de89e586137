package consumer_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"truelag/mysql/consumer"
)

const offsetsTopic = "connect-offsets"

// worker is a fake cluster with a topic of five partitions, and who writes to it as a worker of Kafka Connect does.
type worker struct {
	*kfake.Cluster
	t       *testing.T
	maker   *kgo.Client
	fetches atomic.Int64
}

func newWorker(t *testing.T) *worker {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	w := &worker{Cluster: c, t: t}
	w.maker = w.client(kgo.ProducerBatchCompression(kgo.NoCompression()))
	w.create()
	c.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		w.fetches.Add(1)
		return nil, nil, false
	})
	return w
}

func (w *worker) client(opts ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(w.ListenAddrs()...))...)
	w.ok(err)
	w.t.Cleanup(cl.Close)
	return cl
}

func (w *worker) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *worker) create() {
	w.t.Helper()
	_, err := kadm.NewClient(w.maker).CreateTopic(w.t.Context(), 5, 1, nil, offsetsTopic)
	w.ok(err)
}

func (w *worker) topic() *consumer.Topic {
	w.t.Helper()
	topic, err := consumer.NewTopic(consumer.TopicConfig{Topic: offsetsTopic, Client: w.client()})
	w.ok(err)
	return topic
}

func (w *worker) consumer(connector, server string) *consumer.TopicConsumer {
	w.t.Helper()
	return ok[*consumer.TopicConsumer](w.t)(w.topic().Consumer(consumer.TopicConsumerConfig{Connector: connector, Server: server}))
}

// note writes a record; an empty value is a tombstone.
func (w *worker) note(connector, server, value string) {
	w.t.Helper()
	w.write(w.maker, fmt.Sprintf(`[%q,{"server":%q}]`, connector, server), value)
}

func (w *worker) write(cl *kgo.Client, key, value string) {
	w.t.Helper()
	r := &kgo.Record{Topic: offsetsTopic, Key: []byte(key)}
	if value != "" {
		r.Value = []byte(value)
	}
	w.ok(cl.ProduceSync(w.t.Context(), r).FirstErr())
}

func at(pos int) string { return fmt.Sprintf(`{"file":"b.000001","pos":%d}`, pos) }

// The records are those of Kafka Connect 4.4: a snapshot, a place that was set by hand, one that was removed, and another prefix.
func TestTopicRecorded(t *testing.T) {
	w := newWorker(t)
	c := w.consumer("my80", "")
	places := []string{
		"place mysql-bin.000001:853 " + set + ":1-3 snapshot INITIAL",
		"place mysql-bin.000001:853 " + set + ":1-3",
		"place mysql-bin.000001:1522 " + set + ":1-5 event 2 row 3",
		"place mysql-bin.000001:1522 x:1",
		"which the topic has no offset of a connector my80",
		"place mysql-bin.000001:1738 " + set + ":1-6",
		"place mysql-bin.000001:1817 " + set + ":1-6 event 2 row 1",
		"place mysql-bin.000001:2017 " + set + ":1-7\nwhich server my80b, which has the newest record of my80, my80b",
		"place mysql-bin.000001:2096 " + set + ":1-7 event 2 row 1\nwhich server my80b, which has the newest record of my80, my80b",
	}
	lines := bytes.Split(bytes.TrimSpace(testdata(t, "topic.tsv")), []byte("\n"))
	if len(lines) != len(places) {
		t.Fatal(len(lines))
	}
	for i, line := range lines {
		key, value, _ := strings.Cut(string(line), "\t")
		if value == "null" {
			value = ""
		}
		w.write(w.maker, key, value)
		want(t, c, places[i])
	}
	want(t, w.consumer("my80", ""), places[len(places)-1]) // one that comes late reads the same
	want(t, w.consumer("my80", "my80"), "place mysql-bin.000001:1817 "+set+":1-6 event 2 row 1",
		"which server my80, as configured, of my80, my80b")
}

func TestTopicIsReadOn(t *testing.T) {
	w := newWorker(t)
	c := w.consumer("c", "")
	want(t, c, "which the topic has no offset of a connector c")
	if n := w.fetches.Load(); n != 0 {
		t.Errorf("%d fetches of an empty topic", n)
	}
	w.note("c", "s", at(5))
	w.note("other", "s", at(6))
	w.write(w.maker, `["c",{"kafka_topic":"t"}]`, at(7))
	w.write(w.maker, `{"not":"one"}`, at(8))
	w.write(w.maker, `[1,2,3]`, "")
	want(t, c, "place b.000001:5")
	before := w.fetches.Load()
	want(t, c, "place b.000001:5")
	if n := w.fetches.Load() - before; n != 0 {
		t.Errorf("%d fetches where nothing is new", n)
	}
	w.note("c", "s", at(9))
	want(t, c, "place b.000001:9")
	if n := w.fetches.Load() - before; n != 1 {
		t.Errorf("%d fetches of one new record", n)
	}
	w.note("c", "s", "null")
	want(t, c, "which the topic has no offset of a connector c, only of other")
	w.note("other", "s", "")
	want(t, c, "which the topic has no offset of a connector c")
	w.note("c", "s", "{")
	want(t, c, "error topic connect-offsets: offset of server s: want a JSON object: unexpected end of JSON input")
}

// A connector's name that is misspelt is told from those that the topic has something of, however many they are: not of those whose
// offsets were removed, and of no connector for something else.
func TestTopicOfOtherConnectors(t *testing.T) {
	w := newWorker(t)
	topic := w.topic()
	misspelt := ok[*consumer.TopicConsumer](t)(topic.Consumer(consumer.TopicConsumerConfig{Connector: "ordrs"}))
	right := ok[*consumer.TopicConsumer](t)(topic.Consumer(consumer.TopicConsumerConfig{Connector: "shop"}))
	for _, connector := range []string{"orders", "shop", "gone", "a\\u001bb"} {
		w.write(w.maker, `["`+connector+`",{"server":"s"}]`, at(5))
	}
	w.note("orders", "t", at(5))
	w.note("gone", "s", "")
	w.write(w.maker, `["mirror",{"topic":"t","partition":0}]`, `{"offset":7}`)
	want(t, right, "place b.000001:5")
	want(t, misspelt, "which the topic has no offset of a connector ordrs, only of a b, orders, shop")
	for i := range 1200 {
		w.maker.Produce(t.Context(), &kgo.Record{Topic: offsetsTopic, Key: fmt.Appendf(nil, `["many%04d",{"server":"s"}]`, i), Value: []byte(at(5))}, nil)
	}
	w.ok(w.maker.Flush(t.Context()))
	got, err := misspelt.Read(t.Context())
	w.ok(err)
	if which := got.Which; len(which) > 200 || !strings.HasSuffix(which, " more") || strings.Contains(which, "12") {
		t.Errorf("%q", which)
	}
	want(t, right, "place b.000001:5")
}

// A topic that is made again is another one, also where it is as long.
func TestTopicThatIsMadeAgain(t *testing.T) {
	w := newWorker(t)
	c := w.consumer("c", "")
	for i := range 20 {
		w.note("c", "s", at(100+i))
	}
	want(t, c, "place b.000001:119")
	_, err := kadm.NewClient(w.maker).DeleteTopics(t.Context(), offsetsTopic)
	w.ok(err)
	got, err := c.Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "topic connect-offsets: metadata: UNKNOWN_TOPIC_OR_PARTITION") ||
		!strings.HasSuffix(err.Error(), ": is it the worker's offset.storage.topic, and this its cluster?") || got.Position != nil {
		t.Error(err)
	}
	w.create()
	w.maker = w.client()
	for i := range 20 {
		w.note("c", "new", at(10+i))
	}
	want(t, c, "place b.000001:29")
}

// Brokers before 2.8 give topics no ids. There one that is made again shows by an end before what was read of the other.
func TestTopicThatIsMadeAgainWithoutIDs(t *testing.T) {
	w := newWorker(t)
	topic, err := consumer.NewTopic(consumer.TopicConfig{Topic: offsetsTopic, Client: w.client(kgo.MaxVersions(kversion.V2_4_0()))})
	w.ok(err)
	c := ok[*consumer.TopicConsumer](t)(topic.Consumer(consumer.TopicConsumerConfig{Connector: "c"}))
	for i := range 3 {
		w.note("c", "s", at(100+i))
	}
	want(t, c, "place b.000001:102")
	_, err = kadm.NewClient(w.maker).DeleteTopics(t.Context(), offsetsTopic)
	w.ok(err)
	w.create()
	w.maker = w.client()
	w.note("c", "s", at(5))
	want(t, c, "place b.000001:5")
}

func TestTopicWhoseStartIsDeleted(t *testing.T) {
	w := newWorker(t)
	c := w.consumer("c", "")
	w.note("c", "s", at(5))
	want(t, c, "place b.000001:5")
	for i := range 5 {
		w.note("c", "s", at(6+i))
	}
	admin := kadm.NewClient(w.maker)
	ends, err := admin.ListEndOffsets(t.Context(), offsetsTopic)
	w.ok(err)
	_, err = admin.DeleteRecords(t.Context(), ends.Offsets())
	w.ok(err)
	want(t, c, "which the topic has no offset of a connector c")
	w.note("c", "s", at(50))
	want(t, c, "place b.000001:50")
}

// With exactly-once, offsets are written in the transaction of the records that they are about.
func TestTopicOfTransactions(t *testing.T) {
	w := newWorker(t)
	c := w.consumer("c", "")
	task := w.client(kgo.TransactionalID("task"), kgo.TransactionTimeout(15*time.Minute))
	write := func(pos int, end kgo.TransactionEndTry) {
		w.ok(task.BeginTransaction())
		w.write(task, `["c",{"server":"s"}]`, at(pos))
		w.ok(task.EndTransaction(t.Context(), end))
	}
	write(5, kgo.TryCommit)
	want(t, c, "place b.000001:5")
	write(6, kgo.TryAbort)
	want(t, c, "place b.000001:5")
	w.ok(task.BeginTransaction())
	w.write(task, `["c",{"server":"s"}]`, at(7))
	want(t, c, "place b.000001:5") // and it does not wait for the end
	w.ok(task.EndTransaction(t.Context(), kgo.TryCommit))
	want(t, c, "place b.000001:7")
}
