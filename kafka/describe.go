package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

// describeGroups asks each broker about its groups with one request for each of their types: the request of another type
// says that the group does not exist.
func (p *pass) describeGroups(ctx context.Context) {
	p.atEach(func(n *node) {
		byType := map[GroupType][]string{}
		for i := range n.groups {
			g := &n.groups[i]
			byType[g.Type] = append(byType[g.Type], g.Name)
		}
		var c guard.Crew
		for typ, names := range byType {
			c.Go(func() { p.describe(ctx, n, typ, names) })
		}
		c.Wait()
	})
}

func (p *pass) describe(ctx context.Context, n *node, typ GroupType, names []string) {
	var req kmsg.Request
	switch typ {
	case Classic:
		r := kmsg.NewPtrDescribeGroupsRequest()
		r.Groups, req = names, r
	case Consumer:
		r := kmsg.NewPtrConsumerGroupDescribeRequest()
		r.Groups, req = names, r
	case Streams:
		r := kmsg.NewPtrStreamsGroupDescribeRequest()
		r.Groups, req = names, r
	case Share:
		r := kmsg.NewPtrShareGroupDescribeRequest()
		r.GroupIDs, req = names, r
	}
	var answer kmsg.Response
	err := fmt.Errorf("describe groups of type %q: %w", typ, errUnsupported)
	if req != nil {
		answer, err = p.ask(ctx, n, req)
	}
	if err != nil {
		for _, name := range names {
			n.group(name).DescribeErr = err
		}
		return
	}
	api := kmsg.NameForKey(req.Key())
	// row begins a group's description; nil if that is all there is to say of it.
	row := func(name string, code int16, state string, members int) *Group {
		g := n.group(name)
		if g == nil || g.Type != typ {
			return nil
		}
		if g.DescribeErr = p.rowError(api, code); g.DescribeErr != nil {
			return nil
		}
		g.Members = members
		if state != "" {
			g.State = state
		}
		return g
	}
	switch resp := answer.(type) {
	case *kmsg.DescribeGroupsResponse:
		for i := range resp.Groups {
			d := &resp.Groups[i]
			if g := row(d.Group, d.ErrorCode, d.State, len(d.Members)); g != nil {
				g.Subscriptions = p.classicSubscriptions(d)
			}
		}
	case *kmsg.ConsumerGroupDescribeResponse:
		for i := range resp.Groups {
			d := &resp.Groups[i]
			if g := row(d.Group, d.ErrorCode, d.State, len(d.Members)); g != nil {
				g.Subscriptions = p.consumerSubscriptions(d)
			}
		}
	case *kmsg.StreamsGroupDescribeResponse:
		for i := range resp.Groups {
			d := &resp.Groups[i]
			if g := row(d.Group, d.ErrorCode, d.State, len(d.Members)); g != nil {
				g.Subscriptions = p.streamsSubscriptions(d)
			}
		}
	case *kmsg.ShareGroupDescribeResponse:
		for i := range resp.Groups {
			d := &resp.Groups[i]
			if g := row(d.GroupID, d.ErrorCode, d.GroupState, len(d.Members)); g != nil {
				g.Subscriptions = p.shareSubscriptions(d)
			}
		}
	}
	for _, name := range names {
		if errors.Is(n.group(name).DescribeErr, errUnanswered) {
			p.wire.books.failed(api, errUnanswered)
		}
	}
}

// topicCounts adds up how many partitions of each topic are assigned.
type topicCounts map[string]int

// assigned is the name of an assigned topic, which has its ID and may have its name.
func (p *pass) assigned(name string, id TopicID) string { return cmp.Or(name, p.names[id]) }

// subscriptions are the rows for the topics that the filter lets through.
func (p *pass) subscriptions(counts topicCounts) []Subscription {
	delete(counts, "") // an ID that nobody knows, or what was to be read where a member's bytes ended
	rows := make([]Subscription, 0, len(counts))
	for topic, n := range counts {
		if name, ok := p.known(topic); ok {
			rows = append(rows, Subscription{name, n})
		}
	}
	slices.SortFunc(rows, func(a, b Subscription) int { return cmp.Compare(a.Topic, b.Topic) })
	return rows
}

// classicSubscriptions reads what the members of a classic group told each other. The broker passes these bytes on
// unread: they may be empty while the group rebalances, of another protocol (Kafka Connect's), or broken. What cannot be
// read is left out.
func (p *pass) classicSubscriptions(d *kmsg.DescribeGroupsResponseGroup) []Subscription {
	if d.ProtocolType != "consumer" {
		return nil
	}
	counts := topicCounts{}
	var subscription kmsg.ConsumerMemberMetadata
	var assignment kmsg.ConsumerMemberAssignment
	for i := range d.Members {
		m := &d.Members[i]
		// Decoding fills in the fields that are there, and ends at the first that is not.
		_ = subscription.ReadFrom(m.ProtocolMetadata)
		for _, topic := range subscription.Topics {
			counts[topic] += 0
		}
		_ = assignment.ReadFrom(m.MemberAssignment)
		for j := range assignment.Topics {
			counts[assignment.Topics[j].Topic] += len(assignment.Topics[j].Partitions)
		}
		subscription.Topics, assignment.Topics = subscription.Topics[:0], assignment.Topics[:0]
	}
	return p.subscriptions(counts)
}

func (p *pass) consumerSubscriptions(d *kmsg.ConsumerGroupDescribeResponseGroup) []Subscription {
	counts := topicCounts{}
	for i := range d.Members {
		m := &d.Members[i]
		for _, topic := range m.SubscribedTopics {
			counts[topic] += 0
		}
		for _, a := range m.Assignment.TopicPartitions { // all there is to know of a subscription by regular expression
			counts[p.assigned(a.Topic, a.TopicID)] += len(a.Partitions)
		}
	}
	return p.subscriptions(counts)
}

func (p *pass) shareSubscriptions(d *kmsg.ShareGroupDescribeResponseGroup) []Subscription {
	counts := topicCounts{}
	for i := range d.Members {
		m := &d.Members[i]
		for _, topic := range m.SubscribedTopicNames {
			counts[topic] += 0
		}
		for _, a := range m.Assignment.TopicPartitions {
			counts[p.assigned(a.Topic, a.TopicID)] += len(a.Partitions)
		}
	}
	return p.subscriptions(counts)
}

// streamsSubscriptions are the topics that a Kafka Streams application reads. Its members are assigned tasks: task n of
// a subtopology reads partition n of each of the subtopology's topics.
func (p *pass) streamsSubscriptions(d *kmsg.StreamsGroupDescribeResponseGroup) []Subscription {
	if d.Topology == nil {
		return nil
	}
	tasks := map[string]int{}
	for i := range d.Members {
		for _, t := range d.Members[i].Assignment.ActiveTasks {
			tasks[t.SubtopologyID] += len(t.Partitions)
		}
	}
	counts := topicCounts{}
	for i := range d.Topology.Subtopologies {
		s := &d.Topology.Subtopologies[i]
		for _, topic := range s.SourceTopics {
			counts[topic] += tasks[s.SubtopologyID]
		}
		for _, t := range s.RepartitionSourceTopics {
			counts[t.Topic] += tasks[s.SubtopologyID]
		}
	}
	return p.subscriptions(counts)
}
