package scenarios

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Partitions adds partitions.
func (f *Fake) Partitions(ctx context.Context, a Partitions) error {
	if f.topic == nil || int(a.Count) < len(f.topic.parts) {
		return errors.New("a topic cannot lose partitions")
	}
	if f.crafted || len(f.producers) > 0 { // the producers would not see new partitions at once
		f.craft()
		f.mu.Lock()
		defer f.mu.Unlock()
		for p := len(f.topic.parts); p < int(a.Count); p++ {
			f.topic.parts = append(f.topic.parts, newPartitionLog(f.leader(p)))
		}
		return nil
	}
	if int(a.Count) == len(f.topic.parts) {
		return nil
	}
	req := kmsg.NewPtrCreatePartitionsRequest()
	rt := kmsg.NewCreatePartitionsRequestTopic()
	rt.Topic, rt.Count = fakeTopic, a.Count
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, f.client)
	if err != nil {
		return err
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return err
		}
	}
	f.adopt()
	return nil
}

// leader spreads partitions over the brokers.
func (f *Fake) leader(partition int) int32 {
	return f.brokers.Brokers[partition%len(f.brokers.Brokers)].NodeID
}

// Compact removes entries.
func (f *Fake) Compact(_ context.Context, a Compact) error {
	f.craft() // the cluster's own compaction is unlike a real broker's
	return f.change(a.Partition, func(l *partitionLog) error {
		l.compact(span{a.From, a.To})
		return nil
	})
}

// DeleteBefore moves the log start offset.
func (f *Fake) DeleteBefore(_ context.Context, a DeleteBefore) error {
	here := func(l *partitionLog) error { return l.deleteBefore(a.Offset) }
	return f.both(a.Partition, here, func() error {
		if a.Offset <= f.cluster.PartitionInfo(fakeTopic, a.Partition).LogStartOffset {
			return nil
		}
		return f.cluster.DeleteRecords(fakeTopic, a.Partition, a.Offset)
	})
}

// Truncate cuts the log.
func (f *Fake) Truncate(_ context.Context, a Truncate) error {
	f.craft()
	return f.change(a.Partition, func(l *partitionLog) error { return l.truncate(a.To) })
}

// OldFormat writes messages of an old format.
func (f *Fake) OldFormat(_ context.Context, a OldFormat) error {
	f.craft()
	return f.change(a.Partition, func(l *partitionLog) error {
		l.appendOld(a)
		return nil
	})
}

// Leaderless takes the leader away.
func (f *Fake) Leaderless(_ context.Context, a Leaderless) error {
	f.craft()
	return f.change(a.Partition, func(l *partitionLog) error {
		l.leader = -1
		return nil
	})
}

// DeleteTopic deletes the topic and leaves commits behind; the cluster's own would go with it.
func (f *Fake) DeleteTopic(context.Context) error {
	f.craft()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.topic == nil {
		return errors.New("the topic is deleted already")
	}
	f.topic = nil
	return nil
}

// Recreate makes the topic anew.
func (f *Fake) Recreate(_ context.Context, a Recreate) error {
	f.craft()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.topic = &topicLog{}
	if _, err := rand.Read(f.topic.id[:]); err != nil {
		return err
	}
	for p := range int(a.Partitions) {
		f.topic.parts = append(f.topic.parts, newPartitionLog(f.leader(p+1)))
	}
	return nil
}

// Deny takes a permission away.
func (f *Fake) Deny(_ context.Context, a Deny) error {
	if a.What == DenyGroup {
		f.cluster.Fault(kfake.Fault{
			Group: mainGroup,
			Keys:  []kmsg.Key{kmsg.FindCoordinator, kmsg.DescribeGroups, kmsg.ConsumerGroupDescribe},
			Err:   kerr.GroupAuthorizationFailed,
			Count: -1,
		})
	}
	f.craft()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.denied[a.What] = true
	return nil
}
