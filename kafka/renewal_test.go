package kafka

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestCompactedTailsAreReadAgain(t *testing.T) {
	for _, c := range []struct {
		policy string
		again  bool
	}{{"compact", true}, {"delete", false}} {
		t.Run(c.policy, func(t *testing.T) {
			scan := ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1 << 20, Recheck: time.Nanosecond, MaxRuns: 1 << 20}
			f := newFake(t, Config{Scan: scan})
			if err := f.cluster.CreateTopic("c", 1, map[string]string{"cleanup.policy": c.policy}); err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				r := &kgo.Record{Topic: "c", Key: fmt.Append(nil, i%4), Value: []byte("v")}
				if err := f.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
			f.commitOn("c", "g", 0, 0)
			f.read()
			f.cluster.Compact()
			before := f.read()
			after := f.read()
			want := int64(20)
			if c.again {
				want = handed(f, "c")
			}
			if row := before.row(t, "g", 0); row.Records != want {
				t.Errorf("%d records after the cleaning, want %d", row.Records, want)
			}
			if again := after.Ledger.ScanFetches > before.Ledger.ScanFetches; again != c.again {
				t.Errorf("read again: %v, want %v", again, c.again)
			}
		})
	}
}

// A question that no broker answers says nothing of a topic, and is asked again.
func TestPoliciesThatNobodyTells(t *testing.T) {
	f := newFake(t, Config{Scan: ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1 << 20, Recheck: time.Nanosecond, MaxRuns: 1 << 20}})
	if err := f.client.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Value: []byte("v")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f.commitOn("t", "g", 0, 0)
	var silent atomic.Bool
	silent.Store(true)
	f.cluster.ControlKey(kmsg.DescribeConfigs.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		return nil, errors.New("no answer"), silent.Load()
	})
	again := func() bool {
		before := f.read().Ledger.ScanFetches
		return f.read().Ledger.ScanFetches > before
	}
	if !again() {
		t.Error("not read again while nobody says that the topic is not compacted")
	}
	silent.Store(false)
	if again() {
		t.Error("read again although the topic is not compacted")
	}
}

// handed counts the records that are left in a topic of one partition, by their distinct offsets in a raw consumer.
func handed(f *fake, topic string) (n int64) {
	f.t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(f.cluster.ListenAddrs()...), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		f.t.Fatal(err)
	}
	defer c.Close()
	for last := int64(-1); last < 19; {
		fetches := c.PollFetches(f.t.Context())
		if err := fetches.Err(); err != nil {
			f.t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) { n, last = n+1, r.Offset })
	}
	return n
}

// A backlog that compaction does not change is read again less and less often, and as often as before once it does.
func TestTailsThatDoNotChangeAreReadLessOften(t *testing.T) {
	f := newFake(t, Config{Scan: ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1 << 20, Recheck: time.Hour, MaxRuns: 1 << 20}})
	if err := f.cluster.CreateTopic("c", 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
		t.Fatal(err)
	}
	produce := func(key []byte) {
		if err := f.client.ProduceSync(t.Context(), &kgo.Record{Topic: "c", Key: key, Value: []byte("v")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	grow := func() {
		for i := range 20 {
			produce(fmt.Append(nil, i%4))
		}
	}
	produce([]byte("first")) // it stays, and with it the log start
	grow()
	f.commitOn("c", "g", 0, 0)
	last := f.read()
	after := func(hours int, again bool) { // it is due every hour at the most: what the test itself takes is nothing beside that
		t.Helper()
		for tail := range f.reader.index.tails() {
			tail.begun = tail.begun.Add(-time.Duration(hours) * time.Hour)
		}
		now := f.read()
		if read := now.Ledger.ScanFetches > last.Ledger.ScanFetches; read != again {
			t.Errorf("read again after %d more hours: %v, want %v", hours, read, again)
		}
		last = now
	}
	after(1, true)
	after(1, false)
	after(1, true)
	after(3, false)
	after(1, true)
	after(8, true)
	after(16, true)
	after(15, false) // it gets no longer than that
	after(1, true)
	grow()
	f.read() // what is new is no change
	last = f.read()
	after(15, false)
	after(1, true)
	f.cluster.Compact()
	after(16, true)
	if row := last.row(t, "g", 0); row.Records >= 40 || row.Offsets != 41 {
		t.Fatalf("%d records of %d offsets: nothing was cleaned", row.Records, row.Offsets)
	}
	after(1, true)
}
