//go:build e2e

package lab_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/kafka"
	"truelag/lab"
)

// Attributes of a record batch.
const (
	appendTime    = 0x08
	deleteHorizon = 0x40
)

// ageOf is the age, at a reading, of a first record from some time on (in ms since 1970; below 0: there is none).
func ageOf(first int64, r *kafka.Reading) int64 {
	if first < 0 {
		return 0
	}
	return max(0, r.At.UnixMilli()-first)
}

// clock makes records that are some minutes old.
type clock time.Time

func (now clock) ago(minutes int) time.Time {
	return time.Time(now).Add(-time.Duration(minutes) * time.Minute)
}

// record is one whose key is a letter and whose value is too; without a value it is a tombstone.
func (now clock) record(pair string, minutes int) lab.Record {
	r := kv(pair)[0]
	if r.At = now.ago(minutes); len(r.Value) == 0 {
		r.Value = nil
	}
	return r
}

// times is when the first record was created that is left from a commit on, in ms since 1970; -1: none is left.
type times map[int64]int64

// at are the times of minutes ago.
func (now clock) at(minutes map[int64]int) times {
	ts := times{}
	for commit, m := range minutes {
		ts[commit] = now.ago(m).UnixMilli()
	}
	return ts
}

// checkAges holds the age of the first record left against when the consumer says that it was created, for a commit at
// every offset of partition 0 and both isolation levels. Of some of them a case knows the times: the consumer must agree.
func checkAges(t *testing.T, c *lab.Cluster, topic string, committed, uncommitted times) {
	t.Helper()
	var questions []lab.Question
	var groups []string
	end := c.Ends(t, topic)[0].HighWatermark
	for commit := range end + 1 {
		for _, isolation := range []string{"rc", "ru"} {
			group := fmt.Sprintf("%s-%s-%d", topic, isolation, commit)
			c.CommitOffset(t, group, topic, 0, commit)
			groups = append(groups, group)
			questions = append(questions, lab.Question{Topic: topic, Offset: commit, ReadCommitted: isolation == "rc"})
		}
	}
	answers := c.Oracle(t).Ask(t, questions)
	k := exporter(t, c, topic)
	for range 2 { // the second is told from what the first has learned
		r := read(t, k)
		for i, q := range questions {
			known := uncommitted
			if q.ReadCommitted {
				known = committed
			}
			if want, ok := known[q.Offset]; ok && answers[i].First != want {
				t.Fatalf("%s: the consumer's first record is of %d, want %d", groups[i], answers[i].First, want)
			}
			lag := lagOf(r, groups[i], topic)
			if lag == nil || len(lag.Partitions) != 1 {
				t.Fatalf("%s: %+v, want one partition", groups[i], lag)
			}
			if got, want := lag.Partitions[0].Age, ageOf(answers[i].First, r); got != want {
				t.Errorf("%s: age %d ms at %d, want %d: the first record is of %d, records %s",
					groups[i], got, r.At.UnixMilli(), want, answers[i].First, answers[i].Offsets)
			}
		}
	}
}

// Records keep the time at which they were created, in whatever order that was; for all but the first of a batch it must
// be decoded.
func TestAgeOfCreatedRecords(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "age-created"
	c.CreateTopic(t, topic, 1, nil)
	now := clock(time.Now())
	plain := c.Producer(t, lab.ProducerOptions{})
	packed := c.Producer(t, lab.ProducerOptions{Compression: kgo.GzipCompression()})
	plain.Batch(t, topic, 0, now.record("a1", 60), now.record("b1", 180), now.record("c1", 120))
	packed.Batch(t, topic, 0, now.record("a2", 90), now.record("b2", 30))
	plain.Batch(t, topic, 0, now.record("a3", -10)) // by a clock that is ahead: of age 0
	want := now.at(map[int64]int{0: 60, 1: 180, 2: 120, 3: 90, 4: 30, 5: -10})
	want[6] = -1
	checkAges(t, c, topic, want, want)
}

// With log append time all records of a batch are of its greatest timestamp: its base timestamp is still the producer's.
func TestAgeOfAppendedRecords(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "age-appended"
	c.CreateTopic(t, topic, 1, map[string]string{"message.timestamp.type": "LogAppendTime"})
	now := clock(time.Now())
	for _, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression()} {
		p := c.Producer(t, lab.ProducerOptions{Compression: codec})
		p.Batch(t, topic, 0, now.record("a1", 60), now.record("b1", 180), now.record("c1", 120))
	}
	want := times{6: -1}
	for _, b := range recordBatches(t, c, topic) {
		if b.Attributes&appendTime == 0 || b.FirstTimestamp != now.ago(60).UnixMilli() || b.MaxTimestamp <= b.FirstTimestamp {
			t.Fatalf("a batch of attributes %#x from %d to %d, want it stamped when it was appended",
				b.Attributes, b.FirstTimestamp, b.MaxTimestamp)
		}
		for i := range 3 {
			want[b.FirstOffset+int64(i)] = b.MaxTimestamp
		}
	}
	checkAges(t, c, topic, want, want)
}

// The cleaner writes into a batch with tombstones when they may go, in the place of its base timestamp.
func TestAgeBehindADeleteHorizon(t *testing.T) {
	for _, stamp := range []string{"CreateTime", "LogAppendTime"} {
		t.Run(stamp, func(t *testing.T) {
			c := pool.Shared(t, lab.Options{})
			topic := "age-horizon-" + stamp
			config := c.Compacted()
			config["message.timestamp.type"], config["delete.retention.ms"] = stamp, "3600000"
			c.CreateTopic(t, topic, 1, config)
			now := clock(time.Now())
			plain := c.Producer(t, lab.ProducerOptions{Raw: true})
			packed := c.Producer(t, lab.ProducerOptions{Raw: true, Compression: kgo.GzipCompression()})
			plain.Batch(t, topic, 0, now.record("a1", 300), now.record("b", 240))
			packed.Batch(t, topic, 0, now.record("c1", 180), now.record("d", 120), now.record("e1", 150))
			plain.Batch(t, topic, 0, now.record("c2", 30)) // the first of the batch before must go
			written := recordBatches(t, c, topic)
			c.Compact(t, topic, 0)

			want := now.at(map[int64]int{0: 300, 1: 240, 2: 120, 3: 120, 4: 150, 5: 30})
			for i, b := range recordBatches(t, c, topic)[:2] {
				if b.Attributes&deleteHorizon == 0 || b.FirstTimestamp <= time.Time(now).UnixMilli() || b.NumRecords != 2 {
					t.Fatalf("batch %d has %d records, attributes %#x and base timestamp %d, want 2, and when its tombstone may go",
						i, b.NumRecords, b.Attributes, b.FirstTimestamp)
				}
			}
			if stamp == "LogAppendTime" {
				for commit, i := range []int{0, 0, 1, 1, 1, 2} {
					want[int64(commit)] = written[i].MaxTimestamp
				}
			}
			checkAges(t, c, topic, want, want)
		})
	}
}

// What is left in the place of a producer's last batch has no records, and so no time.
func TestAgeBehindAnEmptyBatch(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "age-empty"
	c.CreateTopic(t, topic, 1, c.Compacted())
	now := clock(time.Now())
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, now.record("a1", 300), now.record("b1", 240))
	plain := c.Producer(t, lab.ProducerOptions{Raw: true})
	plain.Batch(t, topic, 0, now.record("a2", 60), now.record("c2", 180), now.record("b2", 120))
	c.Compact(t, topic, 0)
	if b := recordBatches(t, c, topic)[0]; b.NumRecords != 0 || b.LastOffsetDelta != 1 || b.FirstTimestamp != -1 {
		t.Fatalf("the first batch has %d records and base timestamp %d, want none and -1", b.NumRecords, b.FirstTimestamp)
	}
	want := now.at(map[int64]int{0: 60, 1: 60, 2: 60, 3: 180, 4: 120})
	checkAges(t, c, topic, want, want)
}

// A record that is blocked or aborted is none that is left for read_committed, as are markers and holes for all.
func TestAgeWhenNoRecordIsLeft(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "age-none-left"
	c.CreateTopic(t, topic, 1, nil)
	now := clock(time.Now())
	plain := c.Producer(t, lab.ProducerOptions{Raw: true})
	open := c.Producer(t, lab.ProducerOptions{TxnID: topic})
	plain.Batch(t, topic, 0, now.record("a1", 300))                       // 0
	open.Batch(t, topic, 0, now.record("b1", 240), now.record("c1", 180)) // 1, 2
	plain.Batch(t, topic, 0, now.record("d1", 120))                       // 3
	all := now.at(map[int64]int{0: 300, 1: 240, 2: 180, 3: 120})
	all[4] = -1
	checkAges(t, c, topic, times{0: all[0], 1: -1, 2: -1, 3: -1, 4: -1}, all)

	open.End(t, false) // 4
	all[5] = -1
	handed := maps.Clone(all)
	handed[1], handed[2] = all[3], all[3]
	checkAges(t, c, topic, handed, all)
}
