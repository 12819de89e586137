package kafka_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/kafka"
)

var (
	logs = flag.Int("logs", 256, "how many random logs TestRandomLogs makes")
	seed = flag.Uint64("seed", 1, "the seed of the first topic of random logs; 0: one that differs from run to run")
)

const logsPerTopic = 32 // each partition is a log of its own

// TestRandomLogs holds the true lag to what an independent consumer is handed: random logs of transactional producers
// and a plain one, random commits, both isolation levels.
func TestRandomLogs(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	for n := range uint64((*logs + logsPerTopic - 1) / logsPerTopic) {
		t.Run(fmt.Sprint("seed=", first+n), func(t *testing.T) {
			t.Parallel()
			cluster, err := kfake.NewCluster(kfake.NumBrokers(3)) // one for each topic: all logs of a cluster are compacted at once
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Close()
			defer func() {
				if t.Failed() {
					t.Logf("again: go test ./kafka -run TestRandomLogs -args -logs %d -seed %d", logsPerTopic, first+n)
				}
			}()
			w := &randomLogs{T: t, cluster: cluster, seed: first + n, rng: rand.New(rand.NewPCG(first+n, 7)), topic: fmt.Sprintf("logs-%d", first+n)}
			w.run()
		})
	}
}

// randomLogs is one topic of random logs.
type randomLogs struct {
	*testing.T
	cluster *kfake.Cluster
	seed    uint64
	rng     *rand.Rand
	topic   string
	tx      [3]*kgo.Client
	open    [3]bool
	plain   *kgo.Client
	admin   *kadm.Client
}

func (w *randomLogs) run() {
	config := map[string]string{"cleanup.policy": "compact,delete", "retention.ms": "-1", "min.compaction.lag.ms": "0"}
	if err := w.cluster.CreateTopic(w.topic, logsPerTopic, config); err != nil {
		w.Fatal(err)
	}
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.ZstdCompression(), kgo.Lz4Compression(), kgo.SnappyCompression()}
	for i := range w.tx {
		w.tx[i] = w.client(kgo.TransactionalID(fmt.Sprintf("%s-%d", w.topic, i)), kgo.ProducerBatchCompression(codecs[w.rng.IntN(len(codecs))]),
			kgo.TransactionTimeout(15*time.Minute)) // as long as brokers allow: some stay open to the end
		defer w.tx[i].Close()
	}
	w.plain = w.client(kgo.ProducerBatchCompression(codecs[w.rng.IntN(len(codecs))]))
	defer w.plain.Close()
	w.admin = kadm.NewClient(w.plain)

	half := 4 * logsPerTopic
	w.write(half)
	reader := w.reader()
	defer reader.Close()
	w.commit()
	w.read(reader) // part of the tail is known when the logs grow, are compacted and cut
	w.write(half)
	if w.rng.IntN(2) == 0 {
		w.cluster.Compact()
		reader.Close()
		reader = w.reader() // what was read before the cleaning is only read again after a while
		defer reader.Close()
	}
	w.cut()
	w.commit()
	var last *kafka.Reading
	if w.rng.IntN(2) == 0 {
		last = w.read(reader) // so that questions cut what is known
	}
	answered := w.questions(reader)
	if last == nil {
		last = answered[0].Reading
	}
	w.seal()
	w.compare(last, answered)
	if err := w.cluster.DeleteTopic(w.topic); err != nil {
		w.Fatal(err)
	}
}

func (w *randomLogs) client(opts ...kgo.Opt) *kgo.Client {
	c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ManualFlushing())...)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// write takes random steps: some batches of a random producer, or the end of a transaction.
func (w *randomLogs) write(steps int) {
	for range steps {
		who := w.rng.IntN(4)
		if who == 3 {
			w.batches(w.plain)
			continue
		}
		switch {
		case w.open[who] && w.rng.IntN(5) == 0:
			w.end(who)
			continue
		case !w.open[who]:
			if err := w.tx[who].BeginTransaction(); err != nil {
				w.Fatal(err)
			}
			w.open[who] = true
		}
		w.batches(w.tx[who])
	}
}

func (w *randomLogs) end(who int) {
	if err := w.tx[who].EndTransaction(w.Context(), kgo.TransactionEndTry(w.rng.IntN(2) == 0)); err != nil {
		w.Fatal(err)
	}
	w.open[who] = false
}

// batches writes a batch each to some of the logs.
func (w *randomLogs) batches(c *kgo.Client) {
	for _, p := range w.rng.Perm(logsPerTopic)[:1+w.rng.IntN(4)] {
		n := 1 + w.rng.IntN(4)
		if w.rng.IntN(5) == 0 {
			n += w.rng.IntN(40)
		}
		for range n {
			w.produce(c, &kgo.Record{
				Topic: w.topic, Partition: int32(p), Key: fmt.Append(nil, w.rng.IntN(12)), Value: make([]byte, w.rng.IntN(80)),
			})
		}
	}
	if err := c.Flush(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func (w *randomLogs) produce(c *kgo.Client, r *kgo.Record) {
	c.Produce(w.Context(), r, func(_ *kgo.Record, err error) {
		if err != nil {
			w.Error(err)
		}
	})
}

// cut deletes the beginning of some logs.
func (w *randomLogs) cut() {
	starts, err := w.admin.ListStartOffsets(w.Context(), w.topic)
	if err != nil {
		w.Fatal(err)
	}
	ends, err := w.admin.ListEndOffsets(w.Context(), w.topic)
	if err != nil {
		w.Fatal(err)
	}
	for _, p := range w.rng.Perm(logsPerTopic)[:logsPerTopic/4] {
		start, end := starts[w.topic][int32(p)].Offset, ends[w.topic][int32(p)].Offset
		if err := w.cluster.DeleteRecords(w.topic, int32(p), start+w.rng.Int64N(end-start+1)); err != nil {
			w.Fatal(err)
		}
	}
}

// Two groups of each isolation level, so that a partition has several commits.
var groups = []string{"rc-a", "ru-a", "rc-b", "ru-b"}

func (w *randomLogs) commit() {
	ends, err := w.admin.ListEndOffsets(w.Context(), w.topic)
	if err != nil {
		w.Fatal(err)
	}
	for _, g := range groups {
		var commits kadm.Offsets
		ends.Each(func(o kadm.ListedOffset) { commits.AddOffset(o.Topic, o.Partition, w.rng.Int64N(o.Offset+1), -1) })
		if err := w.admin.CommitAllOffsets(w.Context(), w.topic+g, commits); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *randomLogs) reader() *kafka.Cluster {
	c, err := kafka.NewCluster(kafka.Config{
		Client: kafka.ClientConfig{Seeds: w.cluster.ListenAddrs(), DialTimeout: 5 * time.Minute},
		Topics: kafka.Filter{Include: []*regexp.Regexp{regexp.MustCompile("^" + w.topic + "$")}},
		Groups: kafka.Filter{Include: []*regexp.Regexp{regexp.MustCompile("^" + w.topic)}},
		Isolation: []kafka.IsolationRule{
			{Groups: regexp.MustCompile("rc-.$"), Isolation: kafka.ReadCommitted},
			{Groups: regexp.MustCompile("ru-.$"), Isolation: kafka.ReadUncommitted},
		},
		Scan: kafka.ScanConfig{Enabled: true, BytesPerScrape: 64 << 20, BytesPerPartition: 8 << 20, MaxRuns: 1 << 20},
	}, log.NewNopLogger())
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *randomLogs) read(c *kafka.Cluster) *kafka.Reading {
	ctx, cancel := context.WithTimeout(w.Context(), 5*time.Minute)
	defer cancel()
	r, err := c.Read(ctx)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// seal ends what is open and puts a last record into each log, so that a consumer knows when it has all.
func (w *randomLogs) seal() {
	for i := range w.tx {
		if w.open[i] {
			w.end(i)
		}
	}
	for p := range int32(logsPerTopic) {
		w.produce(w.plain, &kgo.Record{Topic: w.topic, Partition: p, Key: []byte("seal"), Value: []byte("seal")})
	}
	if err := w.plain.Flush(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// handed is the offsets that a consumer of a level is handed of each log, in order.
func (w *randomLogs) handed(level kgo.IsolationLevel) (offsets [logsPerTopic][]int64) {
	c := w.client(kgo.ConsumeTopics(w.topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(level))
	defer c.Close()
	for left := logsPerTopic; left > 0; {
		fetches := c.PollFetches(w.Context())
		if err := fetches.Err(); err != nil {
			w.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if string(r.Key) == "seal" {
				left--
				return
			}
			offsets[r.Partition] = append(offsets[r.Partition], r.Offset)
		})
	}
	return offsets
}

// compare holds the reading, and the answers, to what consumers are handed up to where each level ended when it was made.
func (w *randomLogs) compare(r *kafka.Reading, answered []answered) {
	handed := map[kafka.Isolation][logsPerTopic][]int64{
		kafka.ReadCommitted:   w.handed(kgo.ReadCommitted()),
		kafka.ReadUncommitted: w.handed(kgo.ReadUncommitted()),
	}
	for _, a := range answered {
		w.compareAnswers(a, handed)
	}
	topic := r.Topic(w.topic)
	compared := 0
	for _, l := range r.Lags {
		var records, offsets int64
		for _, row := range l.Partitions {
			p := topic.Partitions[row.Partition]
			end := p.HighWatermark
			if l.Isolation == kafka.ReadCommitted {
				end = p.LastStable
			}
			all := handed[l.Isolation][row.Partition]
			from, _ := slices.BinarySearch(all, row.Committed)
			to, _ := slices.BinarySearch(all, end)
			if want := int64(max(to-from, 0)); row.Records != want || row.Offsets != p.HighWatermark-row.Committed {
				w.Errorf("seed %d: group %s, partition %d, commit %d of [%d, LSO %d, HW %d): %d records, want %d; %d offsets",
					w.seed, l.Group, row.Partition, row.Committed, p.LogStart, p.LastStable, p.HighWatermark, row.Records, want, row.Offsets)
			}
			records, offsets = records+row.Records, offsets+row.Offsets
			compared++
		}
		if l.Composition[kafka.Unscanned] != 0 || l.Composition.Records() != records || l.Composition.Offsets() != offsets {
			w.Errorf("seed %d: group %s: %v does not sum to %d records of %d offsets, all scanned", w.seed, l.Group, l.Composition, records, offsets)
		}
	}
	if want := len(groups) * logsPerTopic; compared != want {
		w.Errorf("seed %d: %d commits compared, want %d", w.seed, compared, want)
	}
}
