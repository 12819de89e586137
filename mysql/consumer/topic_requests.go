package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// logStart and logEnd are what ListOffsets is asked for. With isolation 1, the end is the last stable offset.
const logStart, logEnd int64 = -2, -1

// topicMeta is what Metadata tells of the topic.
type topicMeta struct {
	id      [16]byte
	leaders map[int32][]int32 // partitions by leader
}

func (m *topicMeta) has(id int32) bool {
	for _, ids := range m.leaders {
		if slices.Contains(ids, id) {
			return true
		}
	}
	return false
}

func (l *offsetLog) metadata(ctx context.Context) (*topicMeta, error) {
	req := kmsg.NewPtrMetadataRequest()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = kmsg.StringPtr(l.topic)
	req.Topics = append(req.Topics, topic)
	req.AllowAutoTopicCreation = false
	answer, err := req.RequestWith(ctx, l.client)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	if len(answer.Topics) != 1 {
		return nil, errors.New("metadata: the answer leaves the topic out")
	}
	told := answer.Topics[0]
	if err := refused(told.ErrorCode, "metadata"); err != nil {
		return nil, err
	}
	m := &topicMeta{id: told.TopicID, leaders: map[int32][]int32{}}
	seen := map[int32]bool{}
	for _, p := range told.Partitions {
		switch {
		case p.Leader < 0:
			return nil, fmt.Errorf("partition %d has no leader: %w", p.Partition, kerr.LeaderNotAvailable)
		case seen[p.Partition]: // its log would be filled from two sides at once
			return nil, fmt.Errorf("metadata: partition %d is told twice", p.Partition)
		}
		seen[p.Partition] = true
		m.leaders[p.Leader] = append(m.leaders[p.Leader], p.Partition)
	}
	return m, nil
}

// topicLeg is the part of a reading that one leader answers.
type topicLeg struct {
	*offsetLog
	leader int32
	logs   []*partitionLog
}

// read reads the leader's partitions to their ends.
func (l *topicLeg) read(ctx context.Context) error {
	ends, err := l.list(ctx, l.logs, logEnd)
	if err != nil {
		return err
	}
	var fresh []*partitionLog
	for _, log := range l.logs {
		log.end = ends[log.id]
		if log.next < 0 || log.next > log.end { // truncated, or the topic was made again where ids are not told
			fresh = append(fresh, log)
		}
	}
	if err := l.restart(ctx, fresh); err != nil {
		return err
	}
	for left := l.behind(); len(left) > 0; left = l.behind() {
		if err := l.fetch(ctx, left); err != nil {
			return err
		}
	}
	return nil
}

// restart goes to where the logs start.
func (l *topicLeg) restart(ctx context.Context, logs []*partitionLog) error {
	if len(logs) == 0 {
		return nil
	}
	starts, err := l.list(ctx, logs, logStart)
	if err != nil {
		return err
	}
	for _, log := range logs {
		clear(log.kept)
		clear(log.others)
		log.next = starts[log.id]
	}
	return nil
}

func (l *topicLeg) behind() []*partitionLog {
	var left []*partitionLog
	for _, log := range l.logs {
		if log.next < log.end {
			left = append(left, log)
		}
	}
	return left
}

// Request sends a request to the leader. It makes the leg a kmsg.Requestor.
func (l *topicLeg) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	resp, err := l.client.Broker(int(l.leader)).RetriableRequest(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("%s at broker %d: %w", kmsg.NameForKey(req.Key()), l.leader, err)
	}
	return resp, nil
}

// list asks where the partitions start or end, for a reader of what is committed.
func (l *topicLeg) list(ctx context.Context, logs []*partitionLog, at int64) (map[int32]int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.IsolationLevel = 1
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic = l.topic
	for _, log := range logs {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = log.id, at
		topic.Partitions = append(topic.Partitions, p)
	}
	req.Topics = append(req.Topics, topic)
	answer, err := req.RequestWith(ctx, l)
	if err != nil {
		return nil, err
	}
	found := map[int32]int64{}
	for _, t := range answer.Topics {
		for _, p := range t.Partitions {
			if err := refused(p.ErrorCode, fmt.Sprintf("offsets of partition %d", p.Partition)); err != nil {
				return nil, err
			}
			if p.Offset >= 0 {
				found[p.Partition] = p.Offset
			}
		}
	}
	for _, log := range logs {
		if _, ok := found[log.id]; !ok {
			return nil, fmt.Errorf("offsets of partition %d are not in the answer of broker %d", log.id, l.leader)
		}
	}
	return found, nil
}
