package main

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"
)

// reading is what one scrape has read. Partitions of all topics are numbered through, topic by topic.
type reading struct {
	topics  []kmsg.MetadataResponseTopic
	first   map[[16]byte]int32 // the number of a topic's first partition
	starts  []int64
	stables []int64
	highs   []int64

	groups    []kmsg.OffsetFetchResponseGroup
	described []groupInfo // as groups
}

type groupInfo struct {
	kind, state string
	members     int
}

// read asks Metadata and ListGroups, log starts, commits and descriptions, last stable offsets, high watermarks, each of
// all brokers at once.
func read(ctx context.Context, client *kgo.Client) (*reading, error) {
	meta, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	r := &reading{topics: meta.Topics, first: make(map[[16]byte]int32, len(meta.Topics))}
	ends := make(map[int32]*kmsg.ListOffsetsRequest, len(meta.Brokers))
	for _, b := range meta.Brokers {
		ends[b.NodeID] = kmsg.NewPtrListOffsetsRequest()
	}
	var partitions int32
	numbers := make(map[string]int32, len(meta.Topics))
	for i := range meta.Topics {
		t := &meta.Topics[i]
		r.first[t.TopicID], numbers[*t.Topic] = partitions, partitions
		partitions += int32(len(t.Partitions))
		for j := range t.Partitions {
			p := &t.Partitions[j]
			req := ends[p.Leader]
			if n := len(req.Topics); n == 0 || req.Topics[n-1].Topic != *t.Topic {
				rt := kmsg.NewListOffsetsRequestTopic()
				rt.Topic = *t.Topic
				req.Topics = append(req.Topics, rt)
			}
			rp := kmsg.NewListOffsetsRequestTopicPartition()
			rp.Partition = p.Partition
			rt := &req.Topics[len(req.Topics)-1]
			rt.Partitions = append(rt.Partitions, rp)
		}
	}
	list := func(isolation int8, timestamp int64) ([]int64, error) {
		offsets := make([]int64, partitions)
		return offsets, each(meta.Brokers, func(i int, b *kgo.Broker) error {
			req := ends[meta.Brokers[i].NodeID]
			req.IsolationLevel = isolation
			for i := range req.Topics {
				for j := range req.Topics[i].Partitions {
					req.Topics[i].Partitions[j].Timestamp = timestamp
				}
			}
			answer, err := b.Request(ctx, req)
			if err != nil {
				return fmt.Errorf("list offsets: %w", err)
			}
			resp := answer.(*kmsg.ListOffsetsResponse)
			for i := range resp.Topics {
				first := numbers[resp.Topics[i].Topic]
				for j := range resp.Topics[i].Partitions {
					p := &resp.Topics[i].Partitions[j]
					if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
						return err
					}
					offsets[first+p.Partition] = p.Offset
				}
			}
			return nil
		}, client)
	}
	if r.starts, err = list(0, -2); err != nil {
		return nil, err
	}
	if err := r.readGroups(ctx, client, meta.Brokers); err != nil {
		return nil, err
	}
	if r.stables, err = list(1, -1); err != nil {
		return nil, err
	}
	r.highs, err = list(0, -1)
	return r, err
}

func (r *reading) readGroups(ctx context.Context, client *kgo.Client, brokers []kmsg.MetadataResponseBroker) error {
	commits := make([]*kmsg.OffsetFetchResponse, len(brokers))
	infos := make([]map[string]groupInfo, len(brokers))
	err := each(brokers, func(i int, b *kgo.Broker) error {
		answer, err := b.Request(ctx, kmsg.NewPtrListGroupsRequest())
		if err != nil {
			return fmt.Errorf("list groups: %w", err)
		}
		fetch := kmsg.NewPtrOffsetFetchRequest()
		classic, consumer := kmsg.NewPtrDescribeGroupsRequest(), kmsg.NewPtrConsumerGroupDescribeRequest()
		for _, g := range answer.(*kmsg.ListGroupsResponse).Groups {
			rg := kmsg.NewOffsetFetchRequestGroup()
			rg.Group = g.Group
			fetch.Groups = append(fetch.Groups, rg)
			if g.GroupType == "consumer" {
				consumer.Groups = append(consumer.Groups, g.Group)
			} else {
				classic.Groups = append(classic.Groups, g.Group)
			}
		}
		if answer, err = b.Request(ctx, fetch); err != nil {
			return fmt.Errorf("fetch offsets: %w", err)
		}
		commits[i] = answer.(*kmsg.OffsetFetchResponse)
		infos[i] = make(map[string]groupInfo, len(fetch.Groups))
		if answer, err = b.Request(ctx, classic); err != nil {
			return fmt.Errorf("describe groups: %w", err)
		}
		for _, g := range answer.(*kmsg.DescribeGroupsResponse).Groups {
			infos[i][g.Group] = groupInfo{"classic", g.State, len(g.Members)}
		}
		if answer, err = b.Request(ctx, consumer); err != nil {
			return fmt.Errorf("describe consumer groups: %w", err)
		}
		for _, g := range answer.(*kmsg.ConsumerGroupDescribeResponse).Groups {
			infos[i][g.Group] = groupInfo{"consumer", g.State, len(g.Members)}
		}
		return nil
	}, client)
	for i := range commits {
		if err != nil {
			break
		}
		for _, g := range commits[i].Groups {
			r.groups = append(r.groups, g)
			r.described = append(r.described, infos[i][g.Group])
		}
	}
	return err
}

// each calls f for all brokers at once.
func each(brokers []kmsg.MetadataResponseBroker, f func(int, *kgo.Broker) error, client *kgo.Client) error {
	var asking errgroup.Group
	for i := range brokers {
		asking.Go(func() error { return f(i, client.Broker(int(brokers[i].NodeID))) })
	}
	return asking.Wait()
}
