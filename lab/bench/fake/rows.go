package fake

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const clusterID = "bench"

func (c *Cluster) describe(resp *kmsg.MetadataResponse) {
	id := clusterID
	resp.ClusterID, resp.ControllerID = &id, 1
	for i, a := range c.brokers {
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = int32(i+1), a.host, a.port
		resp.Brokers = append(resp.Brokers, b)
	}
}

func (c *Cluster) topicMetadata(t int) kmsg.MetadataResponseTopic {
	row := kmsg.NewMetadataResponseTopic()
	row.Topic, row.TopicID = &c.topics[t].name, c.topics[t].id
	for n := range c.topics[t].ends {
		p := kmsg.NewMetadataResponseTopicPartition()
		p.Partition, p.LeaderEpoch = int32(n), 0
		for i := range c.brokers {
			p.Replicas = append(p.Replicas, int32((c.leader(t, n)+i)%len(c.brokers)+1))
		}
		p.Leader, p.ISR = p.Replicas[0], p.Replicas
		row.Partitions = append(row.Partitions, p)
	}
	return row
}

func (c *Cluster) metadata(req *kmsg.MetadataRequest, resp *kmsg.MetadataResponse) {
	c.describe(resp)
	for i := range req.Topics {
		t, known := c.byID[req.Topics[i].TopicID]
		if name := req.Topics[i].Topic; name != nil {
			t, known = c.byName[*name]
		}
		if known {
			resp.Topics = append(resp.Topics, c.topicMetadata(t))
			continue
		}
		row := kmsg.NewMetadataResponseTopic()
		row.Topic, row.TopicID, row.ErrorCode = req.Topics[i].Topic, req.Topics[i].TopicID, kerr.UnknownTopicOrPartition.Code
		resp.Topics = append(resp.Topics, row)
	}
}

func (c *Cluster) listOffsets(broker int, req *kmsg.ListOffsetsRequest, resp *kmsg.ListOffsetsResponse) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i := range req.Topics {
		in := &req.Topics[i]
		t, known := c.byName[in.Topic]
		out := kmsg.NewListOffsetsResponseTopic()
		out.Topic = in.Topic
		out.Partitions = make([]kmsg.ListOffsetsResponseTopicPartition, len(in.Partitions))
		for j := range in.Partitions {
			n := in.Partitions[j].Partition
			row := &out.Partitions[j]
			row.Default()
			row.Partition, row.LeaderEpoch = n, 0
			switch {
			case !known || n < 0 || int(n) >= c.layout.Partitions:
				row.ErrorCode = kerr.UnknownTopicOrPartition.Code
			case c.leader(t, int(n)) != broker:
				row.ErrorCode = kerr.NotLeaderForPartition.Code
			case in.Partitions[j].Timestamp == -2:
				row.Offset = c.topics[t].starts[n]
			default:
				row.Offset = c.topics[t].ends[n]
			}
		}
		resp.Topics = append(resp.Topics, out)
	}
}

func (c *Cluster) findCoordinators(req *kmsg.FindCoordinatorRequest, resp *kmsg.FindCoordinatorResponse) {
	for _, key := range req.CoordinatorKeys {
		row := kmsg.NewFindCoordinatorResponseCoordinator()
		row.Key = key
		broker := 0
		if g, ok := c.group[key]; ok {
			broker = c.groups[g].coordinator
		}
		row.NodeID, row.Host, row.Port = int32(broker+1), c.brokers[broker].host, c.brokers[broker].port
		resp.Coordinators = append(resp.Coordinators, row)
	}
}

func (c *Cluster) epochEnds(req *kmsg.OffsetForLeaderEpochRequest, resp *kmsg.OffsetForLeaderEpochResponse) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i := range req.Topics {
		out := kmsg.NewOffsetForLeaderEpochResponseTopic()
		out.Topic = req.Topics[i].Topic
		t, known := c.byName[out.Topic]
		for _, p := range req.Topics[i].Partitions {
			row := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			row.Partition = p.Partition
			if known && int(p.Partition) < c.layout.Partitions {
				row.LeaderEpoch, row.EndOffset = 0, c.topics[t].ends[p.Partition]
			} else {
				row.ErrorCode = kerr.UnknownTopicOrPartition.Code
			}
			out.Partitions = append(out.Partitions, row)
		}
		resp.Topics = append(resp.Topics, out)
	}
}

// configs answers cleanup.policy alone, whatever is asked: nothing is compacted.
func (c *Cluster) configs(req *kmsg.DescribeConfigsRequest, resp *kmsg.DescribeConfigsResponse) {
	policy := "delete"
	for _, r := range req.Resources {
		row := kmsg.NewDescribeConfigsResponseResource()
		row.ResourceType, row.ResourceName = r.ResourceType, r.ResourceName
		config := kmsg.NewDescribeConfigsResponseResourceConfig()
		config.Name, config.Value = "cleanup.policy", &policy
		row.Configs = append(row.Configs, config)
		resp.Resources = append(resp.Resources, row)
	}
}

func (g *group) protocolType() string {
	if g.members == 0 && !g.consumer {
		return ""
	}
	return "consumer"
}

func (g *group) state() string {
	if g.members == 0 {
		return "Empty"
	}
	return "Stable"
}

func (c *Cluster) commits(g int) kmsg.OffsetFetchResponseGroup {
	row := kmsg.NewOffsetFetchResponseGroup()
	row.Group = c.groups[g].name
	none := "" // what brokers answer for a commit without metadata
	for _, t := range c.groups[g].topics {
		topic := kmsg.NewOffsetFetchResponseGroupTopic()
		topic.Topic, topic.TopicID = c.topics[t].name, c.topics[t].id
		for n := range c.topics[t].ends {
			p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
			p.Partition, p.Offset, p.LeaderEpoch, p.Metadata = int32(n), c.commit(g, t, n), 0, &none
			topic.Partitions = append(topic.Partitions, p)
		}
		row.Topics = append(row.Topics, topic)
	}
	return row
}

// share is the part of a topic's partitions that the m-th of a group's members is assigned.
func (c *Cluster) share(g, m int) []int32 {
	var list []int32
	for n := m; n < c.layout.Partitions; n += c.groups[g].members {
		list = append(list, int32(n))
	}
	return list
}

func (c *Cluster) topicNames(g int) []string {
	var names []string
	for _, t := range c.groups[g].topics {
		names = append(names, c.topics[t].name)
	}
	return names
}

func (c *Cluster) classicGroup(g int) kmsg.DescribeGroupsResponseGroup {
	group := &c.groups[g]
	row := kmsg.NewDescribeGroupsResponseGroup()
	row.Group, row.State, row.ProtocolType = group.name, group.state(), group.protocolType()
	if group.consumer { // as a broker answers the wrong question
		row.ErrorCode, row.State = kerr.GroupIDNotFound.Code, "Dead"
		return row
	}
	for m := range group.members {
		row.Protocol = "range"
		assignment := kmsg.NewConsumerMemberAssignment()
		for _, name := range c.topicNames(g) {
			t := kmsg.NewConsumerMemberAssignmentTopic()
			t.Topic, t.Partitions = name, c.share(g, m)
			assignment.Topics = append(assignment.Topics, t)
		}
		metadata := kmsg.NewConsumerMemberMetadata()
		metadata.Version, metadata.Topics = 1, c.topicNames(g)
		member := kmsg.NewDescribeGroupsResponseGroupMember()
		member.MemberID, member.ClientID, member.ClientHost = group.name+"-member-"+string(rune('a'+m)), "shop", "/10.0.0.1"
		member.ProtocolMetadata, member.MemberAssignment = metadata.AppendTo(nil), assignment.AppendTo(nil)
		row.Members = append(row.Members, member)
	}
	return row
}

func (c *Cluster) consumerGroup(g int) kmsg.ConsumerGroupDescribeResponseGroup {
	group := &c.groups[g]
	row := kmsg.NewConsumerGroupDescribeResponseGroup()
	row.Group, row.State, row.AssignorName = group.name, group.state(), "uniform"
	if !group.consumer {
		row.ErrorCode = kerr.GroupIDNotFound.Code
		return row
	}
	for m := range group.members {
		member := kmsg.NewConsumerGroupDescribeResponseGroupMember()
		member.MemberID, member.ClientID, member.ClientHost = group.name+"-member-"+string(rune('a'+m)), "shop", "/10.0.0.1"
		member.SubscribedTopics = c.topicNames(g)
		for _, t := range group.topics {
			tp := kmsg.NewAssignmentTopicPartition()
			tp.TopicID, tp.Topic, tp.Partitions = c.topics[t].id, c.topics[t].name, c.share(g, m)
			member.Assignment.TopicPartitions = append(member.Assignment.TopicPartitions, tp)
		}
		member.TargetAssignment = member.Assignment
		row.Members = append(row.Members, member)
	}
	return row
}
