package consumer

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	fetchBytes     = 8 << 20 // what one Fetch may answer
	partitionBytes = 1 << 20 // what it may answer for one partition
	probeBytes     = 1 << 10 // enough for a batch's first offset: a first batch comes whole
)

// rows asks for records of the partitions. Every one has a row; an error code in it is the caller's to read.
func (l *topicLeg) rows(ctx context.Context, logs []*partitionLog, committed bool, limit int32) (map[int32]*kmsg.FetchResponseTopicPartition, error) {
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes = limit
	if committed {
		req.IsolationLevel = 1
	}
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID = l.topic, l.id
	for _, log := range logs {
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = log.id, log.next, min(limit, partitionBytes)
		topic.Partitions = append(topic.Partitions, p)
	}
	req.Topics = append(req.Topics, topic)
	answer, err := req.RequestWith(ctx, l)
	if err != nil {
		return nil, err
	}
	if err := refused(answer.ErrorCode, "fetch"); err != nil {
		return nil, err
	}
	rows := map[int32]*kmsg.FetchResponseTopicPartition{}
	for i := range answer.Topics {
		for k := range answer.Topics[i].Partitions {
			row := &answer.Topics[i].Partitions[k]
			rows[row.Partition] = row
		}
	}
	for _, log := range logs {
		if rows[log.id] == nil {
			return nil, fmt.Errorf("partition %d is not in the answer of broker %d", log.id, l.leader)
		}
	}
	return rows, nil
}

// fetch reads on in partitions that are behind. One of them gets further at the least, or it fails.
func (l *topicLeg) fetch(ctx context.Context, logs []*partitionLog) error {
	rows, err := l.rows(ctx, logs, true, fetchBytes)
	if err != nil {
		return err
	}
	moved := false
	var empty []*partitionLog
	for _, log := range logs {
		row := rows[log.id]
		before := log.next
		if errors.Is(kerr.ErrorForCode(row.ErrorCode), kerr.OffsetOutOfRange) { // deleted up to there, or truncated
			if err := l.restart(ctx, []*partitionLog{log}); err != nil {
				return err
			}
			if log.next != before {
				moved = true
				continue
			}
		}
		if err := refused(row.ErrorCode, fmt.Sprintf("fetch of partition %d", log.id)); err != nil {
			return err
		}
		further, err := log.take(row, l.wanted, l.decompressor)
		if err != nil {
			return err
		}
		moved = moved || further
		if len(row.RecordBatches) == 0 {
			empty = append(empty, log)
		}
	}
	switch {
	case moved: // the others have filled the answer
		return nil
	case len(empty) == 0:
		return fmt.Errorf("broker %d answers batches that are cut short", l.leader)
	}
	return l.skip(ctx, empty)
}

// skip explains answers that are empty below the end. The cleaner may have taken all that was left below an open transaction, which
// shows to who reads that too. Or the leader has just begun and cannot tell yet: what is there must not be passed over.
func (l *topicLeg) skip(ctx context.Context, logs []*partitionLog) error {
	rows, err := l.rows(ctx, logs, false, probeBytes)
	if err != nil {
		return err
	}
	for _, log := range logs {
		row := rows[log.id]
		if err := refused(row.ErrorCode, fmt.Sprintf("fetch of partition %d", log.id)); err != nil {
			return err
		}
		if b := row.RecordBatches; len(b) < 8 || int64(binary.BigEndian.Uint64(b)) < log.end {
			return fmt.Errorf("broker %d answers nothing at offset %d of partition %d, which ends at %d", l.leader, log.next, log.id, log.end)
		}
		log.next = log.end
	}
	return nil
}

// take takes the records of an answer, and tells whether there were any to go by.
func (log *partitionLog) take(
	row *kmsg.FetchResponseTopicPartition, wanted map[string]bool, decompressor kgo.Decompressor,
) (further bool, err error) {
	got, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		Offset: log.next, IsolationLevel: kgo.ReadCommitted(), Partition: log.id,
	}, row, decompressor, nil)
	for _, r := range got.Records {
		log.keep(r, wanted)
	}
	if next > log.next {
		log.next = next
		return true, nil
	}
	if got.Err != nil {
		err = fmt.Errorf("partition %d at offset %d: %w", log.id, log.next, got.Err)
	}
	return false, err
}
