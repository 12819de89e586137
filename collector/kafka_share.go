package collector

import (
	"strconv"

	"truelag/exposition"
	"truelag/kafka"
)

// shareGroups puts labels to the states of share groups.
func (k *kafkaLabels) shareGroups(r *kafka.Reading) (groups exposition.Chunk[kafka.ShareState], partitions []exposition.Chunk[kafka.SharePartition]) {
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Share == nil {
			continue
		}
		groups.Labels = append(groups.Labels, k.pairs("group", g.Name))
		groups.Rows = append(groups.Rows, *g.Share)
		for j := range g.Share.Topics {
			t := &g.Share.Topics[j]
			of := k.pairs("group", g.Name, "topic", t.Topic)
			labels := make([]string, len(t.Partitions))
			for n := range labels {
				labels[n] = of + `,partition="` + strconv.Itoa(int(t.Partitions[n].Partition)) + `"`
			}
			partitions = append(partitions, exposition.Chunk[kafka.SharePartition]{Labels: labels, Rows: t.Partitions})
		}
	}
	return groups, partitions
}

func shareGroupFamilies() []exposition.Family[kafka.ShareState] {
	var levels []exposition.Series[kafka.ShareState]
	for _, level := range []kafka.Isolation{kafka.ReadCommitted, kafka.ReadUncommitted} {
		levels = append(levels, exposition.Series[kafka.ShareState]{
			Extra: exposition.Label("isolation", level.String()) + "," + exposition.Label("source", "broker"),
			Value: func(s *kafka.ShareState) (float64, bool) { return 1, s.IsolationErr == nil && s.Isolation == level },
		})
	}
	return []exposition.Family[kafka.ShareState]{{
		Desc: exposition.Desc{Name: "truelag_share_group_info", Type: exposition.Gauge, Labels: []string{"group", "isolation", "source"},
			Help: "1 for each share group: its share.isolation.level, by which the broker hands records out to all its members, as the group's configuration on the broker says (DescribeConfigs, read again after 5 minutes). Absent when the broker does not tell it: no DESCRIBE_CONFIGS on the group."},
		Series: levels,
	}}
}

func sharePartitionFamilies() []exposition.Family[kafka.SharePartition] {
	labels := []string{"group", "topic", "partition"}
	of := func(name, help string, value func(*kafka.SharePartition) int64) exposition.Family[kafka.SharePartition] {
		return exposition.Family[kafka.SharePartition]{
			Desc: exposition.Desc{Name: name, Type: exposition.Gauge, Labels: labels, Help: help},
			Series: []exposition.Series[kafka.SharePartition]{{
				Value: func(p *kafka.SharePartition) (float64, bool) { v := value(p); return float64(v), v >= 0 && p.Code == 0 },
			}},
		}
	}
	return []exposition.Family[kafka.SharePartition]{
		of("truelag_share_group_start_offset", "Share-partition start offset: all below it is dealt with for the share group, and above it records may be out, acknowledged or waiting (DescribeShareGroupOffsets). It is no committed offset. Absent where the group has not begun to read, and when the coordinator does not tell it.",
			func(p *kafka.SharePartition) int64 { return p.Start }),
		of("truelag_share_group_lag_offsets", "The broker's own count of offsets that the share group has still to deal with, from the start offset to the high watermark, without those acknowledged or given up (DescribeShareGroupOffsets v1, Kafka 4.2). Transaction markers, and aborted records of a read_committed group, count until the broker has passed over them, which it does only while members fetch: without members it need not be 0 though no record is left. Absent where the broker does not tell it.",
			func(p *kafka.SharePartition) int64 { return p.Lag }),
	}
}
