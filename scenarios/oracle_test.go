package scenarios

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// handed counts the records of a partition that a consumer is handed from an offset to where it can get: franz-go's own
// decoding of the answers, which knows nothing of the exporter.
func handed(ctx context.Context, client *kgo.Client, topic string, partition int32, from int64, level kgo.IsolationLevel, wire int8) (int64, error) {
	meta := kmsg.NewPtrMetadataRequest()
	mt := kmsg.NewMetadataRequestTopic()
	mt.Topic = kmsg.StringPtr(topic)
	meta.Topics = append(meta.Topics, mt)
	described, err := meta.RequestWith(ctx, client)
	if err != nil {
		return 0, err
	}
	t := described.Topics[0]
	if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
		return 0, err
	}
	leader := int32(-1)
	for _, p := range t.Partitions {
		if p.Partition == partition {
			leader = p.Leader
		}
	}
	if leader < 0 {
		return 0, kerr.LeaderNotAvailable
	}
	var count int64
	for offset := from; ; {
		req := kmsg.NewPtrFetchRequest()
		req.MinBytes, req.MaxBytes, req.IsolationLevel = 0, 1<<20, wire
		rt := kmsg.NewFetchRequestTopic()
		rt.Topic, rt.TopicID = topic, t.TopicID
		rp := kmsg.NewFetchRequestTopicPartition()
		rp.Partition, rp.FetchOffset, rp.PartitionMaxBytes = partition, offset, 1<<20
		rt.Partitions = append(rt.Partitions, rp)
		req.Topics = append(req.Topics, rt)
		kresp, err := client.Broker(int(leader)).Request(ctx, req)
		if err != nil {
			return 0, err
		}
		p := kresp.(*kmsg.FetchResponse).Topics[0].Partitions[0]
		if p.ErrorCode == kerr.OffsetOutOfRange.Code && offset < p.LogStartOffset {
			offset = p.LogStartOffset // auto.offset.reset=earliest
			continue
		}
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			return 0, err
		}
		if len(p.RecordBatches) == 0 {
			return count, nil
		}
		got, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
			Offset: offset, IsolationLevel: level, Topic: topic, Partition: partition,
		}, &p, kgo.DefaultDecompressor(), nil)
		if got.Err != nil {
			return 0, got.Err
		}
		count += int64(len(got.Records))
		if next <= offset {
			return 0, fmt.Errorf("partition %d: stuck at offset %d with %d bytes", partition, offset, len(p.RecordBatches))
		}
		offset = next
	}
}

// consumable counts what a group would be handed on all partitions that can be read.
func (f *Fake) consumable(ctx context.Context, group, isolation string) (int64, error) {
	level, wire := kgo.ReadCommitted(), int8(1)
	if isolation == "read_uncommitted" {
		level, wire = kgo.ReadUncommitted(), 0
	}
	var sum int64
	for p, c := range f.commits[group] {
		if f.topic == nil || int(p) >= len(f.topic.parts) || c.offset > f.topic.parts[p].end {
			continue
		}
		n, err := handed(ctx, f.client, fakeTopic, p, c.offset, level, wire)
		if errors.Is(err, kerr.LeaderNotAvailable) || errors.Is(err, kerr.TopicAuthorizationFailed) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("group %s, partition %d: %w", group, p, err)
		}
		sum += n
	}
	return sum, nil
}

// TestCasesAgreeWithAConsumer holds the cases themselves, and the world that they are played in, against a consumer: what a
// case calls a record is what the consumer is handed.
func TestCasesAgreeWithAConsumer(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			for _, hard := range worlds {
				f := newFake(t, &c, hard)
				for i, step := range c.Steps {
					for _, a := range step.Do {
						if err := a.Do(t.Context(), f); err != nil {
							t.Fatalf("%s:%d: step %d: %s: %v", c.File, a.Line, i+1, a.Name, err)
						}
					}
					hold := func(w *Want, group string) {
						isolation := w.Isolation
						if isolation == "" {
							isolation = c.Isolation[group]
						}
						records, exact := w.exactRecords()
						if !exact || f.claims() || f.denied[DenyRead] || !c.Scan {
							return
						}
						if got, err := f.consumable(t.Context(), group, isolation); err != nil || got != records {
							t.Errorf("%s:%d: step %d, hard %v: a consumer of group %s is handed %d records (%v), the case says %d",
								c.File, w.Line, i+1, hard, group, got, err, records)
						}
					}
					hold(&step.Want, mainGroup)
					for name, w := range step.Want.Groups {
						hold(&w, name)
					}
				}
			}
		})
	}
}

// exactRecords is how many records a case says are left, if it says so and means neither more nor less.
func (w *Want) exactRecords() (int64, bool) {
	if w.Composition != nil {
		return w.Composition["record"], w.Composition["unscanned"] == 0
	}
	if w.Records == nil {
		return 0, false
	}
	return *w.Records, true
}

// claims says that some batch has records that are not there: no consumer can read it.
func (f *Fake) claims() bool {
	if f.topic == nil {
		return false
	}
	for _, l := range f.topic.parts {
		for _, b := range l.batches {
			if b.claimed && b.last >= l.start {
				return true
			}
		}
	}
	return false
}
