package collector

import (
	"time"

	"truelag/exposition"
	"truelag/flink"
)

// flinkFamilies are the families of the Flink collector, by the rows that they share.
type flinkFamilies struct {
	partitions []exposition.Family[flinkPartition]
	topics     []exposition.Family[flinkTopic]
	sources    []exposition.Family[flinkSource]
	samples    []exposition.Family[time.Duration]
	jobs       []exposition.Family[flinkJob]
	reaches    []exposition.Family[flink.Reach]
}

func newFlinkFamilies() flinkFamilies {
	return flinkFamilies{
		partitions: flinkPartitionFamilies(), topics: flinkTopicFamilies(), sources: flinkSourceFamilies(),
		samples: flinkSampleFamilies(), jobs: flinkJobFamilies(), reaches: flinkReachFamilies(),
	}
}

// flinkRows is what is exported of some Flink jobs, with the labels.
type flinkRows struct {
	partitions exposition.Chunk[flinkPartition]
	topics     exposition.Chunk[flinkTopic]
	sources    exposition.Chunk[flinkSource]
	samples    exposition.Chunk[time.Duration]
	jobs       exposition.Chunk[flinkJob]
	reaches    exposition.Chunk[flink.Reach]
}

func (f *flinkFamilies) blocks(rows []*flinkRows) []exposition.Block {
	partitions := exposition.Table[flinkPartition]{Families: f.partitions}
	topics := exposition.Table[flinkTopic]{Families: f.topics}
	sources := exposition.Table[flinkSource]{Families: f.sources}
	samples := exposition.Table[time.Duration]{Families: f.samples}
	jobs := exposition.Table[flinkJob]{Families: f.jobs}
	reaches := exposition.Table[flink.Reach]{Families: f.reaches}
	for _, r := range rows {
		partitions.Chunks = append(partitions.Chunks, r.partitions)
		topics.Chunks = append(topics.Chunks, r.topics)
		sources.Chunks = append(sources.Chunks, r.sources)
		samples.Chunks = append(samples.Chunks, r.samples)
		jobs.Chunks = append(jobs.Chunks, r.jobs)
		reaches.Chunks = append(reaches.Chunks, r.reaches)
	}
	return []exposition.Block{partitions, topics, sources, samples, jobs, reaches}
}

func (f *flinkFamilies) descs() []exposition.Desc {
	var all []exposition.Desc
	for _, b := range f.blocks(nil) {
		all = append(all, b.Descs()...)
	}
	return all
}

// flinkPartition is what a source and the broker say of one partition.
type flinkPartition struct {
	emitted, committed int64 // of Flink; negative: none, or not heard now
	broker             int64 // the group's commit; negative: none, or not known
}

func flinkPartitionFamilies() []exposition.Family[flinkPartition] {
	labels := []string{"job", "group", "topic", "partition"}
	return []exposition.Family[flinkPartition]{
		{
			Desc: exposition.Desc{Name: "truelag_flink_committed_offset", Type: exposition.Gauge, Labels: labels,
				Help: "The offset that a Flink source says is committed on a partition (committedOffset: the next offset to read, as the broker has acknowledged it; a legacy FlinkKafkaConsumer says it when it asks). Of a job that has ended, the last that was heard. Absent while it has acknowledged none since its task began, and when a job that goes on was not heard for two minutes or its task does not run. With an empty group label the group of the source is not known."},
			Series: single(func(p *flinkPartition) (float64, bool) { return float64(p.committed), p.committed >= 0 }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_emitted_offset", Type: exposition.Gauge, Labels: labels,
				Help: "The offset of the last record that a Flink source has emitted from a partition (currentOffset). Of a job that has ended, the last that was heard. Absent while it has emitted none since its task began, and when a job that goes on was not heard for two minutes or its task does not run."},
			Series: single(func(p *flinkPartition) (float64, bool) { return float64(p.emitted), p.emitted >= 0 }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_commit_difference_offsets", Type: exposition.Gauge, Labels: labels,
				Help: "The group's committed offset on the broker minus the one that the Flink source says. Flink learns of a commit later than the broker has it, so that a healthy job shows more than 0 at times; truelag_flink_partitions judges. Absent without either of the two."},
			Series: single(func(p *flinkPartition) (float64, bool) {
				return float64(p.broker - p.committed), p.committed >= 0 && p.broker >= 0
			}),
		},
	}
}

// flinkTopic is how a job's sources and a group agree on the partitions of a topic, and what lies between them.
type flinkTopic struct {
	agreements [agreements]int // partitions by Agreement; of a job that has ended, none
	live       bool

	replay, skip, stopped records
}

// records is a number of records, summed over the partitions where it is known.
type records struct {
	sum   int64
	known int // partitions
}

// add adds what one partition has; notCounted adds nothing.
func (r *records) add(n int64) {
	if n >= 0 {
		r.sum, r.known = r.sum+n, r.known+1
	}
}

func (r *records) value() (float64, bool) { return float64(r.sum), r.known > 0 }

func flinkTopicFamilies() []exposition.Family[flinkTopic] {
	labels := []string{"job", "group", "topic"}
	var verdicts []exposition.Series[flinkTopic]
	for _, a := range Agreements() {
		verdicts = append(verdicts, exposition.Series[flinkTopic]{
			Extra: exposition.Label("agreement", a.String()),
			Value: func(t *flinkTopic) (float64, bool) { return float64(t.agreements[a]), t.live },
		})
	}
	return []exposition.Family[flinkTopic]{
		{
			Desc: exposition.Desc{Name: "truelag_flink_partitions", Type: exposition.Gauge, Labels: append(labels, "agreement"),
				Help: "Partitions that a Flink source reads, by how the offset that it says is committed compares with what the group has, or had, committed on the broker: match; pending (they differ, for no longer than waiting for a poll or an acknowledgement explains); broker_ahead, broker_behind (for longer); unknown (nothing acknowledged yet, not heard, or the group or its commit cannot be read). Absent once the job has ended."},
			Series: verdicts,
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_replay_records", Type: exposition.Gauge, Labels: labels,
				Help: "Records from the group's committed offsets up to what a Flink source has emitted: what a start from the group's offsets, rather than from a checkpoint, would read again. Normally those of a checkpoint interval and the wait for the commit. A lower bound, since the source goes on while it is read; offsets that were not looked at count as records. Absent while nothing is emitted, or committed, and once the job has ended."},
			Series: single(func(t *flinkTopic) (float64, bool) { return t.replay.value() }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_skip_records", Type: exposition.Gauge, Labels: labels,
				Help: "Records that the group has committed and a Flink source had not emitted when it was heard after that: a start from the group's offsets would lose them. It must be 0. Offsets that were not looked at count as records. Absent while nothing is emitted, and once the job has ended."},
			Series: single(func(t *flinkTopic) (float64, bool) { return t.skip.value() }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_stopped_uncommitted_records", Type: exposition.Gauge, Labels: labels,
				Help: "Records that a Flink job which has ended had emitted and the group has not committed (yet): a stop with a savepoint and a cancel commit nothing of what came after the last checkpoint. A lower bound, from what the job said last before it ended; exact where a finished vertex of Flink 2.x says how many records it has read. Kept for as long as the configuration says (keep_ended), and 0 once something else has committed that far. Absent while the job runs."},
			Series: single(func(t *flinkTopic) (float64, bool) { return t.stopped.value() }),
		},
	}
}

func flinkReachFamilies() []exposition.Family[flink.Reach] {
	labels := []string{"interface", "target"}
	return []exposition.Family[flink.Reach]{
		{
			Desc: exposition.Desc{Name: "truelag_flink_up", Type: exposition.Gauge, Labels: labels,
				Help: "1 when the last reading of an interface of Flink (rest, reporter, prometheus) was answered, 0 when it was not; a file or DNS name of reporters that cannot be looked up is a target of its own while that lasts. Absent before the first."},
			Series: single(func(r *flink.Reach) (float64, bool) { return truth(r.Err == nil), !r.At.IsZero() }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_requests_total", Type: exposition.Counter, Labels: labels,
				Help: "HTTP requests that were sent to an interface of Flink since the exporter began to ask it, lookups of DNS not among them. Absent once a target is not named any more."},
			Series: single(func(r *flink.Reach) (float64, bool) { return float64(r.Requests), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_skipped_samples", Type: exposition.Gauge, Labels: labels,
				Help: "Samples or metric ids in the last reading of an interface that could not be understood and were left out. Absent before the first reading."},
			Series: single(func(r *flink.Reach) (float64, bool) { return float64(r.Skipped), !r.At.IsZero() }),
		},
	}
}
