package collector

import (
	"truelag/exposition"
	"truelag/kafka"
)

// compatFamilies are those of danielqsj/kafka_exporter under its names and labels, for the dashboards, autoscalers and
// rules that know them. Where it would write -1 for what is unknown, nothing is written.
type compatFamilies struct {
	groups     []exposition.Family[kafka.Group]
	topics     []exposition.Family[kafka.TopicLag]
	partitions []exposition.Family[kafka.PartitionLag]
	ends       []exposition.Family[kafka.Partition]
	counts     []exposition.Family[kafka.Topic]
	brokers    []exposition.Family[kafka.Broker]
	cluster    []exposition.Family[kafka.Reading]
}

func newCompatFamilies(records bool) *compatFamilies {
	return &compatFamilies{
		groups: one("kafka_consumergroup_members", "Members of the group.", []string{"consumergroup"},
			func(g *kafka.Group) (float64, bool) { return float64(g.Members), g.DescribeErr == nil }),
		topics:     compatTopicFamilies(records),
		partitions: compatPartitionFamilies(records),
		ends:       compatEndFamilies(),
		counts: one("kafka_topic_partitions", "Partitions of the topic.", []string{"topic"},
			func(t *kafka.Topic) (float64, bool) { return float64(len(t.Partitions)), t.Err == nil }),
		brokers: one("kafka_broker_info", "1 for each broker.", []string{"id", "address"},
			func(*kafka.Broker) (float64, bool) { return 1, true }),
		cluster: one("kafka_brokers", "Brokers of the cluster.", nil,
			func(r *kafka.Reading) (float64, bool) { return float64(len(r.Brokers)), true }),
	}
}

// one is a gauge of one sample a row.
func one[R any](name, help string, labels []string, value func(*R) (float64, bool)) []exposition.Family[R] {
	return []exposition.Family[R]{{
		Desc:   exposition.Desc{Name: name, Help: help, Type: exposition.Gauge, Labels: labels},
		Series: single(value),
	}}
}

// lagHelp says which lag goes under the old names.
func lagHelp(records bool) string {
	if records {
		return "Records that the group will still be handed (--compat.lag=records)."
	}
	return "Offsets from the committed offset to the high watermark."
}

func compatPartitionFamilies(records bool) []exposition.Family[kafka.PartitionLag] {
	labels := []string{"consumergroup", "topic", "partition"}
	return append(
		one("kafka_consumergroup_current_offset", "Committed offset of the group.", labels,
			func(r *kafka.PartitionLag) (float64, bool) { return float64(r.Committed), true }),
		one("kafka_consumergroup_lag", lagHelp(records), labels,
			func(r *kafka.PartitionLag) (float64, bool) {
				if records {
					return float64(r.Records), r.Known
				}
				return float64(r.Offsets), r.Known
			})...)
}

func compatTopicFamilies(records bool) []exposition.Family[kafka.TopicLag] {
	labels := []string{"consumergroup", "topic"}
	return append(
		one("kafka_consumergroup_current_offset_sum", "Sum of the group's committed offsets on the topic.", labels,
			func(l *kafka.TopicLag) (float64, bool) {
				var sum float64 // of integers that may be too large for one
				for i := range l.Partitions {
					sum += float64(l.Partitions[i].Committed)
				}
				return sum, len(l.Partitions) > 0
			}),
		one("kafka_consumergroup_lag_sum", lagHelp(records)+" Summed over the topic's partitions.", labels,
			func(l *kafka.TopicLag) (float64, bool) {
				if records {
					return float64(l.Composition.Records()), l.Known > 0
				}
				return float64(l.Composition.Offsets()), l.Known > 0
			})...)
}

func compatEndFamilies() []exposition.Family[kafka.Partition] {
	var all []exposition.Family[kafka.Partition]
	add := func(name, help string, value func(*kafka.Partition) (float64, bool)) {
		all = append(all, one(name, help, []string{"topic", "partition"}, value)...)
	}
	add("kafka_topic_partition_current_offset", "High watermark of the partition.",
		func(p *kafka.Partition) (float64, bool) { return float64(p.HighWatermark), p.Err == nil })
	add("kafka_topic_partition_oldest_offset", "Log start offset of the partition.",
		func(p *kafka.Partition) (float64, bool) { return float64(p.LogStart), p.Err == nil })
	add("kafka_topic_partition_leader", "Broker id of the partition's leader.",
		func(p *kafka.Partition) (float64, bool) { return float64(p.Leader), p.Leader >= 0 })
	add("kafka_topic_partition_replicas", "Replicas of the partition.",
		func(p *kafka.Partition) (float64, bool) { return float64(p.Replicas), true })
	add("kafka_topic_partition_in_sync_replica", "In-sync replicas of the partition.",
		func(p *kafka.Partition) (float64, bool) { return float64(p.InSync), true })
	add("kafka_topic_partition_leader_is_preferred", "1 when the partition's leader is its first replica.",
		func(p *kafka.Partition) (float64, bool) { return truth(p.Leader == p.PreferredLeader), p.Leader >= 0 })
	add("kafka_topic_partition_under_replicated_partition", "1 when fewer replicas are in sync than there are.",
		func(p *kafka.Partition) (float64, bool) { return truth(p.InSync < p.Replicas), true })
	return all
}

func (f *compatFamilies) blocks(read []*kafkaRows) []exposition.Block {
	groups := exposition.Table[kafka.Group]{Families: f.groups}
	topics := exposition.Table[kafka.TopicLag]{Families: f.topics}
	partitions := exposition.Table[kafka.PartitionLag]{Families: f.partitions}
	ends := exposition.Table[kafka.Partition]{Families: f.ends}
	counts := exposition.Table[kafka.Topic]{Families: f.counts}
	brokers := exposition.Table[kafka.Broker]{Families: f.brokers}
	cluster := exposition.Table[kafka.Reading]{Families: f.cluster}
	for _, r := range read {
		if r == nil {
			continue
		}
		groups.Chunks = append(groups.Chunks, r.compatGroups)
		topics.Chunks = append(topics.Chunks, r.compatTopics)
		partitions.Chunks = append(partitions.Chunks, r.compatPartitions...)
		ends.Chunks = append(ends.Chunks, r.ends...)
		counts.Chunks = append(counts.Chunks, r.compatEnds)
		brokers.Chunks = append(brokers.Chunks, r.compatBrokers)
		cluster.Chunks = append(cluster.Chunks, r.compatCluster)
	}
	return []exposition.Block{groups, topics, partitions, ends, counts, brokers, cluster}
}
