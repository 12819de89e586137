package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fake is an embedded cluster with a client of its own and the reader under test.
type fake struct {
	t       *testing.T
	cluster *kfake.Cluster
	client  *kgo.Client
	admin   *kadm.Client
	reader  *Cluster
}

func newFake(t *testing.T, cfg Config, opts ...kfake.Opt) *fake {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3), kfake.SeedTopics(2, "t"), patient}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	cfg.Client = ClientConfig{Seeds: c.ListenAddrs(), DialTimeout: unhurried}
	if cfg.Scan == (ScanConfig{}) {
		cfg.Scan = ScanConfig{Enabled: true, BytesPerScrape: 64 << 20, BytesPerPartition: 8 << 20, Recheck: time.Minute, MaxRuns: 1 << 20}
	}
	reader, err := NewCluster(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	return &fake{t, c, client, kadm.NewClient(client), reader}
}

// buffered hears of each record that a client has put into a batch. The client waits for nobody then.
type buffered chan struct{}

func (b buffered) OnProduceRecordPartitioned(*kgo.Record, int32) {
	select {
	case b <- struct{}{}:
	default:
	}
}

// transact writes n records to a partition of topic t in one transaction, as one batch.
func (f *fake) transact(id string, partition int32, n int, end kgo.TransactionEndTry) {
	f.t.Helper()
	ready, done := make(buffered, n), make(chan error, n)
	p, err := kgo.NewClient(kgo.SeedBrokers(f.cluster.ListenAddrs()...), kgo.TransactionalID(id),
		kgo.TransactionTimeout(transactionTime), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ManualFlushing(), kgo.WithHooks(ready))
	if err != nil {
		f.t.Fatal(err)
	}
	defer p.Close()
	if err := p.BeginTransaction(); err != nil {
		f.t.Fatal(err)
	}
	for range n {
		p.Produce(f.t.Context(), &kgo.Record{Topic: "t", Partition: partition, Value: []byte("v")}, func(_ *kgo.Record, err error) { done <- err })
	}
	// A client that may send, by itself or since it was flushed, makes two batches where it is held up for some ms between two records,
	// or while it moves them to the partitions of a topic that it has just heard of.
	for range n {
		select {
		case <-ready:
		case err := <-done:
			f.t.Fatalf("produce to a transaction of %s before anything is sent: %v", id, err)
		}
	}
	// The end of a Flush is not believed: a client that is new and in a hurry may forget what is in its transaction, and abort it.
	for left := n; left > 0; {
		f.must(p.Flush(f.t.Context()))
		for ; len(done) > 0; left-- {
			f.must(<-done)
		}
	}
	if err := p.EndTransaction(f.t.Context(), end); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) commit(group string, partition int32, offset int64) {
	f.t.Helper()
	f.commitOn("t", group, partition, offset)
}

func (f *fake) commitOn(topic, group string, partition int32, offset int64) {
	f.t.Helper()
	var o kadm.Offsets
	o.AddOffset(topic, partition, offset, -1)
	if err := f.admin.CommitAllOffsets(f.t.Context(), group, o); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) read() *Reading {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), unhurried)
	defer cancel()
	r, err := f.reader.Read(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func TestIdlePhantomLagCostsNoFetch(t *testing.T) {
	f := newFake(t, Config{})
	f.transact("a", 0, 3, kgo.TryCommit)
	f.transact("b", 1, 5, kgo.TryAbort)
	f.commit("g", 0, 3)
	f.commit("g", 1, 0)
	r := f.read()
	if len(r.Lags) != 1 {
		t.Fatalf("%d lags, want that of g on t: %+v", len(r.Lags), r.Lags)
	}
	want := Composition{Control: 2, Aborted: 5}
	if l := r.Lags[0]; l.Composition != want || l.Partitions[0].Offsets != 1 || l.Partitions[1].Offsets != 6 || l.Partitions[0].Records+l.Partitions[1].Records != 0 {
		t.Errorf("got %+v, want composition %v", l, want)
	}
	if r.Ledger.ScanFetches == 0 {
		t.Error("nothing was fetched, so nothing can be known")
	}
	for range 5 {
		if again := f.read(); again.Ledger.ScanFetches != r.Ledger.ScanFetches || again.Lags[0].Composition != want {
			t.Fatalf("an idle tail was read again: %d fetches, then %d: %+v", r.Ledger.ScanFetches, again.Ledger.ScanFetches, again.Lags[0])
		}
	}
}

// A scan that takes all its time must not make a rewind of a topic that was recreated.
func TestRewindsAreConfirmedAfterASlowScan(t *testing.T) {
	t.Parallel()
	f := newFake(t, Config{})
	output := &lines{}
	f.reader.logger = log.NewLogfmtLogger(output)
	f.transact("a", 0, 3, kgo.TryCommit)
	f.commit("g", 0, 4)
	f.read()
	stop := make(chan struct{})
	defer close(stop)
	f.cluster.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		f.cluster.SleepControl(func() { <-stop })
		return nil, nil, false
	})
	f.commit("g", 0, 1)
	ctx, cancel := context.WithTimeout(t.Context(), hanging)
	defer cancel()
	r, err := f.reader.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if r.Ledger.Errors[Failure{"Fetch", "timeout"}] == 0 {
		t.Fatal("the scan was not slow")
	}
	if n := output.count("without a second look"); n > 0 {
		t.Error("nobody was asked for the topic's identity any more, though all brokers tell it")
	}
	if l := r.lag(t, "g", "t"); l.Rewound != 3 {
		t.Errorf("%d offsets rewound, want 3", l.Rewound)
	}
}
