package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// idle makes a follower of one partition of __consumer_offsets that asks nobody; its answers are handed to it.
func idle(cfg readerConfig) *follower {
	f := newFollower(newReader(nil, cfg, newBooks(), log.NewNopLogger()))
	f.off = following
	f.parts = []*logPart{{held: pending{}}}
	return f
}

// hand gives the follower the next record.
func (f *follower) hand(t testing.TB, r *kgo.Record) {
	t.Helper()
	p := f.parts[0]
	r.Offset = p.position
	if err := f.take(asking{p, p.position}, &kmsg.FetchResponseTopicPartition{}, decoded{records: []*kgo.Record{r}, next: p.position + 1}); err != nil {
		t.Fatal(err)
	}
}

func commitRecord(group, topic string, partition int32, offset int64) *kgo.Record {
	r := &kgo.Record{Key: commitKey(group, topic, partition)}
	if offset >= 0 {
		r.Value = commitValue(3, offset, 1, TopicID{})
	}
	return r
}

func (ts trails) size() (n int) {
	for _, g := range ts {
		for _, parts := range g.topics {
			n += len(parts)
		}
	}
	return n
}

// What is kept is as large as the number of groups' partitions, and not as that of commits; where nobody takes it, what
// is gone does not pile up.
func TestFollowerMemory(t *testing.T) {
	f := idle(readerConfig{})
	for round := range 50 {
		for i := range 10 {
			f.hand(t, commitRecord("g", "t", int32(i), int64(1000-round)))
		}
	}
	if n := f.trails.size(); n != 10 {
		t.Errorf("%d trails of 10 partitions", n)
	}
	if tr := f.trails["g"].topics["t"][0]; len(tr.steps) != maxSteps || tr.more != (stepSum{49 - maxSteps, 49 - maxSteps}) {
		t.Errorf("%d steps and %+v of 49", len(tr.steps), tr.more)
	}
	for i := range 2*maxDead + 2 {
		name := fmt.Sprint("console-consumer-", i)
		f.hand(t, commitRecord(name, "t", 0, 1))
		f.hand(t, commitRecord(name, "t", 0, -1))
		if n := len(f.trails); n > maxDead+2 {
			t.Fatalf("%d trails after %d groups that came and went", n, i)
		}
	}
	c := f.collect(time.Now())
	if !c.anew[0] || len(f.trails) != 0 || f.dead != 0 {
		t.Errorf("something was dropped, and it was not said; %d trails are left", len(f.trails))
	}
	if c := f.collect(time.Now()); c.anew[0] || len(c.trails) != 0 {
		t.Errorf("handed over twice: %+v", c)
	}
}

// Transactions keep one commit for each partition, until they end.
func TestFollowerMemoryOfTransactions(t *testing.T) {
	f := idle(readerConfig{})
	control := func(attrs int8) kgo.RecordAttrs {
		// Only a batch gives a record its attributes.
		b := kmsg.RecordBatch{Magic: 2, Attributes: int16(attrs), NumRecords: 1, Records: []byte{12, 0, 0, 0, 1, 1, 0}}
		raw := b.AppendTo(nil)
		binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
		a := kmsg.FetchResponseTopicPartition{RecordBatches: raw}
		opts := kgo.ProcessFetchPartitionOpts{KeepControlRecords: true, DisableCRCValidation: true}
		part, _ := kgo.ProcessFetchPartition(opts, &a, kgo.DefaultDecompressor(), nil)
		if len(part.Records) == 0 {
			return kgo.RecordAttrs{}
		}
		return part.Records[0].Attrs
	}
	transactional, marker := control(attrTransactional), control(attrTransactional|attrControl)
	if !transactional.IsTransactional() || !marker.IsControl() {
		t.Fatal("no such records")
	}
	for producer := range int64(3) {
		for i := range 100 {
			r := commitRecord("g", "t", int32(i%5), int64(i))
			r.Attrs, r.ProducerID = transactional, producer
			f.hand(t, r)
		}
	}
	for producer, open := range f.parts[0].held {
		if len(open) != 5 {
			t.Errorf("%d commits are held back for producer %d, of 5 partitions", len(open), producer)
		}
	}
	for producer, kind := range []byte{0, 1} {
		f.hand(t, &kgo.Record{Attrs: marker, ProducerID: int64(producer), Key: []byte{0, 0, 0, kind}})
	}
	if n := len(f.parts[0].held); n != 1 {
		t.Errorf("%d transactions are held of one that is open", n)
	}
	if tr := f.trails["g"].topics["t"][4]; tr.commits != 20 || tr.last != 99 {
		t.Errorf("trail %+v, want the 20 commits of the transaction that was committed", tr)
	}
	f.parts[0].answered = time.Now().Add(-2 * heldFor)
	f.hand(t, &kgo.Record{Key: []byte{0, 2}})
	if n := len(f.parts[0].held); n != 0 {
		t.Errorf("%d transactions are held after a long silence: their markers may be gone", n)
	}
}

// What the configuration leaves out costs nothing to keep, nor an allocation.
func TestFollowerFilters(t *testing.T) {
	f := idle(readerConfig{
		Groups: Filter{Include: []*regexp.Regexp{regexp.MustCompile("^g")}},
		Topics: Filter{Exclude: []*regexp.Regexp{regexp.MustCompile("^_")}},
	})
	for _, r := range []*kgo.Record{
		commitRecord("g1", "t", 0, 1), commitRecord("h", "t", 0, 1), commitRecord("g1", "_t", 0, 1), commitRecord("h", "t", 0, -1),
	} {
		f.hand(t, r)
	}
	if n := f.trails.size(); n != 1 || f.trails["g1"] == nil {
		t.Errorf("%d trails, want that of g1 on t", n)
	}
	if f.records[CommitRecord] != 3 || f.records[TombstoneRecord] != 1 {
		t.Errorf("records %v, want what is left out counted, too", f.records)
	}
	for _, r := range []*kgo.Record{commitRecord("h", "t", 0, 1), commitRecord("g1", "t", 0, 1)} {
		if n := testing.AllocsPerRun(100, func() { _ = f.record(f.parts[0], r) }); n > 0 {
			t.Errorf("%v allocations for a record of which everything is known", n)
		}
	}
	for i := range 2 * sieveNames {
		f.hand(t, commitRecord(fmt.Sprint("x", i), "t", 0, 1))
	}
	if n := len(f.groups.said); n > sieveNames {
		t.Errorf("%d names are remembered", n)
	}
}

// Names of any bytes are kept as they are, and found again.
func TestFollowerOddNames(t *testing.T) {
	f := idle(readerConfig{})
	for _, name := range []string{"", " ", "グループ", "😀", strings.Repeat("x", 4000), "\xff\xfe", "a\x00b"} {
		f.hand(t, commitRecord(name, name, 0, 1))
		if g := f.trails[name]; g == nil || g.topics[name][0] == nil {
			t.Errorf("%q is not found", name)
		}
	}
}

// A partition without a leader is looked after soon: nobody says when it has one again.
func TestLeaderlessPartition(t *testing.T) {
	f := idle(readerConfig{})
	row := func(leader int32) *kmsg.MetadataResponseTopic {
		return &kmsg.MetadataResponseTopic{Partitions: []kmsg.MetadataResponseTopicPartition{{Leader: leader}}}
	}
	f.assign(row(-1))
	if d := f.judge(nil, 0); d >= f.pace.refresh {
		t.Errorf("looked after only after %s", d)
	}
	f.assign(row(1))
	if d := f.judge(nil, 0); d != f.pace.refresh {
		t.Errorf("with a leader it is looked after again after %s", d)
	}
}

func TestLogPartition(t *testing.T) {
	// What kafka.utils.Utils.abs(name.hashCode) % 50 is in Java.
	for name, want := range map[string]int{"": 0, "a": 47, "group": 47, "console-consumer-1": 24, "グループ": 20, "polygenelubricants": 0, "😀": 49} {
		if got := logPartition(name, 50); got != want {
			t.Errorf("%q is filed in partition %d, want %d", name, got, want)
		}
	}
}

// Whatever bytes an answer holds, following goes on.
func FuzzFollowerLog(f *testing.F) {
	add := func(attributes int16, records ...[2][]byte) {
		var raw []byte
		for i, r := range records {
			rec := kmsg.Record{OffsetDelta: int32(i), Key: r[0], Value: r[1]}
			body := rec.AppendTo(nil)
			rec.Length = int32(len(body) - 1)
			raw = rec.AppendTo(raw)
		}
		b := kmsg.RecordBatch{Magic: 2, Attributes: attributes, LastOffsetDelta: int32(len(records) - 1), NumRecords: int32(len(records)), Records: raw, ProducerID: 7}
		out := b.AppendTo(nil)
		binary.BigEndian.PutUint32(out[8:], uint32(len(out)-12))
		f.Add(out, int64(0))
	}
	key := commitKey("g", "t", 0)
	add(0, [2][]byte{key, commitValue(3, 5, 1, TopicID{})}, [2][]byte{key, nil})
	add(0, [2][]byte{key, commitValue(4, 5, 1, TopicID{1})}, [2][]byte{{0, 2, 0, 1, 'g'}, {1}}, [2][]byte{{0, 9}, {1}})
	add(attrTransactional, [2][]byte{key, commitValue(1, 5, 1, TopicID{})})
	add(attrTransactional|attrControl, [2][]byte{{0, 0, 0, 1}, {0, 0, 0, 0, 0, 0}})
	f.Fuzz(func(t *testing.T, raw []byte, from int64) {
		if b, _, err := nextBatch(raw); err == nil && !b.old() { // the interesting ones are whole
			binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(b.raw[21:], crc32.MakeTable(crc32.Castagnoli)))
		}
		fo := idle(readerConfig{})
		p := fo.parts[0]
		p.position = max(from, 0)
		a := &kmsg.FetchResponseTopicPartition{RecordBatches: raw}
		for range 3 {
			was := p.position
			d := decodeLog(a, was)
			if err := fo.take(asking{p, was}, a, d); err != nil && !errors.Is(err, errUnfit) {
				t.Fatal(err)
			}
			if p.position >= 0 && p.position < was {
				t.Fatalf("from %d back to %d", was, p.position)
			}
			if p.position < 0 {
				return
			}
		}
	})
}

// Whatever a record holds, it is told what it is, and what is kept of it is what it says.
func FuzzCommitRecord(f *testing.F) {
	f.Add(commitKey("g", "t", 3), commitValue(4, 5, 1, TopicID{1}))
	f.Add(commitKey("", "", 0), []byte(nil))
	f.Add([]byte{0, 2, 0, 1, 'g'}, []byte{0})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		var c seenCommit
		kind, err := readCommitKey(key, &c)
		if kind == CommitRecord {
			kind, err = readCommitValue(value, &c)
		}
		if (kind == UndecodableRecord) != (err != nil) {
			t.Fatalf("%v with error %v", kind, err)
		}
		if kind == CommitRecord && (c.offset < 0 || c.partition < 0) {
			t.Fatalf("a commit of %+v", c)
		}
	})
}
