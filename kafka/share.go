package kafka

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// ShareState is what only share groups have (KIP-932): positions that the broker keeps for them. They are no committed
// offsets. Records above one may have been delivered, in whatever order, and the broker alone knows which.
type ShareState struct {
	// Err is why the positions could not be read; Topics is then empty. Brokers before 4.0 do not know share groups, and
	// those of some later versions not this request.
	Err    error
	Topics []ShareTopic // by topic

	// Isolation is the group's share.isolation.level, by which the broker hands records out to all its members. It means
	// something when IsolationErr is nil.
	Isolation    Isolation
	IsolationErr error
}

// ShareTopic is a share group's positions on one topic.
type ShareTopic struct {
	Topic      string
	Partitions []SharePartition // by partition
}

// SharePartition is one partition's position. The numbers mean nothing unless Code is 0.
type SharePartition struct {
	Start     int64 // the share-partition start offset: all below it is dealt with; -1: none yet
	Lag       int64 // the broker's count of offsets from Start on that are not dealt with; -1: not told
	Partition int32
	Code      int16 // the protocol's error code of this row
}

// readShares fills in the share groups' states. Requests: none without share groups; else DescribeShareGroupOffsets 1 for
// each broker that coordinates any, and every few minutes DescribeConfigs 1.
func (c *Cluster) readShares(ctx context.Context, s *Snapshot) {
	groups := map[int32][]*Group{}
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Type != Share {
			continue
		}
		g.Share = &ShareState{Err: errUnanswered}
		groups[g.Coordinator] = append(groups[g.Coordinator], g)
	}
	var parts []func(context.Context)
	for broker, groups := range groups {
		parts = append(parts, func(ctx context.Context) { c.describeShares(ctx, broker, groups) })
	}
	if unsure := c.shareLevels.unsure(s); len(unsure) > 0 {
		parts = append(parts, func(ctx context.Context) { c.configureShares(ctx, s.At, unsure) })
	}
	within(ctx, 3./4, parts...)
	c.shareLevels.tell(s)
}

// describeShares asks a broker for the positions of the groups that it coordinates, on all topics.
func (c *Cluster) describeShares(ctx context.Context, broker int32, groups []*Group) {
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	byName := make(map[string]*ShareState, len(groups))
	for _, g := range groups {
		byName[g.Name] = g.Share
		rg := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
		rg.GroupID = g.Name
		req.Groups = append(req.Groups, rg)
	}
	answer, err := c.novelties.ask(ctx, broker, req)
	if err != nil {
		for _, g := range groups {
			g.Share.Err = err
		}
		return
	}
	resp := answer.(*kmsg.DescribeShareGroupOffsetsResponse)
	for i := range resp.Groups {
		g := &resp.Groups[i]
		if state := byName[g.GroupID]; state != nil && errors.Is(state.Err, errUnanswered) {
			state.Err = c.reader.rowError("DescribeShareGroupOffsets", g.ErrorCode)
			if state.Err == nil {
				state.Topics = c.shareTopics(g.Topics)
			}
		}
	}
	for _, g := range groups {
		if errors.Is(g.Share.Err, errUnanswered) {
			c.books.failed("DescribeShareGroupOffsets", errUnanswered)
		}
	}
}

// shareTopics takes the rows that say something, of the topics that the filter lets through.
func (c *Cluster) shareTopics(topics []kmsg.DescribeShareGroupOffsetsResponseGroupTopic) []ShareTopic {
	rows := make([]ShareTopic, 0, len(topics))
	for i := range topics {
		t := &topics[i]
		if !c.config.Topics.Match(t.Topic) {
			continue
		}
		row := ShareTopic{Topic: t.Topic}
		for j := range t.Partitions {
			p := &t.Partitions[j]
			if p.ErrorCode != 0 {
				_ = c.reader.rowError("DescribeShareGroupOffsets", p.ErrorCode)
			} else if p.StartOffset < 0 {
				continue // the group has not begun to read it
			}
			if p.Partition >= 0 {
				row.Partitions = append(row.Partitions, SharePartition{p.StartOffset, p.Lag, p.Partition, p.ErrorCode})
			}
		}
		if len(row.Partitions) == 0 {
			continue
		}
		row.Partitions = ordered(row.Partitions, func(a, b SharePartition) int { return cmp.Compare(a.Partition, b.Partition) })
		rows = append(rows, row)
	}
	return ordered(rows, func(a, b ShareTopic) int { return strings.Compare(a.Topic, b.Topic) })
}

// configureShares asks for the isolation levels of share groups by one DescribeConfigs request, which any broker answers
// that knows such groups. It takes DESCRIBE_CONFIGS on the groups.
func (c *Cluster) configureShares(ctx context.Context, now time.Time, groups []*Group) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, g := range groups {
		resource := kmsg.NewDescribeConfigsRequestResource()
		resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, g.Name
		resource.ConfigNames = []string{shareIsolation}
		req.Resources = append(req.Resources, resource)
	}
	err := errUnanswered
	asked := map[int32]bool{}
	for _, g := range groups {
		if asked[g.Coordinator] {
			continue
		}
		asked[g.Coordinator] = true
		var answer kmsg.Response
		if answer, err = c.novelties.ask(ctx, g.Coordinator, req); err == nil {
			c.shareLevels.learn(c.reader, now, groups, answer.(*kmsg.DescribeConfigsResponse))
			return
		}
	}
	c.shareLevels.miss(groups, err)
}
