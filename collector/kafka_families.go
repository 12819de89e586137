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

func count(r *int64) (float64, bool) { return float64(*r), true }

func requestFamilies() []exposition.Family[int64] {
	return []exposition.Family[int64]{{
		Desc: exposition.Desc{Name: "truelag_kafka_requests_total", Type: exposition.Counter, Labels: []string{"api"},
			Help: "Requests sent to brokers, by API."},
		Series: single(count),
	}}
}

func errorFamilies() []exposition.Family[int64] {
	return []exposition.Family[int64]{{
		Desc: exposition.Desc{Name: "truelag_kafka_errors_total", Type: exposition.Counter, Labels: []string{"api", "error"},
			Help: "Errors by API and the protocol's name of the code, one for each row that carried it; timeout, connection, unsupported and too_large are requests without a readable answer. The usual ones exist at 0."},
		Series: single(count),
	}}
}

func costFamilies() []exposition.Family[kafka.Ledger] {
	var events []exposition.Series[kafka.Ledger]
	for _, k := range kafka.EventKinds() {
		events = append(events, exposition.Series[kafka.Ledger]{
			Extra: exposition.Label("kind", k.String()),
			Value: func(l *kafka.Ledger) (float64, bool) { return float64(l.Events[k]), true },
		})
	}
	var faults []exposition.Series[kafka.Ledger]
	for _, f := range kafka.BatchFaults() {
		faults = append(faults, exposition.Series[kafka.Ledger]{
			Extra: exposition.Label("reason", f.String()),
			Value: func(l *kafka.Ledger) (float64, bool) { return float64(l.Faults[f]), true },
		})
	}
	return []exposition.Family[kafka.Ledger]{
		{
			Desc: exposition.Desc{Name: "truelag_events_total", Type: exposition.Counter, Labels: []string{"kind"},
				Help: "Findings since the start: rewind, recreated (a topic of another id took the name), truncated (a high watermark moved back), beyond_end, lost (a commit began to stand above the high watermark, below the log start offset), beyond_end_over, lost_over. One for each partition. The page /events has the last thousand. All kinds exist from the start."},
			Series: events,
		},
		{
			Desc: exposition.Desc{Name: "truelag_scan_bytes_total", Type: exposition.Counter,
				Help: "Bytes of record batches that were fetched to read their headers."},
			Series: single(func(l *kafka.Ledger) (float64, bool) { return float64(l.ScanBytes), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_scan_fetches_total", Type: exposition.Counter,
				Help: "Fetch requests sent to read batch headers, each for many partitions."},
			Series: single(func(l *kafka.Ledger) (float64, bool) { return float64(l.ScanFetches), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_scan_unreadable_batches_total", Type: exposition.Counter, Labels: []string{"reason"},
				Help: "Record batches at the tails that could not be read, so that their offsets are unscanned or their records' ages are not known: old_format (a message of format 0 or 1), corrupt (a header, checksum or record makes no sense), compression (a codec is not known, or the bytes are not of it), too_large (above 64 MiB, as it stands or decompressed, or with holes and more than 131072 records). A batch counts each time that it is fetched: most often once, one that is corrupt with each scrape. All reasons exist from the start."},
			Series: faults,
		},
		{
			Desc: exposition.Desc{Name: "truelag_kafka_tls_reload_failures_total", Type: exposition.Counter,
				Help: "Looks at the TLS files on disk (ca_file, cert_file, key_file), one for each new connection to a broker, that found one missing or not to be used: the ones loaded before stay in force, and the log says what is wrong. Exists at 0 where such files are configured, absent elsewhere."},
			Series: single(func(l *kafka.Ledger) (float64, bool) { return float64(l.TLSFailures), l.TLSFiles }),
		},
	}
}
