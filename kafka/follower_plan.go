package kafka

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// planTime bounds the requests of one plan.
const planTime = 15 * time.Second

// plan looks up who leads the partitions of __consumer_offsets, finds where to begin, and sees to it that each leader is
// asked by a leg.
func (f *follower) plan(ctx context.Context, legs *sync.WaitGroup) error {
	short, cancel := context.WithTimeout(ctx, planTime)
	defer cancel()
	t, err := f.describe(short)
	if err != nil {
		return err
	}
	moved := f.assign(t)
	f.verify(short, moved)
	f.begin(short)
	f.launch(ctx, legs)
	return nil
}

// describe asks for the topic.
func (f *follower) describe(ctx context.Context) (*kmsg.MetadataResponseTopic, error) {
	resp, _, err := f.reader.wire.metadata(ctx, []kmsg.MetadataRequestTopic{{Topic: kmsg.StringPtr(commitTopic)}})
	if err != nil {
		return nil, fmt.Errorf("find the leaders of %s: %w", commitTopic, err)
	}
	for i := range resp.Topics {
		t := &resp.Topics[i]
		if t.Topic == nil || *t.Topic != commitTopic {
			continue
		}
		err := kerr.ErrorForCode(t.ErrorCode)
		if err != nil && t.ErrorCode != kerr.UnknownTopicOrPartition.Code { // a cluster that never had a group has none
			f.reader.wire.books.failed("Metadata", err)
		}
		if err == nil && leaders(t) == nil {
			err = fmt.Errorf("partitions are missing: %w", errUnanswered)
		}
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", commitTopic, err)
		}
		return t, nil
	}
	return nil, fmt.Errorf("describe %s: %w", commitTopic, errUnanswered)
}

// assign gives each partition its leader, and lists those under a new leader epoch, which have none until it is known
// that their log was not cut. A topic of another identity, or with more partitions, which files groups in another way,
// is followed anew.
func (f *follower) assign(t *kmsg.MetadataResponseTopic) (moved []epochAsk) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = following
	if f.began.IsZero() {
		f.began = time.Now()
	}
	if f.topic != t.TopicID || len(f.parts) != len(t.Partitions) {
		for _, p := range f.parts {
			p.lose()
		}
		f.trails, f.dead = trails{}, 0
		f.watched.lose(func(string) bool { return true })
		f.topic = t.TopicID
	}
	for len(f.parts) < len(t.Partitions) {
		f.parts = append(f.parts, &logPart{number: int32(len(f.parts)), leader: -1, epoch: -1, position: -1, held: pending{}})
	}
	f.parts = f.parts[:len(t.Partitions)]
	for i := range t.Partitions {
		m := &t.Partitions[i]
		p := f.parts[m.Partition]
		switch {
		case m.Leader < 0:
			p.leader = -1
		case p.position >= 0 && p.epoch >= 0 && m.LeaderEpoch != p.epoch:
			p.leader = -1
			moved = append(moved, epochAsk{Topic: commitTopic, Partition: m.Partition, Leader: m.Leader, Current: m.LeaderEpoch, Epoch: p.epoch})
		default:
			p.leader, p.epoch = m.Leader, m.LeaderEpoch
		}
	}
	return moved
}

// verify asks new leaders where the log under the old one ended. Where it was cut below what was read, the history of
// the partition's groups begins anew. A leader that knows nothing of the old epoch is believed to have cut nothing; else
// it answers that the position is out of range. An ask that fails is asked again in the next plan.
func (f *follower) verify(ctx context.Context, moved []epochAsk) {
	if len(moved) == 0 {
		return
	}
	ends := f.reader.epochEnds(ctx, moved)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, a := range moved {
		p, end := f.parts[a.Partition], ends[i]
		if end.Err != nil {
			f.outdate()
			continue
		}
		if end.End >= 0 && end.End < p.position {
			f.restart(p)
		}
		p.leader, p.epoch = a.Leader, a.Current
	}
}

// begin finds the ends of the partitions in which no position is known.
func (f *follower) begin(ctx context.Context) {
	f.mu.Lock()
	asked := make([]int32, len(f.parts))
	unknown := false
	for i, p := range f.parts {
		asked[i] = -1
		if p.position < 0 && p.leader >= 0 {
			asked[i], unknown = p.leader, true
		}
	}
	f.mu.Unlock()
	if !unknown {
		return
	}
	ends := f.reader.logEnds(ctx, asked)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, leader := range asked {
		p := f.parts[i]
		switch {
		case leader < 0:
		case ends[i] < 0:
			f.outdate()
		default:
			p.position, p.end, p.goal = ends[i], ends[i], ends[i]
		}
	}
}

// launch starts a leg for each leader that has none.
func (f *follower) launch(ctx context.Context, legs *sync.WaitGroup) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.parts {
		if p.leader < 0 || p.position < 0 || f.legs[p.leader] {
			continue
		}
		leader := p.leader
		f.legs[leader] = true
		legs.Go(func() { f.leg(ctx, leader) })
	}
}
