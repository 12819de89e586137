package kafka

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// quickPace is for tests.
var quickPace = pace{
	wait: 5 * time.Millisecond, replan: 5 * time.Millisecond, refresh: time.Minute,
	denied: 20 * time.Millisecond, overdue: time.Hour,
}

// followedBed is an embedded cluster of one broker with a __consumer_offsets of four partitions that is written by hand,
// since the broker writes none. It holds the records that a broker would write for the commits, or others.
type followedBed struct {
	*fake
	logs   int
	output *lines
	cancel context.CancelFunc
	ended  chan struct{}
}

// lines is a log that tests read while it is written.
type lines struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.out.String(), text)
}

// newFollowed makes the cluster with n records in partition 0 of topic t, and begins to follow.
func newFollowed(t *testing.T, cfg Config, n int, opts ...kfake.Opt) *followedBed {
	t.Helper()
	cfg.Follow = true
	b := &followedBed{fake: newFake(t, cfg, append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...), logs: 4, output: &lines{}}
	b.reader.follower.pace = quickPace
	b.reader.follower.logger = log.NewLogfmtLogger(b.output)
	b.create()
	for range n {
		b.produce(b.client, &kgo.Record{Topic: "t", Value: []byte("v")})
	}
	b.start()
	b.keepUp()
	return b
}

func (b *followedBed) create() {
	b.t.Helper()
	if err := b.cluster.CreateTopic(commitTopic, int32(b.logs), map[string]string{"cleanup.policy": "compact"}); err != nil {
		b.t.Fatal(err)
	}
}

// start runs the follower until stop, or the end of the test.
func (b *followedBed) start() {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.ended = cancel, make(chan struct{})
	go func() {
		defer close(b.ended)
		if err := b.reader.Run(ctx); err != nil {
			b.t.Error(err)
		}
	}()
	b.t.Cleanup(b.stop)
}

func (b *followedBed) stop() {
	b.cancel()
	<-b.ended
}

func (b *followedBed) produce(c *kgo.Client, r *kgo.Record) {
	b.t.Helper()
	if err := c.ProduceSync(b.t.Context(), r).FirstErr(); err != nil {
		b.t.Fatal(err)
	}
}

// commitKey is the key of an offset commit's record.
func commitKey(group, topic string, partition int32) []byte {
	k := kmsg.OffsetCommitKey{Version: 1, Group: group, Topic: topic, Partition: partition}
	return k.AppendTo(nil)
}

// commitValue is the value of one, of any version.
func commitValue(version int16, offset, millis int64, id TopicID) []byte {
	v := kmsg.OffsetCommitValue{Version: version, Offset: offset, LeaderEpoch: -1, CommitTimestamp: millis, TopicID: id}
	return v.AppendTo(nil)
}

// record is what a broker writes to __consumer_offsets for a group.
func (b *followedBed) record(group string, key, value []byte) *kgo.Record {
	return &kgo.Record{Topic: commitTopic, Partition: int32(logPartition(group, b.logs)), Key: key, Value: value}
}

// logged writes a commit to __consumer_offsets alone, so that no OffsetFetch tells it.
func (b *followedBed) logged(group string, offset int64) {
	b.t.Helper()
	b.produce(b.client, b.record(group, commitKey(group, "t", 0), commitValue(3, offset, 1_700_000_000_000+offset, TopicID{})))
}

// committed writes it there first and then makes it known, as a broker does.
func (b *followedBed) committed(group string, offset int64) {
	b.t.Helper()
	b.logged(group, offset)
	b.commit(group, 0, offset)
}

func (b *followedBed) tombstone(group string) {
	b.t.Helper()
	b.produce(b.client, b.record(group, commitKey(group, "t", 0), nil))
}

// fresh makes the test's own client forget the identities of topics.
func (b *followedBed) fresh() {
	b.t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(b.cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(c.Close)
	b.client = c
}

// begin opens a transaction in which offsets are committed.
func (b *followedBed) begin(id string) *kgo.Client {
	b.t.Helper()
	p := b.producer(id)
	b.must(p.BeginTransaction())
	return p
}

func (b *followedBed) loggedIn(p *kgo.Client, group string, offset int64) {
	b.t.Helper()
	b.produce(p, b.record(group, commitKey(group, "t", 0), commitValue(3, offset, 1_700_000_000_000+offset, TopicID{})))
}

func (b *followedBed) finish(p *kgo.Client, how kgo.TransactionEndTry) {
	b.t.Helper()
	if err := p.EndTransaction(b.t.Context(), how); err != nil {
		b.t.Fatal(err)
	}
}

// keepUp waits until the follower has read all that there is: of this topic, not of one of the same name before it, which was
// longer.
func (b *followedBed) keepUp() {
	b.t.Helper()
	f := b.reader.follower
	b.await("the follower is at the end", func() bool {
		ends := make([]int64, b.logs)
		for i := range ends {
			ends[i] = b.cluster.PartitionInfo(commitTopic, int32(i)).HighWatermark
		}
		id := b.cluster.TopicInfo(commitTopic).TopicID
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.topic != id {
			return false
		}
		for i, p := range f.parts {
			if !p.reached || p.position < ends[i] {
				return false
			}
		}
		return len(f.parts) == b.logs
	})
}

// await waits until something is so.
func (f *fake) await(what string, is func() bool) {
	f.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.After(unhurried); !is(); {
		select {
		case <-tick.C:
		case <-late:
			f.t.Fatalf("not within %s: %s", unhurried, what)
		}
	}
}

// found is what a reading has found out about a group's commits.
type found struct{ commits, rewinds, rewound, replayed int64 }

func findings(t *testing.T, r *Reading, group string) found {
	t.Helper()
	l := r.lag(t, group, "t")
	f := found{l.Commits, 0, l.Rewound, l.Replayed}
	for _, p := range l.Partitions {
		f.rewinds += p.Rewinds
	}
	return f
}

func (b *followedBed) books() Ledger { return b.reader.books.snapshot() }
