package kafka

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// row is the lag of group g on one partition of t.
func (r *Reading) row(t *testing.T, group string, partition int32) PartitionLag {
	t.Helper()
	for _, l := range r.Lags {
		for _, p := range l.Partitions {
			if l.Group == group && p.Partition == partition {
				return p
			}
		}
	}
	t.Fatalf("no lag of %s on partition %d", group, partition)
	return PartitionLag{}
}

func TestAgeOfTheFirstRecordLeft(t *testing.T) {
	f := newFake(t, Config{})
	now := time.Now()
	ago := func(d time.Duration) *kgo.Record {
		return &kgo.Record{Topic: "t", Timestamp: now.Add(-d), Value: []byte("v")}
	}
	// One batch of three records, then a transaction that is aborted, then one more record.
	for _, r := range []*kgo.Record{ago(3 * time.Hour), ago(2 * time.Hour), ago(time.Hour)} {
		f.client.Produce(t.Context(), r, nil)
	}
	if err := f.client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.transact("a", 0, 2, kgo.TryAbort)
	if err := f.client.ProduceSync(t.Context(), ago(time.Minute)).FirstErr(); err != nil {
		t.Fatal(err)
	}
	end := f.read().Topic("t").Partitions[0].HighWatermark
	for _, c := range []struct {
		name   string
		commit int64
		want   time.Duration
	}{
		{"before the first record of a batch", 0, 3 * time.Hour},
		{"inside a batch", 1, 2 * time.Hour},
		{"before the last record of a batch", 2, time.Hour},
		{"before aborted records: the next that is handed out", 3, time.Minute},
		{"at the end", end, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.commit("g", 0, c.commit)
			r := f.read()
			row := r.row(t, "g", 0)
			want := int64(0)
			if c.want > 0 {
				want = r.At.UnixMilli() - now.Add(-c.want).UnixMilli()
			}
			if row.Age != want {
				t.Errorf("age %d ms, want %d", row.Age, want)
			}
			if again := f.read(); again.Ledger.ScanFetches != r.Ledger.ScanFetches {
				t.Errorf("%d more fetches for a commit that stands still", again.Ledger.ScanFetches-r.Ledger.ScanFetches)
			}
		})
	}
	for _, parts := range f.reader.index.topics {
		if n := len(parts.parts[0].times); n > 1 {
			t.Errorf("%d times are kept for one commit", n)
		}
	}
}

// Several groups may stand inside batches of one partition. A Fetch may name a partition only once, and the next scrape
// has nothing left to ask.
func TestAgesOfSeveralCommitsOfOnePartition(t *testing.T) {
	f := newFake(t, Config{})
	now := time.Now()
	for batch := range 3 {
		for i := range 4 {
			ago := time.Duration(24-4*batch-i) * time.Hour
			f.client.Produce(t.Context(), &kgo.Record{Topic: "t", Timestamp: now.Add(-ago), Value: []byte("v")}, nil)
		}
		if err := f.client.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	commits := map[string]int64{"a": 1, "b": 3, "c": 5, "d": 6, "e": 11}
	for group, offset := range commits {
		f.commit(group, 0, offset)
	}
	r := f.read()
	for group, offset := range commits {
		want := r.At.UnixMilli() - now.Add(-time.Duration(24-offset)*time.Hour).UnixMilli()
		if row := r.row(t, group, 0); row.Age != want {
			t.Errorf("group %s at %d: age %d ms, want %d", group, offset, row.Age, want)
		}
	}
	if again := f.read(); again.Ledger.ScanFetches != r.Ledger.ScanFetches {
		t.Errorf("%d more fetches for commits that stand still", again.Ledger.ScanFetches-r.Ledger.ScanFetches)
	}
}

// A commit that moves on inside a known log has a batch fetched for its time, and not the log behind it.
func TestATimeCostsOneBatch(t *testing.T) {
	f := newFake(t, Config{})
	const batches, records, size = 20, 4, 1 << 10
	for range batches {
		for range records {
			value := make([]byte, size)
			if _, err := rand.Read(value); err != nil { // nothing to compress
				t.Fatal(err)
			}
			f.client.Produce(t.Context(), &kgo.Record{Topic: "t", Value: value}, nil)
		}
		if err := f.client.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	f.commit("g", 0, 0)
	before := f.read().Ledger
	f.commit("g", 0, 2*records+1)
	r := f.read()
	if row := r.row(t, "g", 0); row.Age < 0 {
		t.Error("the age is not known")
	}
	if n := r.Ledger.ScanBytes - before.ScanBytes; n > records*size*3/2 {
		t.Errorf("%d bytes fetched, want one batch of some %d", n, records*size)
	}
}

// What lies below all commits is forgotten in part: the time of a commit that goes back there is looked up again.
func TestAgeOfACommitThatWentBack(t *testing.T) {
	for name, cfg := range map[string]Config{"all fits": {}, "the index is too small": {
		Scan: ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1 << 20, MaxRuns: 4},
	}} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, cfg)
			now := time.Now()
			const batches = 10
			for i := range batches {
				r := &kgo.Record{Topic: "t", Timestamp: now.Add(time.Duration(i-batches) * time.Hour), Value: []byte("v")}
				if err := f.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
			for _, commit := range []int64{5, 8, 5, 2, 9, 0} {
				f.commit("g", 0, commit)
				r := f.read()
				row := r.row(t, "g", 0)
				want := r.At.UnixMilli() - now.Add(time.Duration(commit-batches)*time.Hour).UnixMilli()
				if row.Records != batches-commit || row.Age != want {
					t.Errorf("commit %d: %d records, age %d ms, want %d and %d", commit, row.Records, row.Age, batches-commit, want)
				}
			}
		})
	}
}

// The cleaner may write a batch anew, and larger than it was. A broker hands out none that has no room, so more is asked
// for.
func TestATimeIsInABatchThatHasGrown(t *testing.T) {
	f := newFake(t, Config{})
	for range 4 {
		f.client.Produce(t.Context(), &kgo.Record{Topic: "t", Value: []byte("v")}, nil)
	}
	if err := f.client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.commit("g", 0, 0)
	f.read()
	f.commit("g", 0, 1)
	f.cluster.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		r := req.(*kmsg.FetchRequest)
		if r.Topics[0].Partitions[0].PartitionMaxBytes > 1<<10 {
			return nil, nil, false
		}
		resp := r.ResponseKind().(*kmsg.FetchResponse)
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic, topic.TopicID = r.Topics[0].Topic, r.Topics[0].TopicID
		topic.Partitions = []kmsg.FetchResponseTopicPartition{kmsg.NewFetchResponseTopicPartition()}
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	if row := f.read().row(t, "g", 0); row.Age < 0 {
		t.Error("the age is not known")
	}
}

func TestAgeIsNeverNegativeAndAbsentWhenUnknown(t *testing.T) {
	f := newFake(t, Config{})
	ahead := &kgo.Record{Topic: "t", Timestamp: time.Now().Add(time.Hour), Value: []byte("v")}
	if err := f.client.ProduceSync(t.Context(), ahead).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f.commit("g", 0, 0)
	if row := f.read().row(t, "g", 0); row.Age != 0 || row.Records != 1 {
		t.Errorf("a record from the future: %+v, want age 0", row)
	}
	off := newFake(t, Config{Scan: ScanConfig{BytesPerScrape: 1}})
	off.transact("a", 0, 1, kgo.TryCommit)
	off.commit("g", 0, 0)
	off.commit("g", 1, 0)
	r := off.read()
	if row := r.row(t, "g", 0); row.Age != notKnown {
		t.Errorf("without a scan: %+v, want an unknown age", row)
	}
	if row := r.row(t, "g", 1); row.Age != 0 {
		t.Errorf("an empty partition: %+v, want age 0", row)
	}
}

func TestStampOf(t *testing.T) {
	for _, c := range []struct {
		name       string
		attributes int16
		want       stamp
	}{
		{"create time", 0, stamp{time: 100}},
		{"append time: that of every record", attrLogAppendTime, stamp{time: 300, all: true}},
		{"delete horizon: the base timestamp is no record's", attrDeleteHorizon, stamp{}},
		{"append time beside a delete horizon", attrLogAppendTime | attrDeleteHorizon, stamp{time: 300, all: true}},
	} {
		if got := stampOf(&batch{attributes: c.attributes, baseTime: 100, maxTime: 300}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := stampOf(&batch{baseTime: -1, maxTime: -1}); got.time != 0 {
		t.Errorf("no timestamp: %+v", got)
	}
}
