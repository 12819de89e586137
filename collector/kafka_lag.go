package collector

import (
	"truelag/exposition"
	"truelag/kafka"
)

func partitionFamilies() []exposition.Family[kafka.PartitionLag] {
	labels := []string{"group", "topic", "partition"}
	known := func(value func(*kafka.PartitionLag) int64) []exposition.Series[kafka.PartitionLag] {
		return single(func(r *kafka.PartitionLag) (float64, bool) { return float64(value(r)), r.Known })
	}
	return []exposition.Family[kafka.PartitionLag]{
		{
			Desc: exposition.Desc{Name: "truelag_group_committed_offset", Type: exposition.Gauge, Labels: labels,
				Help: "Committed offset: the next offset that the group will read, as OffsetFetch tells it. Absent without a commit, or when it could not be read."},
			Series: single(func(r *kafka.PartitionLag) (float64, bool) { return float64(r.Committed), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_lag_offsets", Type: exposition.Gauge, Labels: labels,
				Help: "Raw lag: offsets from the committed offset to the high watermark, markers, aborted records and gaps included. 0 for a commit beyond the end. Absent without a commit, and when the partition's ends could not be read (truelag_group_partitions says why)."},
			Series: known(func(r *kafka.PartitionLag) int64 { return r.Offsets }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_lag_records", Type: exposition.Gauge, Labels: labels,
				Help: "True lag: records that a consumer of the group's isolation level will still be handed, counted from batch headers at the log's tail; offsets that were not looked at count as records, so it is never less than the truth, and exact where the kind unscanned is 0. On compacted topics it is as old as the scan (recheck_interval, and up to 16 times that where compaction changes nothing), and more than the truth until then. Absent when truelag_group_lag_offsets is."},
			Series: known(func(r *kafka.PartitionLag) int64 { return r.Records }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_lag_seconds", Type: exposition.Gauge, Labels: labels,
				Help: "Time lag: age in seconds of the first record by offset that the group has not consumed, from its create or append time, by the exporter's clock; 0 when no record is left, never negative. Absent when that record's time is not known: not scanned, or without a timestamp."},
			Series: single(func(r *kafka.PartitionLag) (float64, bool) { return float64(r.Age) / 1000, r.Known && r.Age >= 0 }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_rewinds_total", Type: exposition.Counter, Labels: labels,
				Help: "How often a commit was lower than the one before it, since the group was first seen. A recreated topic, a truncated log and an expired commit are no rewinds. While commits are not followed (truelag_follower_active), only what differs from one scrape to the next is seen, and not what was made good between them."},
			Series: single(func(r *kafka.PartitionLag) (float64, bool) { return float64(r.Rewinds), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_last_commit_timestamp_seconds", Type: exposition.Gauge, Labels: labels,
				Help: "When the group last committed an offset of the partition, in seconds since 1970: the commit timestamp of its record in __consumer_offsets, by the broker's clock. While commits are not followed (truelag_follower_active): when a scrape saw that the commit had changed, by the exporter's clock. Absent until a commit was seen being made."},
			Series: single(func(r *kafka.PartitionLag) (float64, bool) { return float64(r.CommitAt) / 1000, r.CommitAt > 0 }),
		},
	}
}

func topicFamilies() []exposition.Family[kafka.TopicLag] {
	labels := []string{"group", "topic"}
	var composition, conditions, isolation []exposition.Series[kafka.TopicLag]
	for _, k := range kafka.Kinds() {
		composition = append(composition, exposition.Series[kafka.TopicLag]{
			Extra: exposition.Label("kind", k.String()),
			Value: func(l *kafka.TopicLag) (float64, bool) { return float64(l.Composition[k]), l.Known > 0 },
		})
	}
	for _, c := range kafka.Conditions() {
		conditions = append(conditions, exposition.Series[kafka.TopicLag]{
			Extra: exposition.Label("condition", c.String()),
			Value: func(l *kafka.TopicLag) (float64, bool) { return float64(l.Conditions[c]), true },
		})
	}
	for _, level := range []kafka.Isolation{kafka.ReadCommitted, kafka.ReadUncommitted} {
		for _, source := range []kafka.IsolationSource{kafka.Configured, kafka.Observed, kafka.Assumed} {
			isolation = append(isolation, exposition.Series[kafka.TopicLag]{
				Extra: exposition.Label("isolation", level.String()) + "," + exposition.Label("source", source.String()),
				Value: func(l *kafka.TopicLag) (float64, bool) { return 1, l.Isolation == level && l.Source == source },
			})
		}
	}
	known := func(value func(*kafka.TopicLag) int64) []exposition.Series[kafka.TopicLag] {
		return single(func(l *kafka.TopicLag) (float64, bool) { return float64(value(l)), l.Known > 0 })
	}
	always := func(value func(*kafka.TopicLag) int64) []exposition.Series[kafka.TopicLag] {
		return single(func(l *kafka.TopicLag) (float64, bool) { return float64(value(l)), true })
	}
	return []exposition.Family[kafka.TopicLag]{
		{
			Desc: exposition.Desc{Name: "truelag_group_lag_composition_offsets", Type: exposition.Gauge, Labels: append(labels, "kind"),
				Help: "What the offsets of the raw lag are, summed over the topic's partitions: record, control (transaction markers), aborted, blocked (held back by an open transaction), gap (compacted away), lost (below the log start), unscanned (not looked at; might be records). The kinds sum to the raw lag. Absent when no partition's lag is known."},
			Series: composition,
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_lost_offsets", Type: exposition.Gauge, Labels: labels,
				Help: "Offsets between commits and the log start offsets, summed over partitions: deleted before the group read them. Absent when no partition's lag is known."},
			Series: known(func(l *kafka.TopicLag) int64 { return l.Composition[kafka.Lost] }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_beyond_end_offsets", Type: exposition.Gauge, Labels: labels,
				Help: "Offsets between high watermarks and commits that lie above them, summed over partitions, with commits read first: after a recreated topic, a truncated log or a wrong reset, records up to there would be skipped. Absent when no partition's lag is known."},
			Series: known(func(l *kafka.TopicLag) int64 { return l.BeyondEnd }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_commits_total", Type: exposition.Counter, Labels: labels,
				Help: "Offset commits of the group on the topic's partitions that were seen in __consumer_offsets since the group was first seen; of transactions those that were committed. Absent when commits are not followed: follow_commits is false, or truelag_follower_info says denied, missing or unfit."},
			Series: single(func(l *kafka.TopicLag) (float64, bool) { return float64(l.Commits), l.Followed }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_rewound_offsets_total", Type: exposition.Counter, Labels: labels,
				Help: "Offsets that commits have moved back, summed over the rewinds since the group was first seen."},
			Series: always(func(l *kafka.TopicLag) int64 { return l.Rewound }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_replayed_records_total", Type: exposition.Counter, Labels: labels,
				Help: "Records among the rewound offsets: what a consumer that starts from the lower commit is handed again. A rewind over a marker replays nothing. Offsets that were not looked at count as records."},
			Series: always(func(l *kafka.TopicLag) int64 { return l.Replayed }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_partitions", Type: exposition.Gauge, Labels: append(labels, "condition"),
				Help: "Partitions of the topic in a condition: uncommitted (no committed offset), no_leader, topic_missing (the commit's topic or partition does not exist), denied (no DESCRIBE), unreadable (no READ: offsets are unscanned), beyond_end, below_start, unavailable (an error of the broker; truelag_kafka_errors_total names it)."},
			Series: conditions,
		},
		{
			Desc: exposition.Desc{Name: "truelag_group_isolation_info", Type: exposition.Gauge, Labels: append(labels, "isolation", "source"),
				Help: "1 for the isolation level by which the group's lag on the topic is judged, and where it is known from: configured, observed (a commit stands where no read_committed consumer gets by reading), assumed."},
			Series: isolation,
		},
	}
}
