package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fetch asks for each job's next offset. The answers stand at their job's place, nil where the broker gave none; total
// is how many bytes of records they hold.
func (l *leg) fetch(ctx context.Context, jobs []*job, committed bool, limit int64, bytes func(*job) int64) (answers []*kmsg.FetchResponseTopicPartition, total int64, err error) {
	req := kmsg.NewPtrFetchRequest()
	req.MinBytes, req.MaxBytes = 0, int32(limit)
	if committed {
		req.IsolationLevel = 1
	}
	place := map[string]int{}
	for _, j := range jobs {
		i, ok := place[j.topic.Name]
		if !ok {
			i = len(req.Topics)
			place[j.topic.Name] = i
			t := kmsg.NewFetchRequestTopic()
			t.Topic, t.TopicID = j.topic.Name, j.topic.ID
			req.Topics = append(req.Topics, t)
		}
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.CurrentLeaderEpoch = j.partition, j.epoch
		p.FetchOffset, p.PartitionMaxBytes = j.spans[0].from, int32(bytes(j))
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
	}
	r, err := l.ask(ctx, l.leader, req)
	if err != nil {
		return nil, 0, err
	}
	resp := r.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		l.books.failed("Fetch", err)
		return nil, 0, fmt.Errorf("fetch the tails of %d partitions from broker %d: %w", len(jobs), l.leader, err)
	}
	type key struct {
		name      string
		id        TopicID
		partition int32
	}
	found := make(map[key]*kmsg.FetchResponseTopicPartition, len(jobs))
	for i := range resp.Topics {
		t := &resp.Topics[i]
		for k := range t.Partitions {
			p := &t.Partitions[k]
			found[key{t.Topic, t.TopicID, p.Partition}] = p
			total += int64(len(p.RecordBatches))
		}
	}
	l.budget.Add(-total)
	l.books.scanned(1, total)
	answers = make([]*kmsg.FetchResponseTopicPartition, len(jobs))
	for i, j := range jobs {
		answers[i] = found[key{j.topic.Name, TopicID{}, j.partition}] // up to v12 by name
		if answers[i] == nil {
			answers[i] = found[key{"", j.topic.ID, j.partition}] // from v13 on the answer carries the id alone
		}
	}
	return answers, total, nil
}
