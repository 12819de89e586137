package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// readMetadata learns the brokers, the topics and their leaders.
func (p *pass) readMetadata(ctx context.Context) error {
	resp, met, err := p.wire.metadata(ctx, nil)
	if err != nil {
		return err
	}
	p.takeBrokers(resp, met)
	p.index = make(map[string]int, len(resp.Topics))
	p.names = make(map[TopicID]string, len(resp.Topics))
	for i := range resp.Topics {
		t := &resp.Topics[i]
		if t.Topic == nil {
			continue
		}
		switch *t.Topic {
		case commitTopic:
			p.coordinators = leaders(t)
		case transactionTopic:
			p.txnCoordinators = leaders(t)
		}
		if !p.config.Topics.Match(*t.Topic) {
			p.index[*t.Topic] = leftOut
			p.names[t.TopicID] = ""
			continue
		}
		p.names[t.TopicID] = *t.Topic
		p.topics = append(p.topics, p.topic(t))
	}
	delete(p.names, TopicID{})
	p.sortTopics()
	return nil
}

// takeBrokers learns the brokers from an answer of any topics, and who gave it.
func (p *pass) takeBrokers(resp *kmsg.MetadataResponse, met kgo.BrokerMetadata) {
	p.met = met
	if resp.ClusterID != nil {
		p.clusterID = *resp.ClusterID
	}
	p.byID = make(map[int32]*node, len(resp.Brokers))
	for _, b := range resp.Brokers {
		if p.byID[b.NodeID] != nil {
			continue // no broker is named twice, and nothing that follows is made for it
		}
		n := &node{Broker: Broker{ID: b.NodeID, Host: b.Host, Port: b.Port}}
		if b.Rack != nil {
			n.Rack = *b.Rack
		}
		p.byID[n.ID] = n
		p.nodes = append(p.nodes, n)
	}
	slices.SortFunc(p.nodes, func(a, b *node) int { return cmp.Compare(a.ID, b.ID) })
}

func (p *pass) sortTopics() {
	p.topics = ordered(p.topics, func(a, b Topic) int { return strings.Compare(a.Name, b.Name) })
	for i := range p.topics {
		p.index[p.topics[i].Name] = i
	}
}

// topic is the row of a topic with a name.
func (p *pass) topic(t *kmsg.MetadataResponseTopic) Topic {
	row := Topic{Name: *t.Topic, ID: t.TopicID, Internal: t.IsInternal, Err: p.rowError("Metadata", t.ErrorCode)}
	if row.Err != nil {
		return row
	}
	count := 0
	for i := range t.Partitions {
		count = max(count, int(t.Partitions[i].Partition)+1)
	}
	if count > 2*len(t.Partitions)+64 { // an answer must not cost more memory than it is long
		row.Err = fmt.Errorf("partition %d of %d: %w", count-1, len(t.Partitions), kerr.UnknownServerError)
		p.wire.books.failed("Metadata", row.Err)
		return row
	}
	row.Partitions = slices.Repeat([]Partition{{
		Leader: -1, LeaderEpoch: -1, PreferredLeader: -1,
		LogStart: unread, LastStable: unread, HighWatermark: unread,
		Err: kerr.UnknownTopicOrPartition, // a number that the answer skips
	}}, count)
	for i := range t.Partitions {
		m := &t.Partitions[i]
		if m.Partition < 0 {
			continue
		}
		part := &row.Partitions[m.Partition]
		part.Leader, part.LeaderEpoch = m.Leader, m.LeaderEpoch
		part.Replicas, part.InSync = int32(len(m.Replicas)), int32(len(m.ISR))
		if len(m.Replicas) > 0 {
			part.PreferredLeader = m.Replicas[0]
		}
		code := m.ErrorCode
		switch {
		case p.byID[m.Leader] == nil: // none, or one that has just died
			code = kerr.LeaderNotAvailable.Code
		case code == kerr.ReplicaNotAvailable.Code: // says nothing of the leader
			code = 0
		}
		part.Err = p.rowError("Metadata", code)
	}
	return row
}

// leaders are the leaders of a topic's partitions; nil if any partition is missing.
func leaders(t *kmsg.MetadataResponseTopic) []int32 {
	l := make([]int32, len(t.Partitions))
	for _, m := range t.Partitions {
		if m.Partition < 0 || int(m.Partition) >= len(l) {
			return nil
		}
		l[m.Partition] = m.Leader
	}
	return l
}

// rowError is a row's error, counted.
func (r *reader) rowError(api string, code int16) error {
	err := kerr.ErrorForCode(code)
	if err != nil {
		r.wire.books.failed(api, err)
	}
	return err
}

// known finds a topic that a group names, and gives the name as the topic's row holds it, so that the answer's bytes can
// go. A name that Metadata did not tell is asked for before the ends are read. It is false for topics left out.
func (p *pass) known(name string) (string, bool) {
	if i, ok := p.index[name]; ok {
		if i == leftOut {
			return "", false
		}
		return p.topics[i].Name, true
	}
	if !p.config.Topics.Match(name) {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strangers[name] = true
	return name, true
}

// confirm asks for the identities of some topics. Those that do not exist or may not be described are not in the answer.
func (r *reader) confirm(ctx context.Context, topics []string) (map[string]TopicID, error) {
	asked := make([]kmsg.MetadataRequestTopic, len(topics))
	for i, name := range topics {
		asked[i].Topic = kmsg.StringPtr(name)
	}
	resp, _, err := r.wire.metadata(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("confirm %d topics: %w", len(topics), err)
	}
	ids := make(map[string]TopicID, len(topics))
	for _, t := range resp.Topics {
		if t.Topic != nil && t.ErrorCode == 0 {
			ids[*t.Topic] = t.TopicID
		}
	}
	return ids, nil
}
