package kafka

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// transactions commits n transactions of one record on each partition of a topic.
func (f *fake) transactions(topic string, partitions int32, n int) {
	f.t.Helper()
	p, err := kgo.NewClient(kgo.SeedBrokers(f.cluster.ListenAddrs()...), kgo.TransactionalID(topic),
		kgo.TransactionTimeout(transactionTime), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		f.t.Fatal(err)
	}
	defer p.Close()
	for i := range n {
		if err := p.BeginTransaction(); err != nil {
			f.t.Fatal(err)
		}
		for partition := range partitions {
			if err := p.ProduceSync(f.t.Context(), &kgo.Record{Topic: topic, Partition: partition, Key: fmt.Append(nil, i)}).FirstErr(); err != nil {
				f.t.Fatal(err)
			}
		}
		if err := p.EndTransaction(f.t.Context(), kgo.TryCommit); err != nil {
			f.t.Fatal(err)
		}
	}
}

// lag is the lag of a group on a topic.
func (r *Reading) lag(t *testing.T, group, topic string) TopicLag {
	t.Helper()
	for _, l := range r.Lags {
		if l.Group == group && l.Topic == topic {
			return l
		}
	}
	t.Fatalf("no lag of %s on %s", group, topic)
	return TopicLag{}
}

// An abandoned group far behind fills the index. The others, on its partitions and on others, get their answers all the
// same, and the index stays within bounds.
func TestFarBehindLeavesRoomForTheOthers(t *testing.T) {
	const room, partitions = 400, 4
	f := newFake(t, Config{Scan: ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1 << 16, MaxRuns: room}})
	for _, topic := range []string{"a", "b"} {
		if err := f.cluster.CreateTopic(topic, partitions, nil); err != nil {
			t.Fatal(err)
		}
	}
	f.transactions("a", partitions, 60)
	f.transactions("b", 1, 1)
	for p := range int32(partitions) {
		f.commitOn("a", "abandoned", p, 0)
	}
	f.commitOn("b", "caught-up", 0, 1)
	end := int64(120)
	for range 10 {
		f.transactions("a", partitions, 5)
		end += 10
		for p := range int32(partitions) {
			f.commitOn("a", "caught-up", p, end-1)
		}
		r := f.read()
		for topic, want := range map[string]Composition{"a": {Control: partitions}, "b": {Control: 1}} {
			if l := r.lag(t, "caught-up", topic); l.Composition != want {
				t.Fatalf("%s: caught up at the end %d, but its lag is %v, want %v", topic, end, l.Composition, want)
			}
		}
		abandoned := r.lag(t, "abandoned", "a")
		if records := abandoned.Composition.Records(); records < partitions*end/2 || abandoned.Composition.Offsets() != partitions*end {
			t.Fatalf("%v claims less than the %d records that are left", abandoned.Composition, partitions*end/2)
		}
	}
	runs := 0
	for _, tt := range f.reader.index.topics {
		for i := range tt.parts {
			runs += tt.parts[i].len()
		}
	}
	if grown := partitions * 15; runs > room+grown {
		t.Errorf("%d runs, want %d at the most and what the last scrape read", runs, room)
	}
	for p := range int32(partitions) {
		f.commitOn("a", "abandoned", p, end-20)
	}
	for range 2 { // the index lets go of what nobody wants, and then reads what it had no room for
		f.read()
	}
	want := Composition{Record: partitions * 10, Control: partitions * 10}
	if l := f.read().lag(t, "abandoned", "a"); l.Composition != want {
		t.Errorf("it is not far behind any more: %v, want %v", l.Composition, want)
	}
}

// An abandoned group's backlog is read over many scrapes. The groups that are nearly there do not wait for it.
func TestShortSpansAreReadBeforeABacklog(t *testing.T) {
	const partitions = 6
	f := newFake(t, Config{Scan: ScanConfig{Enabled: true, BytesPerScrape: 32 << 10, BytesPerPartition: 16 << 10, MaxRuns: 1 << 20}})
	for _, topic := range []string{"a", "backlog"} {
		if err := f.cluster.CreateTopic(topic, partitions, nil); err != nil {
			t.Fatal(err)
		}
	}
	noise := make([]byte, 4<<10)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	for i := range int32(20 * partitions) {
		r := &kgo.Record{Topic: "backlog", Partition: i % partitions, Value: noise}
		if err := f.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	for p := range int32(partitions) {
		f.commitOn("backlog", "abandoned", p, 0)
		if err := f.cluster.MoveTopicPartition("backlog", p, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.cluster.MoveTopicPartition("a", p, 0); err != nil {
			t.Fatal(err)
		}
	}
	want := Composition{Control: partitions}
	for i := range int64(6) {
		f.transactions("a", partitions, 1)
		for p := range int32(partitions) {
			f.commitOn("a", "caught-up", p, 2*i+1)
		}
		r := f.read()
		if l := r.lag(t, "caught-up", "a"); l.Composition != want {
			t.Fatalf("scrape %d: %v, want %v", i, l.Composition, want)
		}
		if i == 0 && r.lag(t, "abandoned", "backlog").Composition[Unscanned] == 0 {
			t.Fatal("the budget held the whole backlog, so that nothing had to wait")
		}
	}
}

// A second map of a compacted partition may not fit beside the first one. The first must go on growing then.
func TestRenewalThatDoesNotFitIsGivenUp(t *testing.T) {
	f := newFake(t, Config{Scan: ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1500, MaxRuns: 100, Recheck: time.Nanosecond}})
	if err := f.cluster.CreateTopic("a", 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
		t.Fatal(err)
	}
	f.transactions("a", 1, 25)
	f.commitOn("a", "behind", 0, 0)
	f.commitOn("a", "near", 0, 50)
	for range 20 {
		f.read()
	}
	f.transactions("a", 1, 2)
	for range 5 {
		f.read()
	}
	want := Composition{Record: 2, Control: 2}
	if l := f.read().lag(t, "near", "a"); l.Composition != want {
		t.Errorf("got %v, want %v", l.Composition, want)
	}
}

// What lies below the commits is forgotten, also where a log is one run of records.
func TestStampsBelowTheCommitsAreForgotten(t *testing.T) {
	f := newFake(t, Config{})
	for i := range int64(100) {
		for range 2 {
			if err := f.client.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Value: []byte("v")}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		f.commit("g", 0, max(2*i-10, 0))
		f.read()
	}
	if n := f.reader.index.topics["t"].parts[0].len(); n > 20 {
		t.Errorf("%d runs and stamps for the 12 batches that are left", n)
	}
}
