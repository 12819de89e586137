package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// quickPace is for tests.
var quickPace = pace{
	wait: 5 * time.Millisecond, replan: 5 * time.Millisecond, refresh: time.Minute,
	denied: 20 * time.Millisecond, missing: 5 * time.Millisecond, overdue: time.Minute,
}

// followed is an embedded cluster of one broker with a __consumer_offsets of four partitions that is written by hand,
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
	p, err := kgo.NewClient(kgo.SeedBrokers(b.cluster.ListenAddrs()...), kgo.TransactionalID(id), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(p.Close)
	if err := p.BeginTransaction(); err != nil {
		b.t.Fatal(err)
	}
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

// keepUp waits until the follower has read all that there is.
func (b *followedBed) keepUp() {
	b.t.Helper()
	f := b.reader.follower
	b.await("the follower is at the end", func() bool {
		ends := make([]int64, b.logs)
		for i := range ends {
			ends[i] = b.cluster.PartitionInfo(commitTopic, int32(i)).HighWatermark
		}
		f.mu.Lock()
		defer f.mu.Unlock()
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
	for late := time.After(20 * time.Second); !is(); {
		select {
		case <-tick.C:
		case <-late:
			f.t.Fatalf("not within 20 seconds: %s", what)
		}
	}
}

// lag is what the last reading says of a group on t.
func lagOf(t *testing.T, r *Reading, group string) TopicLag {
	t.Helper()
	for _, l := range r.Lags {
		if l.Group == group && l.Topic == "t" {
			return l
		}
	}
	t.Fatalf("no lag of %s", group)
	return TopicLag{}
}

// found is what a reading has found out about a group's commits.
type found struct{ commits, rewinds, rewound, replayed int64 }

func findings(t *testing.T, r *Reading, group string) found {
	t.Helper()
	l := lagOf(t, r, group)
	f := found{l.Commits, 0, l.Rewound, l.Replayed}
	for _, p := range l.Partitions {
		f.rewinds += p.Rewinds
	}
	return f
}

// Whatever happens between two scrapes is counted once: whether or not the poll sees it, and whichever sees it first.
func TestFollowedCommits(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(b *followedBed) // after a scrape that saw commit 8 of 10
		want found
	}{
		{"nothing happens", func(*followedBed) {}, found{0, 0, 0, 0}},
		{"it goes on", func(b *followedBed) { b.committed("g", 9) }, found{1, 0, 0, 0}},
		{"a rewind that the poll does not see", func(b *followedBed) {
			b.logged("g", 3)
			b.committed("g", 8)
		}, found{2, 1, 5, 5}},
		{"a rewind that both see", func(b *followedBed) { b.committed("g", 3) }, found{1, 1, 5, 5}},
		{"a rewind that both see, in several steps", func(b *followedBed) {
			b.committed("g", 6)
			b.read()
			b.committed("g", 3)
			b.committed("g", 10)
			b.committed("g", 4)
		}, found{4, 3, 11, 11}},
		{"a rewind that is made good far beyond", func(b *followedBed) {
			b.logged("g", 3)
			b.committed("g", 10) // at the end: nothing of the tail would be looked at
		}, found{2, 1, 5, 5}},
		{"an aborted transaction", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.finish(p, kgo.TryAbort)
			b.committed("g", 9)
		}, found{1, 0, 0, 0}},
		{"a committed transaction", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 1)
			b.loggedIn(p, "g", 3)
			b.finish(p, kgo.TryCommit)
			b.committed("g", 9)
		}, found{3, 1, 5, 5}},
		{"a transaction that hangs does not hold plain commits back", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 1)
			b.logged("g", 3)
			b.committed("g", 9)
		}, found{2, 1, 5, 5}},
		{"a transaction that ends after a later commit is older than it", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.committed("g", 9)
			b.finish(p, kgo.TryCommit)
		}, found{2, 0, 0, 0}},
		{"a transaction over two scrapes", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.keepUp()
			b.read()
			b.finish(p, kgo.TryCommit)
			b.committed("g", 9)
		}, found{2, 1, 5, 5}},
		{"an expired commit", func(b *followedBed) {
			b.tombstone("g")
			b.committed("g", 3)
		}, found{1, 0, 0, 0}},
		{"an expired commit, with rewinds around it", func(b *followedBed) {
			b.logged("g", 6)
			b.tombstone("g")
			b.logged("g", 4)
			b.committed("g", 3)
		}, found{3, 2, 3, 3}},
		{"another group", func(b *followedBed) {
			b.committed("h", 9)
			b.committed("h", 1)
		}, found{0, 0, 0, 0}},
		{"more steps than are kept", func(b *followedBed) {
			for range maxSteps + 4 {
				b.logged("g", 4)
				b.logged("g", 8)
			}
			b.committed("g", 8)
		}, found{2*(maxSteps+4) + 1, maxSteps + 4, 4 * (maxSteps + 4), 4 * (maxSteps + 4)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.committed("g", 8)
			b.keepUp()
			if got := findings(t, b.read(), "g"); got != (found{1, 0, 0, 0}) {
				t.Fatalf("at first sight: %+v", got)
			}
			c.then(b)
			b.keepUp()
			b.read()
			c.want.commits++
			for range 2 { // and a further scrape adds nothing
				if got := findings(t, b.read(), "g"); got != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			}
		})
	}
}

// Records are read again only where there are some.
func TestReplayOfAFollowedRewind(t *testing.T) {
	b := newFollowed(t, Config{}, 2)
	b.transact("a", 0, 3, kgo.TryAbort)  // 2-4, marker 5
	b.transact("b", 0, 2, kgo.TryCommit) // 6-7, marker 8
	b.committed("g", 9)
	b.keepUp()
	b.read()
	b.logged("g", 1)
	b.committed("g", 9)
	b.keepUp()
	r := b.read()
	if got, want := findings(t, r, "g"), (found{3, 1, 8, 3}); got != want {
		t.Errorf("got %+v, want %+v: of [1, 9), 1, 6 and 7 are records", got, want)
	}
	if r.Ledger.ScanBytes == 0 {
		t.Error("nothing was read, so nothing can be known")
	}
	events := b.reader.Events()
	if len(events) != 1 || events[0].Kind != Rewound || events[0].From != 9 || events[0].To != 1 || events[0].At.UnixMilli() != 1_700_000_000_001 {
		t.Errorf("events %+v, want the rewind, at the time of the lower commit", events)
	}
}

// While the follower does not keep up, what the polls find counts, and what the follower then comes to does not count again.
func TestChangesBetweenFollowingAndPolling(t *testing.T) {
	for _, overdue := range []time.Duration{0, time.Hour} {
		t.Run(fmt.Sprint("overdue after ", overdue), func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.reader.follower.pace.overdue = overdue
			b.committed("g", 8)
			b.keepUp()
			b.read()
			b.stop()
			b.committed("g", 3)
			b.read()
			b.read() // has seen where the log ends, and that nobody follows
			polled := findings(t, b.read(), "g")
			if want := map[bool]int64{true: 0, false: 1}[overdue > 0]; polled.rewinds != want {
				t.Errorf("%d rewinds counted while nobody follows, want %d", polled.rewinds, want)
			}
			b.committed("g", 5)
			b.start()
			b.keepUp()
			b.read()
			if got := findings(t, b.read(), "g"); got != (found{3, 1, 5, 5}) {
				t.Errorf("got %+v, want one rewind", got)
			}
			b.committed("g", 4)
			b.keepUp()
			if got := findings(t, b.read(), "g"); got != (found{4, 2, 6, 6}) {
				t.Errorf("got %+v, want the second one, too", got)
			}
		})
	}
}

// A follower whose position is gone begins at the end, and histories begin anew.
func TestPositionThatIsGone(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	b.committed("g", 8)
	b.keepUp()
	b.read()
	b.stop()
	fault := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: commitTopic, Err: kerr.OffsetOutOfRange, Count: -1})
	b.logged("g", 3)
	b.logged("g", 9)
	b.committed("g", 7)
	b.start()
	b.await("Fetches were refused", func() bool { return fault.Hits() >= 3 }) // one may be from before the stop
	fault.Remove()
	b.keepUp()
	b.read()
	if got := findings(t, b.read(), "g"); got != (found{1, 0, 0, 0}) {
		t.Errorf("got %+v, want no event", got)
	}
	b.committed("g", 6)
	b.keepUp()
	if got := findings(t, b.read(), "g"); got != (found{2, 1, 1, 1}) {
		t.Errorf("got %+v, want the rewind after it", got)
	}
}

// A __consumer_offsets of another identity is no reason for events, and is followed.
func TestCommitsLogMadeAnew(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	for range 20 {
		b.logged("g", 8)
	}
	b.committed("g", 8)
	b.keepUp()
	b.read()
	if err := b.cluster.DeleteTopic(commitTopic); err != nil {
		t.Fatal(err)
	}
	b.create()
	b.fresh()
	b.committed("g", 3)
	b.keepUp()
	b.read()
	before := findings(t, b.read(), "g")
	if before.rewinds > 1 { // the poll may have seen one
		t.Errorf("%d rewinds of one", before.rewinds)
	}
	b.logged("g", 9)
	b.committed("g", 2)
	b.keepUp()
	if got := findings(t, b.read(), "g"); got.rewinds != before.rewinds+1 || got.rewound != before.rewound+7 {
		t.Errorf("got %+v after %+v, want one rewind of 7 more", got, before)
	}
}

// Leaders that move and brokers that close connections cost time, and nothing is invented or lost.
func TestFollowerSurvives(t *testing.T) {
	for name, disturb := range map[string]func(b *followedBed) (end func()){
		"leaders move": func(b *followedBed) func() {
			for p := range int32(b.logs) {
				if err := b.cluster.MoveTopicPartition(commitTopic, p, (p+1)%3); err != nil {
					b.t.Fatal(err)
				}
			}
			return func() {}
		},
		"a Fetch is answered by nobody": func(b *followedBed) func() {
			var over sync.Once
			ended := make(chan struct{})
			b.cluster.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
				select {
				case <-ended:
					return nil, nil, false
				default:
					b.cluster.KeepControl()
					return nil, fmt.Errorf("closed"), true
				}
			})
			return func() { over.Do(func() { close(ended) }) }
		},
		"leaders are not known": func(b *followedBed) func() {
			return b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch, kmsg.Metadata}, Topic: commitTopic, Err: kerr.LeaderNotAvailable, Count: -1}).Remove
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFollowed(t, Config{}, 10, kfake.NumBrokers(3))
			group := func() *groupTrails {
				b.reader.follower.mu.Lock()
				defer b.reader.follower.mu.Unlock()
				return b.reader.follower.trails["g"]
			}
			b.logged("g", 8)
			b.keepUp()
			over := disturb(b)
			b.logged("g", 3)
			over()
			b.logged("g", 9)
			b.keepUp()
			tr := group().topics["t"][0]
			if tr.commits != 3 || len(tr.steps) != 1 || tr.steps[0].from != 8 || tr.steps[0].to != 3 || tr.last != 9 {
				t.Errorf("trail %+v, want all three commits", tr)
			}
		})
	}
}

// A scrape costs one request for each broker more, whatever there is to follow.
func TestFollowingCostsOneRequestForEachBroker(t *testing.T) {
	var counts [2]int64
	for i, follow := range []bool{false, true} {
		f := newFake(t, Config{Follow: follow})
		if err := f.cluster.CreateTopic(commitTopic, 50, nil); err != nil {
			t.Fatal(err)
		}
		f.commit("g", 0, 0)
		for name, n := range f.read().Ledger.Requests {
			if name == "ListOffsets" {
				counts[i] = n
			}
		}
	}
	if counts[1] != counts[0]+3 {
		t.Errorf("%d ListOffsets requests of 3 brokers with following, %d without", counts[1], counts[0])
	}
}

// Several steps back on a partition whose leader has changed ask about it once.
func TestStepsBackOverAnElection(t *testing.T) {
	b := newFollowed(t, Config{}, 10, kfake.NumBrokers(3))
	for p := range int32(b.logs) {
		if err := b.cluster.MoveTopicPartition(commitTopic, p, b.cluster.CoordinatorFor("g")); err != nil {
			t.Fatal(err)
		}
	}
	b.committed("g", 8)
	b.keepUp()
	b.read()
	if err := b.cluster.MoveTopicPartition("t", 0, (b.cluster.LeaderFor("t", 0)+1)%3); err != nil {
		t.Fatal(err)
	}
	b.produce(b.client, &kgo.Record{Topic: "t", Value: []byte("v")}) // so that the new leader knows the old one's end
	b.read()
	if err := b.cluster.MoveTopicPartition("t", 0, (b.cluster.LeaderFor("t", 0)+1)%3); err != nil {
		t.Fatal(err)
	}
	b.produce(b.client, &kgo.Record{Topic: "t", Value: []byte("v")})
	for _, offset := range []int64{3, 9, 2, 9, 1, 7} {
		b.committed("g", offset)
	}
	b.keepUp()
	before := b.books().Requests["OffsetForLeaderEpoch"]
	r := b.read()
	if got := findings(t, r, "g"); got.rewinds != 3 || got.rewound != 5+7+8 {
		t.Errorf("got %+v, want 3 rewinds of 20 offsets", got)
	}
	if n := r.Ledger.Requests["OffsetForLeaderEpoch"] - before; n != 2 { // the tail index has asked once, too
		t.Errorf("%d OffsetForLeaderEpoch requests", n)
	}
}

func (b *followedBed) books() Ledger { return b.reader.books.snapshot() }

// Without READ or DESCRIBE commits are polled; the log says it once, and what is granted later is used.
func TestFollowerIsDenied(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Fetch, kmsg.Metadata} {
		t.Run(kmsg.NameForKey(key.Int16()), func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.committed("g", 8)
			b.keepUp()
			b.read()
			b.stop()
			fault := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: commitTopic, Err: kerr.TopicAuthorizationFailed, Count: -1})
			b.start()
			b.await("it was refused three times", func() bool { return fault.Hits() >= 3 })
			b.committed("g", 3)
			b.read()
			r := b.read()
			if got := r.Follower; got.State != FollowerDenied || got.Behind != -1 {
				t.Errorf("the follower says %+v", got)
			}
			if l := lagOf(t, r, "g"); l.Followed || l.Partitions[0].Rewinds != 1 || l.Rewound != 5 {
				t.Errorf("got %+v, want the rewind that the poll has found", l)
			}
			if !b.reader.CaughtUp() {
				t.Error("there is nothing to wait for")
			}
			if n := b.output.count("Commits are not followed"); n != 1 {
				t.Errorf("%d lines about it", n)
			}
			if r.Ledger.Errors[Failure{kmsg.NameForKey(key.Int16()), "TOPIC_AUTHORIZATION_FAILED"}] < 2 {
				t.Errorf("not counted: %v", r.Ledger.Errors)
			}
			fault.Remove()
			b.keepUp()
			b.read() // without DESCRIBE nobody knew until here where the log ended when commits were polled
			b.logged("g", 1)
			b.committed("g", 9)
			b.keepUp()
			b.read()
			r = b.read()
			if got := findings(t, r, "g"); got.rewinds != 2 || got.rewound != 7 || r.Follower.State != FollowerFollowing {
				t.Errorf("got %+v in state %v, want a second rewind", got, r.Follower.State)
			}
		})
	}
}

func TestFollowerWithoutATopic(t *testing.T) {
	cfg := Config{Follow: true}
	b := &followedBed{fake: newFake(t, cfg, kfake.NumBrokers(1)), logs: 4, output: &lines{}}
	b.reader.follower.pace = quickPace
	b.start()
	b.await("it is missed", b.reader.CaughtUp)
	if r := b.read(); r.Follower.State != FollowerMissing || r.Follower.Behind != -1 {
		t.Errorf("the follower says %+v", r.Follower)
	}
	b.create()
	b.keepUp()
	if r := b.read(); r.Follower.State != FollowerFollowing || r.Follower.Behind != 0 {
		t.Errorf("the follower says %+v", r.Follower)
	}
}

// A cluster that files groups in another way is not followed: the ends by which polled and followed commits are told
// apart would be those of another partition.
func TestFollowerOfAnUnfitCluster(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	r := b.record("g", commitKey("g", "t", 0), commitValue(3, 8, 1, TopicID{}))
	r.Partition = (r.Partition + 1) % int32(b.logs)
	b.produce(b.client, r)
	b.await("it is noticed", func() bool { return b.reader.follower.status(time.Now()).State == FollowerUnfit })
	if n := b.output.count("Commits are not followed"); n != 1 {
		t.Errorf("%d lines about it", n)
	}
}

// What cannot be decoded is counted, logged once, and costs nothing else.
func TestRecordsOfTheCommitsLog(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	before := b.read().Follower.Records
	key, value := commitKey("g", "t", 0), commitValue(3, 8, 1, TopicID{})
	metadata := kmsg.GroupMetadataKey{Version: 2, Group: "g"}
	for _, r := range [][2][]byte{
		{commitKey("g", "t", 1), value},
		{bytes.Replace(key, []byte{0, 1}, []byte{0, 0}, 1), commitValue(0, 8, 1, TopicID{})},
		{key, commitValue(1, 8, 1, TopicID{})},
		{key, commitValue(2, 8, 1, TopicID{})},
		{key, commitValue(4, 8, 1, TopicID{1})},
		{key, nil},
		{metadata.AppendTo(nil), []byte("members")},
		{metadata.AppendTo(nil), nil},
		{[]byte{0, 3, 0, 1, 'g'}, []byte("x")},
		{[]byte{0, 99}, nil},
		{nil, nil},                             // undecodable from here on
		{[]byte{0}, value},                     //
		{[]byte{0xff, 0xff, 0, 1}, value},      //
		{key[:len(key)-1], value},              //
		{commitKey("g", "t", -1), value},       //
		{key, []byte{}},                        //
		{key, value[:len(value)-1]},            //
		{key, commitValue(5, 8, 1, TopicID{})}, //
		{key, commitValue(5, 8, 1, TopicID{})}, //
		{key, commitValue(3, -1, 1, TopicID{})},
	} {
		b.produce(b.client, b.record("g", r[0], r[1]))
	}
	b.committed("g", 9)
	b.keepUp()
	r := b.read()
	got := r.Follower.Records
	for k := range got {
		got[k] -= before[k]
	}
	if want := [commitRecordKinds]int64{CommitRecord: 6, TombstoneRecord: 1, MetadataRecord: 2, OtherRecord: 2, UndecodableRecord: 10}; got != want {
		t.Errorf("records %v, want %v", got, want)
	}
	if n := b.output.count("value version 5"); n != 1 {
		t.Errorf("%d lines about value version 5", n)
	}
	if got, want := findings(t, r, "g"), (found{6, 0, 0, 0}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A batch that is damaged is skipped; what is no log at all leads nowhere.
func TestDamagedBatches(t *testing.T) {
	batch := func(offset int64, n int32) []byte {
		b := kmsg.RecordBatch{FirstOffset: offset, Magic: 2, LastOffsetDelta: n - 1, NumRecords: n, Records: []byte("no records")}
		raw := b.AppendTo(nil)
		binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
		return raw
	}
	large := batch(5, 3)
	binary.BigEndian.PutUint32(large[8:], 3<<20)
	for _, c := range []struct {
		name string
		log  []byte
		want decoded
	}{
		{"nothing", nil, decoded{next: 5}},
		{"at the offset", batch(5, 3), decoded{next: 8, skipped: 3}},
		{"around the offset", batch(4, 3), decoded{next: 7, skipped: 3}},
		{"behind another", append(batch(2, 3), batch(5, 2)...), decoded{next: 7, skipped: 2}},
		{"all before the offset", batch(2, 3), decoded{next: 5}},
		{"with more records than there can be", batch(5, decodedRecords+1), decoded{next: 6 + decodedRecords, skipped: decodedRecords + 1}},
		{"with more, behind another", append(batch(5, 3), batch(8, decodedRecords+1)...), decoded{next: 8, skipped: 3}},
		{"cut", large, decoded{next: 5, need: 3<<20 + 12}},
		{"cut in its header", large[:12], decoded{next: 5, need: 3<<20 + 12}},
		{"cut before its length", large[:11], decoded{next: 5}},
		{"no log", bytes.Repeat([]byte{0xff}, 100), decoded{next: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := decodeLog(&kmsg.FetchResponseTopicPartition{RecordBatches: c.log}, 5)
			if len(got.records) > 0 || got.next != c.want.next || got.skipped != c.want.skipped || got.need != c.want.need {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
