package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"
)

// plan is the Fetch requests that read all tails, by broker, in order. To replay it takes no look at the answers.
type plan map[int32][]*kmsg.FetchRequest

// recorder makes a plan: from each commit to the end, all partitions of a leader at once, with the limits that the
// exporter has.
type recorder struct {
	seeds                       []string
	maxBytes, partitionMaxBytes int32
}

type position struct {
	topic     kmsg.MetadataResponseTopic
	partition int32
	offset    int64
	end       int64
}

func (rec *recorder) record(ctx context.Context) (plan, error) {
	client, err := newClient(rec.seeds)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	leaders, err := positions(ctx, client)
	if err != nil {
		return nil, err
	}
	p := plan{}
	for leader, tails := range leaders {
		for {
			req := kmsg.NewPtrFetchRequest()
			req.MaxBytes, req.IsolationLevel = rec.maxBytes, 1
			at := map[int32]*position{}
			for _, t := range tails {
				if t.offset < t.end {
					at[t.partition] = t
					addPartition(req, t, rec.partitionMaxBytes)
				}
			}
			if len(at) == 0 {
				break
			}
			p[leader] = append(p[leader], req)
			answer, err := client.Broker(int(leader)).Request(ctx, req)
			if err != nil {
				return nil, fmt.Errorf("fetch: %w", err)
			}
			for _, rt := range answer.(*kmsg.FetchResponse).Topics {
				for _, rp := range rt.Partitions {
					if err := kerr.ErrorForCode(rp.ErrorCode); err != nil {
						return nil, fmt.Errorf("fetch partition %d: %w", rp.Partition, err)
					}
					at[rp.Partition].offset = after(rp.RecordBatches, at[rp.Partition].offset)
				}
			}
		}
	}
	return p, nil
}

// addPartition appends a partition of the only topic.
func addPartition(req *kmsg.FetchRequest, at *position, limit int32) {
	if len(req.Topics) == 0 {
		t := kmsg.NewFetchRequestTopic()
		t.Topic, t.TopicID = *at.topic.Topic, at.topic.TopicID
		req.Topics = append(req.Topics, t)
	}
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = at.partition, at.offset, limit
	req.Topics[0].Partitions = append(req.Topics[0].Partitions, p)
}

// after is the offset that follows the last whole batch of a log.
func after(log []byte, offset int64) int64 {
	for len(log) >= 61 {
		size := 12 + int(binary.BigEndian.Uint32(log[8:]))
		if size > len(log) {
			break
		}
		offset = int64(binary.BigEndian.Uint64(log)) + int64(binary.BigEndian.Uint32(log[23:])) + 1
		log = log[size:]
	}
	return offset
}

// positions is where the only group stands, by leader.
func positions(ctx context.Context, client *kgo.Client) (map[int32][]*position, error) {
	meta, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	topic := meta.Topics[0]
	groups := client.RequestSharded(ctx, kmsg.NewPtrListGroupsRequest())
	req := kmsg.NewPtrOffsetFetchRequest()
	for _, shard := range groups {
		if shard.Err != nil {
			return nil, fmt.Errorf("list groups: %w", shard.Err)
		}
		for _, g := range shard.Resp.(*kmsg.ListGroupsResponse).Groups {
			rg := kmsg.NewOffsetFetchRequestGroup()
			rg.Group = g.Group
			req.Groups = append(req.Groups, rg)
		}
	}
	commits, err := req.RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("fetch offsets: %w", err)
	}
	ends := kmsg.NewPtrListOffsetsRequest()
	rt := kmsg.NewListOffsetsRequestTopic()
	rt.Topic = *topic.Topic
	leaders := map[int32][]*position{}
	all := map[int32]*position{}
	for _, p := range topic.Partitions {
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = p.Partition, -1
		rt.Partitions = append(rt.Partitions, rp)
		all[p.Partition] = &position{topic: topic, partition: p.Partition}
		leaders[p.Leader] = append(leaders[p.Leader], all[p.Partition])
	}
	ends.Topics = append(ends.Topics, rt)
	ended, err := ends.RequestWith(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	for _, p := range ended.Topics[0].Partitions {
		all[p.Partition].end = p.Offset
	}
	for _, p := range commits.Groups[0].Topics[0].Partitions {
		all[p.Partition].offset = p.Offset
	}
	return leaders, nil
}

// replay sends the plan's requests, all brokers at once, and counts the bytes of records that come back.
func (p plan) replay(ctx context.Context, seeds []string) (time.Duration, int64, error) {
	client, err := newClient(seeds)
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	start := time.Now()
	if _, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, client); err != nil { // makes the brokers known
		return 0, 0, fmt.Errorf("metadata: %w", err)
	}
	var fetching errgroup.Group
	sizes := make(chan int64, len(p))
	for leader, requests := range p {
		fetching.Go(func() error {
			var size int64
			for _, req := range requests {
				answer, err := client.Broker(int(leader)).Request(ctx, req)
				if err != nil {
					return fmt.Errorf("fetch: %w", err)
				}
				for _, rt := range answer.(*kmsg.FetchResponse).Topics {
					for _, rp := range rt.Partitions {
						size += int64(len(rp.RecordBatches))
					}
				}
			}
			sizes <- size
			return nil
		})
	}
	if err := fetching.Wait(); err != nil {
		return 0, 0, err
	}
	took := time.Since(start)
	close(sizes)
	var size int64
	for n := range sizes {
		size += n
	}
	return took, size, nil
}

func (p plan) calls() int64 {
	var n int64
	for _, requests := range p {
		n += int64(len(requests))
	}
	return n
}
