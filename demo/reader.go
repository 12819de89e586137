package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// reader consumes one topic and commits the offset of the last record that it was handed, plus one: what Flink does.
// It never commits past a marker, because it is never handed one.
type reader struct {
	client *kgo.Client
	topic  string
	group  string
	member bool // joins the group; else it commits without being a member, as Flink does
	next   map[int32]int64
	stands map[int32]int64 // what it has committed
}

func (s *stage) reader(group string, isolation kgo.IsolationLevel) (*reader, error) {
	from := make(map[int32]kgo.Offset)
	for p := range s.partitions {
		from[p] = kgo.NewOffset().AtStart()
	}
	return s.open(&reader{group: group}, isolation,
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{s.topic: from}))
}

// member is a reader that joins its group.
func (s *stage) member(group string, isolation kgo.IsolationLevel) (*reader, error) {
	return s.open(&reader{group: group, member: true}, isolation, kgo.ConsumerGroup(group), kgo.ConsumeTopics(s.topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())
}

func (s *stage) open(r *reader, isolation kgo.IsolationLevel, opts ...kgo.Opt) (*reader, error) {
	client, err := kgo.NewClient(append(opts,
		kgo.SeedBrokers(s.addrs...),
		kgo.ClientID("demo-"+r.group),
		kgo.FetchIsolationLevel(isolation),
	)...)
	if err != nil {
		return nil, fmt.Errorf("open a consumer: %w", err)
	}
	r.client, r.topic, r.next, r.stands = client, s.topic, make(map[int32]int64), make(map[int32]int64)
	return r, nil
}

// read takes what there is, and waits no longer than told for the first of it.
func (r *reader) read(ctx context.Context, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	fetches := r.client.PollFetches(ctx)
	if fetches.IsClientClosed() {
		return errClosed
	}
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, ctx.Err()) {
			return fmt.Errorf("read partition %d: %w", e.Partition, e.Err)
		}
	}
	fetches.EachRecord(func(rec *kgo.Record) { r.next[rec.Partition] = rec.Offset + 1 })
	return nil
}

// commit writes down where the reader stands; nothing when it has not moved.
func (r *reader) commit(ctx context.Context) error {
	if maps.Equal(r.next, r.stands) {
		return nil
	}
	if err := r.send(ctx); err != nil {
		return fmt.Errorf("commit offsets of group %q: %w", r.group, err)
	}
	r.stands = maps.Clone(r.next)
	return nil
}

func (r *reader) send(ctx context.Context) error {
	if r.member {
		var last []*kgo.Record
		for p, at := range r.next {
			last = append(last, &kgo.Record{Topic: r.topic, Partition: p, Offset: at - 1, LeaderEpoch: -1})
		}
		return r.client.CommitRecords(ctx, last...)
	}
	offsets := make(kadm.Offsets)
	for p, at := range r.next {
		offsets.AddOffset(r.topic, p, at, -1)
	}
	return kadm.NewClient(r.client).CommitAllOffsets(ctx, r.group, offsets)
}

// back moves the reader n offsets back, as a restart from an older savepoint does.
func (r *reader) back(n int64) {
	seek := make(map[int32]kgo.EpochOffset)
	for p, at := range r.next {
		r.next[p] = max(at-n, 0)
		seek[p] = kgo.EpochOffset{Epoch: -1, Offset: r.next[p]}
	}
	r.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{r.topic: seek})
}
