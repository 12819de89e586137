package collector

import (
	"truelag/exposition"
	"truelag/kafka"
)

// kafkaFamilies are the families of the Kafka collector, by the rows that they share.
type kafkaFamilies struct {
	groups     []exposition.Family[kafka.Group]
	topics     []exposition.Family[kafka.TopicLag]
	partitions []exposition.Family[kafka.PartitionLag]
	ends       []exposition.Family[kafka.Partition]
	open       []exposition.Family[transactionRow]
	shares     []exposition.Family[kafka.ShareState]
	shared     []exposition.Family[kafka.SharePartition]
	follower   []exposition.Family[kafka.Following]
	requests   []exposition.Family[int64]
	errors     []exposition.Family[int64]
	cost       []exposition.Family[kafka.Ledger]
	compat     *compatFamilies // nil without Compat
}

func newKafkaFamilies(cfg KafkaConfig) kafkaFamilies {
	f := kafkaFamilies{
		groups: groupFamilies(), topics: topicFamilies(), partitions: partitionFamilies(), ends: endFamilies(),
		open: transactionFamilies(), shares: shareGroupFamilies(), shared: sharePartitionFamilies(),
		follower: followerFamilies(),
		requests: requestFamilies(), errors: errorFamilies(), cost: costFamilies(),
	}
	if cfg.Compat {
		f.compat = newCompatFamilies(cfg.CompatRecords)
	}
	return f
}

// blocks are the tables of what was read of all clusters; nil stands for one that could not be read.
func (f *kafkaFamilies) blocks(read []*kafkaRows) []exposition.Block {
	partitions := exposition.Table[kafka.PartitionLag]{Families: f.partitions}
	topics := exposition.Table[kafka.TopicLag]{Families: f.topics}
	groups := exposition.Table[kafka.Group]{Families: f.groups}
	ends := exposition.Table[kafka.Partition]{Families: f.ends}
	open := exposition.Table[transactionRow]{Families: f.open}
	shares := exposition.Table[kafka.ShareState]{Families: f.shares}
	shared := exposition.Table[kafka.SharePartition]{Families: f.shared}
	follower := exposition.Table[kafka.Following]{Families: f.follower}
	requests := exposition.Table[int64]{Families: f.requests}
	errors := exposition.Table[int64]{Families: f.errors}
	cost := exposition.Table[kafka.Ledger]{Families: f.cost}
	for _, r := range read {
		if r == nil {
			continue
		}
		partitions.Chunks = append(partitions.Chunks, r.partitions...)
		topics.Chunks = append(topics.Chunks, r.topics)
		groups.Chunks = append(groups.Chunks, r.groups)
		ends.Chunks = append(ends.Chunks, r.ends...)
		open.Chunks = append(open.Chunks, r.open)
		shares.Chunks = append(shares.Chunks, r.shares)
		shared.Chunks = append(shared.Chunks, r.shared...)
		follower.Chunks = append(follower.Chunks, r.follower)
		requests.Chunks = append(requests.Chunks, r.requests)
		errors.Chunks = append(errors.Chunks, r.errors)
		cost.Chunks = append(cost.Chunks, r.cost)
	}
	blocks := []exposition.Block{partitions, topics, groups, ends, open, shares, shared, follower, requests, errors, cost}
	if f.compat != nil {
		blocks = append(blocks, f.compat.blocks(read)...)
	}
	return blocks
}

func (f *kafkaFamilies) descs() []exposition.Desc {
	var all []exposition.Desc
	for _, b := range f.blocks(nil) {
		all = append(all, b.Descs()...)
	}
	return all
}

func groupFamilies() []exposition.Family[kafka.Group] {
	return []exposition.Family[kafka.Group]{
		{
			Desc: exposition.Desc{Name: "truelag_group_info", Type: exposition.Gauge, Labels: []string{"group", "type", "state"},
				Help: "1 for each group that ListGroups names, or named before its coordinator began to load other groups: its type (classic, consumer, streams, share) and its state as the broker spells it."},
			Series: []exposition.Series[kafka.Group]{{
				ExtraOf: func(g *kafka.Group) string {
					return exposition.Label("type", string(g.Type)) + "," + exposition.Label("state", g.State)
				},
				Value: func(*kafka.Group) (float64, bool) { return 1, true },
			}},
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_members", Type: exposition.Gauge, Labels: []string{"group"},
				Help: "Members of the group, by the Describe request of its type. 0 for a group that only commits, as Flink's do. Absent when the group could not be described."},
			Series: single(func(g *kafka.Group) (float64, bool) { return float64(g.Members), g.DescribeErr == nil }),
		},
	}
}

func endFamilies() []exposition.Family[kafka.Partition] {
	labels := []string{"topic", "partition"}
	of := func(name, help string, value func(*kafka.Partition) int64) exposition.Family[kafka.Partition] {
		return exposition.Family[kafka.Partition]{
			Desc:   exposition.Desc{Name: name, Type: exposition.Gauge, Labels: labels, Help: help + " Absent when the leader did not tell it."},
			Series: single(func(p *kafka.Partition) (float64, bool) { return float64(value(p)), p.Err == nil }),
		}
	}
	return []exposition.Family[kafka.Partition]{
		of("truelag_topic_partition_log_start_offset", "Log start offset: the first offset that is still there (ListOffsets, timestamp -2).", func(p *kafka.Partition) int64 { return p.LogStart }),
		of("truelag_topic_partition_last_stable_offset", "Last stable offset: the first offset of the oldest open transaction, else the high watermark (ListOffsets, timestamp -1, isolation 1).", func(p *kafka.Partition) int64 { return p.LastStable }),
		of("truelag_topic_partition_high_watermark", "High watermark: the offset after the last one that all in-sync replicas have (ListOffsets, timestamp -1, isolation 0).", func(p *kafka.Partition) int64 { return p.HighWatermark }),
	}
}

// single is a family's only sample of a row.
func single[R any](value func(*R) (float64, bool)) []exposition.Series[R] {
	return []exposition.Series[R]{{Value: value}}
}
