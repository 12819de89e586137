package collector

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"truelag/exposition"
	"truelag/flink"
	"truelag/kafka"
)

// flinkTable makes the rows of one Flink cluster.
type flinkTable struct {
	rows  *flinkRows
	label string // of the Flink cluster, rendered; may be empty
	shard kafka.Shard
	now   time.Time
	names map[string]string // of jobs, by id

	told     FlinkSources
	compared map[string]bool // whether there was a pass, by Kafka cluster
}

// newFlinkRows puts labels to what one Flink cluster says and the passes over Kafka have found out about it. Where one was
// not possible, v was heard all the same.
func newFlinkRows(t flinkTable, v *flink.View, found []*finding) *flinkRows {
	t.rows = &flinkRows{}
	if v == nil {
		return t.rows
	}
	findings := map[string][]*finding{} // by job
	for _, f := range found {
		findings[f.job.ID] = append(findings[f.job.ID], f)
	}
	t.names = jobNames(v.Jobs, t.now)
	for i := range v.Jobs {
		t.job(&v.Jobs[i], findings[v.Jobs[i].ID])
	}
	targets := map[flink.Interface]names{} // what tells some apart is not shown: a query, a user
	for _, r := range v.Reaches {
		if targets[r.Interface] == nil {
			targets[r.Interface] = names{}
		}
		put(&t.rows.reaches, t.pairs("", "interface", string(r.Interface), "target", targets[r.Interface].take(r.Target, "")), r)
	}
	return t.rows
}

// put adds a row.
func put[R any](chunk *exposition.Chunk[R], labels string, row R) {
	chunk.Labels, chunk.Rows = append(chunk.Labels, labels), append(chunk.Rows, row)
}

// pairs renders labels, names and values in turn, behind those of the Flink and the Kafka cluster.
func (t *flinkTable) pairs(kafka string, nameValue ...string) string {
	labels := t.label
	add := func(label string) {
		if labels != "" && label != "" {
			labels += ","
		}
		labels += label
	}
	add(kafka)
	for i := 0; i < len(nameValue); i += 2 {
		add(exposition.Label(nameValue[i], nameValue[i+1]))
	}
	return labels
}

// job makes the rows of one job.
func (t *flinkTable) job(job *flink.Job, found []*finding) {
	name := t.names[job.ID]
	row := flinkJob{Job: *job, live: !over(job, t.now)}
	for _, f := range found {
		row.fixed = row.fixed || f.fixed
		for reason, n := range f.unmatched {
			row.unmatched[reason] += n
		}
		for _, c := range f.conditions {
			if !slices.Contains(row.conditions, c) {
				row.conditions = append(row.conditions, c)
			}
		}
	}
	row.owned = t.shard.Owns(job.Name)
	row.compared = t.whole(job) && (row.owned || len(found) > 0)
	row.State = stateOf(job, t.now)
	if row.Checkpoints != nil && silent(row.Checkpoints.At, t.now) && !job.Terminal() {
		row.Checkpoints = nil
	}
	if !row.owned {
		row.State, row.Checkpoints = "", nil
	}
	put(&t.rows.jobs, t.pairs("", "job", name), row)
	t.sources(name, job, found)
	t.topics(name, found)
	if row.live && row.owned {
		t.ages(name, job)
	}
}

// whole says that there was a pass over each Kafka cluster that the job reads.
func (t *flinkTable) whole(job *flink.Job) bool {
	for i := range job.Sources {
		if !t.compared[t.told.of(job, &job.Sources[i]).Cluster] {
			return false
		}
	}
	return len(t.compared) > 0
}

// sources makes the rows of a job's sources. Operators of one name have the ids of their vertices behind it.
func (t *flinkTable) sources(job string, of *flink.Job, found []*finding) {
	taken := names{}
	for i := range of.Sources {
		source := &of.Sources[i]
		operator := source.Operator
		if source.KafkaCluster != "" {
			operator += " (" + source.KafkaCluster + ")"
		}
		operator = taken.take(operator, source.Vertex)
		row := flinkSource{succeeded: -1, failed: -1, busy: -1, backpressured: -1, idle: -1}
		if t.shard.Owns(of.Name) {
			row.sum(source, t.now)
		}
		if k := slices.IndexFunc(found, func(f *finding) bool {
			return f.source.Vertex == source.Vertex && f.operator == source.Operator && f.kafkaCluster == source.KafkaCluster && f.legacy == source.Legacy
		}); k >= 0 {
			row.compared, row.group, row.how, row.label = true, found[k].group.groupKey, found[k].group.How, found[k].label
		}
		put(&t.rows.sources, t.pairs(row.label, "job", job, "operator", operator), row)
	}
}

// topics makes the rows of a job's topics and partitions.
func (t *flinkTable) topics(job string, found []*finding) {
	type place struct{ label, group, topic string }
	type partition struct {
		place
		number int32
	}
	topics, labels := map[place]*flinkTopic{}, map[place]string{}
	taken := map[partition]bool{}
	for _, f := range found {
		unheard := f.unheard()
		for i := range f.partitions {
			c := &f.partitions[i]
			at := place{f.label, f.group.Group, c.Topic}
			if topics[at] == nil {
				topics[at] = &flinkTopic{live: f.live}
				labels[at] = t.pairs(f.label, "job", job, "group", at.group, "topic", at.topic)
			}
			topics[at].add(f, c)
			if i == 0 {
				topics[at].stopped.sum += unheard
			}
			if own := (partition{at, c.Partition}); !taken[own] { // two sources of a job may read one partition
				taken[own] = true
				put(&t.rows.partitions, labels[at]+partitionLabel(c.Partition), flinkPartition{emitted: c.emitted, committed: c.committed, broker: c.broker})
			}
		}
	}
	places := slices.SortedFunc(maps.Keys(topics), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.group, b.group), cmp.Compare(a.topic, b.topic))
	})
	for _, at := range places {
		put(&t.rows.topics, labels[at], *topics[at])
	}
}

// add counts a partition in.
func (t *flinkTopic) add(f *finding, c *comparedPartition) {
	if !f.live {
		t.stopped.add(c.counted[askUncommitted])
		return
	}
	t.live = true
	t.agreements[c.judgement.Agreement]++
	t.replay.add(c.replay())
	t.skip.add(c.skip())
}

// ages makes the rows of how old what each interface says of a job is.
func (t *flinkTable) ages(job string, of *flink.Job) {
	oldest := map[flink.Interface]time.Duration{}
	for i := range of.Sources {
		for _, s := range of.Sources[i].Samples {
			oldest[s.Interface] = max(oldest[s.Interface], t.now.Sub(s.After))
		}
	}
	for _, via := range slices.Sorted(maps.Keys(oldest)) {
		put(&t.rows.samples, t.pairs("", "job", job, "interface", string(via)), oldest[via])
	}
}
