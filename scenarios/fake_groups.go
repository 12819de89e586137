package scenarios

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Commit commits an offset as a group without members: what Flink, and every tool that resets offsets, does.
func (f *Fake) Commit(ctx context.Context, a Commit) error {
	if err := f.change(a.Partition, func(*partitionLog) error {
		if f.commits[a.Group] == nil {
			f.commits[a.Group] = map[int32]commit{}
		}
		f.commits[a.Group][a.Partition] = commit{f.topic.id, a.Offset}
		return nil
	}); err != nil {
		return err
	}
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.Generation = a.Group, -1
	rt := kmsg.NewOffsetCommitRequestTopic()
	rt.Topic, rt.TopicID = fakeTopic, f.firstID
	rp := kmsg.NewOffsetCommitRequestTopicPartition()
	rp.Partition, rp.Offset = a.Partition, a.Offset
	if f.crafted {
		rp.Partition = 0 // one that the cluster has: all that it is needed for is the group
	}
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	resp, err := f.askCoordinator(ctx, a.Group, req)
	if err != nil {
		return err
	}
	for _, t := range resp.(*kmsg.OffsetCommitResponse).Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

// Uncommit deletes a committed offset, if there is one.
func (f *Fake) Uncommit(ctx context.Context, a Uncommit) error {
	f.mu.Lock()
	_, there := f.commits[a.Group][a.Partition]
	delete(f.commits[a.Group], a.Partition)
	f.mu.Unlock()
	if !there || f.crafted {
		return nil
	}
	req := kmsg.NewPtrOffsetDeleteRequest()
	req.Group = a.Group
	rt := kmsg.NewOffsetDeleteRequestTopic()
	rt.Topic = fakeTopic
	rp := kmsg.NewOffsetDeleteRequestTopicPartition()
	rp.Partition = a.Partition
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	resp, err := f.askCoordinator(ctx, a.Group, req)
	if err != nil {
		return err
	}
	deleted := resp.(*kmsg.OffsetDeleteResponse)
	if err := kerr.ErrorForCode(deleted.ErrorCode); err != nil {
		return err
	}
	for _, t := range deleted.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

// askCoordinator goes to the group's coordinator without asking who it is: that may be denied.
func (f *Fake) askCoordinator(ctx context.Context, group string, req kmsg.Request) (kmsg.Response, error) {
	return f.client.Broker(int(f.cluster.CoordinatorFor(group))).RetriableRequest(ctx, req)
}
