//go:build e2e

package lab_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/kafka"
	"truelag/lab"
)

// Brokers that know neither group types nor OffsetFetch for many groups, the oldest no leader epochs and topic ids
// either, give the same numbers.
func TestOldBrokers(t *testing.T) {
	open, compacted, deleted := kinds()[0], kinds()[7], kinds()[9]
	for version, kinds := range map[string][]logs{
		lab.Old:    {open, compacted, deleted},
		lab.Oldest: {open, kinds()[5]}, // its cleaner dies of an emptied control batch
	} {
		t.Run(version, func(t *testing.T) {
			c := pool.Shared(t, lab.Options{Version: version})
			// No zstd before 2.1. These brokers forget a producer whose records are deleted, and refuse its next batch.
			differ(t, c, kinds, "steps=20", "codecs=none,gzip,snappy,lz4", "retry=true")
		})
	}
}

func TestOldBrokerRawLag(t *testing.T) {
	c := pool.Shared(t, lab.Options{Version: lab.Old})
	const topic, group = "raw-lag", "raw-lag-simple"
	c.CreateTopic(t, topic, 12, nil)
	s := seed(t, 1)
	c.MakeLogs(t, topic, s, "partitions=12").End(t, "leave")
	random := rand.New(rand.NewPCG(uint64(s), 0))
	offsets := kadm.Offsets{}
	for p, e := range c.Ends(t, topic) {
		offsets.AddOffset(topic, int32(p), random.Int64N(e.HighWatermark), -1)
	}
	c.Commit(t, group, offsets)
	k := exporter(t, c, group)
	sameAsTool(t, c, k, group, topic)
	r := read(t, k)
	if got, want := fmt.Sprint(r.Groups[0].Type, r.Groups[0].State, r.Groups[0].Members), "classicEmpty0"; got != want {
		t.Errorf("group is %s, want %s", got, want)
	}
}

// Message formats 0 and 1 have no counts in what is cheap to read: their offsets are unscanned, those written after a
// change of format are not. Neither reads more than it says.
func TestOldMessageFormats(t *testing.T) {
	c := pool.Shared(t, lab.Options{Version: lab.Old})
	for _, format := range []string{"0.9.0", "0.10.2"} {
		t.Run(format, func(t *testing.T) {
			topic := "format-" + format
			c.CreateTopic(t, topic, 1, map[string]string{"message.format.version": format})
			plain := c.Producer(t, lab.ProducerOptions{Raw: true})
			plain.Batch(t, topic, 0, lab.Records(3)...)
			packed := c.Producer(t, lab.ProducerOptions{Raw: true, Compression: kgo.GzipCompression()})
			packed.Batch(t, topic, 0, lab.Records(20)...)
			if e := c.Ends(t, topic)[0]; e.HighWatermark != 23 {
				t.Fatalf("ends %+v, want 23 offsets", e)
			}
			group := "format-" + format
			c.CommitOffset(t, group+"-rc-0", topic, 0, 1)
			c.CommitOffset(t, group+"-rc-1", topic, 0, 10) // inside the compressed message
			c.CommitOffset(t, group+"-ru-0", topic, 0, 23)
			k := exporter(t, c, group)
			check := func(group string, want kafka.Composition) {
				t.Helper()
				lag := lagOf(read(t, k), group, topic)
				if lag == nil || lag.Composition != want {
					t.Errorf("group %s: %+v, want %v", group, lag, want)
				}
			}
			check(group+"-rc-0", kafka.Composition{kafka.Unscanned: 22})
			check(group+"-rc-1", kafka.Composition{kafka.Unscanned: 13})
			check(group+"-ru-0", kafka.Composition{})

			version := "2.8"
			changed, err := c.Admin(t).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "message.format.version", Value: &version}}, topic)
			if err != nil || changed[0].Err != nil {
				t.Fatal(err, changed)
			}
			var old int64
			lab.Await(t, func() error { // the broker says that it has, and does a moment later
				plain.Batch(t, topic, 0, lab.Records(1)...)
				all := entries(t, c, topic)
				if magic := all[len(all)-1][16]; magic < 2 {
					old++
					return fmt.Errorf("a record is still written in format %d", magic)
				}
				return nil
			})
			p := c.Producer(t, lab.ProducerOptions{TxnID: topic})
			p.Batch(t, topic, 0, lab.Records(4)...)
			p.End(t, true)
			c.AwaitEnded(t, topic)
			check(group+"-rc-0", kafka.Composition{kafka.Unscanned: 22 + old, kafka.Record: 5, kafka.Control: 1})
			check(group+"-rc-1", kafka.Composition{kafka.Unscanned: 13 + old, kafka.Record: 5, kafka.Control: 1})
			check(group+"-ru-0", kafka.Composition{kafka.Unscanned: old, kafka.Record: 5, kafka.Control: 1})
		})
	}
}
