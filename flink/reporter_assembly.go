package flink

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// assembly puts rows together to jobs, in whichever order they come. Of two rows of one series the later one holds.
type assembly struct {
	via  Interface
	jobs map[string]*jobRows
}

func newAssembly(via Interface) *assembly {
	return &assembly{via: via, jobs: make(map[string]*jobRows)}
}

type jobRows struct {
	name        string
	heard       time.Time
	checkpoints *newest
	times       map[vertexInstance]*newest
	sources     map[sourceKey]map[instance]*instanceRows
}

// newest is the newest row of each quantity of one thing; nil where there is none.
type newest [checkpointLast + 1]*row

type vertexInstance struct {
	vertex string
	instance
}

type sourceKey struct {
	vertex, operator, kafkaCluster string
	legacy                         bool
}

type instanceRows struct {
	instance
	running    bool
	latest     time.Time // the latest of its rows' after
	commits    newest
	partitions map[topicPartition]*newest
}

func (a *assembly) add(r *row) {
	job := entry(a.jobs, r.job, func() *jobRows {
		return &jobRows{
			times:   make(map[vertexInstance]*newest),
			sources: make(map[sourceKey]map[instance]*instanceRows),
		}
	})
	if !r.before.Before(job.heard) {
		job.heard = r.before
	}
	job.name = cmp.Or(job.name, r.jobName)

	switch {
	case r.of.ofSource():
		key := sourceKey{r.vertex, r.operator, r.kafkaCluster, r.legacy}
		instances := entry(job.sources, key, func() map[instance]*instanceRows { return make(map[instance]*instanceRows) })
		in := entry(instances, r.instance, func() *instanceRows {
			return &instanceRows{instance: r.instance, partitions: make(map[topicPartition]*newest)}
		})
		in.running = in.running || r.running
		if r.after.After(in.latest) {
			in.latest = r.after
		}
		if r.of.ofPartition() {
			entry(in.partitions, r.partition, func() *newest { return new(newest) }).put(r)
		} else {
			in.commits.put(r)
		}
	case r.of.ofTask():
		entry(job.times, vertexInstance{r.vertex, r.instance}, func() *newest { return new(newest) }).put(r)
	default:
		if job.checkpoints == nil {
			job.checkpoints = new(newest)
		}
		job.checkpoints.put(r)
	}
}

func (n *newest) put(r *row) {
	if old := n[r.of]; old == nil || !r.after.Before(old.after) {
		n[r.of] = r
	}
}

// widen is the span that the rows add to.
func (n *newest) widen(s span) span {
	for _, r := range n {
		if r != nil {
			s = s.or(r.span)
		}
	}
	return s
}

// whole is a count or an offset; -1: not told, which for an offset is Unset.
func (n *newest) whole(of quantity) int64 {
	if r := n[of]; r != nil {
		return int64(r.number)
	}
	return -1
}

// share is a part of a time; -1: not told.
func (n *newest) share(of quantity) float64 {
	if n == nil || n[of] == nil {
		return -1
	}
	return n[of].number
}

func entry[K comparable, V any](m map[K]V, key K, fresh func() V) V {
	v, ok := m[key]
	if !ok {
		v = fresh()
		m[key] = v
	}
	return v
}

// all are the jobs, by name.
func (a *assembly) all() []Job {
	jobs := make([]Job, 0, len(a.jobs))
	for id, rows := range a.jobs {
		jobs = append(jobs, Job{
			ID: id, Name: rows.name, Heard: rows.heard,
			Checkpoints: rows.readCheckpoints(), Sources: rows.readSources(a.via),
		})
	}
	slices.SortFunc(jobs, compareJobs)
	return jobs
}

func (j *jobRows) readCheckpoints() *Checkpoints {
	if j.checkpoints == nil {
		return nil
	}
	c := &Checkpoints{
		At:        j.checkpoints.widen(span{}).before,
		Interval:  -1,
		Completed: j.checkpoints.whole(checkpointsCompleted),
		Failed:    j.checkpoints.whole(checkpointsFailed),
	}
	if ms := j.checkpoints.whole(checkpointLast); ms > 0 {
		c.LastCompleted = time.UnixMilli(ms)
	}
	return c
}

func (j *jobRows) readSources(via Interface) []Source {
	var sources []Source
	for key, instances := range j.sources {
		sample := Sample{Interface: via}
		for _, in := range newestInstances(instances) {
			sample.add(in, j.times[vertexInstance{key.vertex, in.instance}])
		}
		if key.legacy && len(sample.Partitions) == 0 {
			continue // other connectors may count commits under this name
		}
		slices.SortFunc(sample.Subtasks, compareSubtasks)
		sample.Partitions = newestPartitions(sample.Partitions)
		source := key.source()
		source.Samples = []Sample{sample}
		sources = append(sources, source)
	}
	slices.SortFunc(sources, compareSources)
	return sources
}

// newestInstances are one attempt of each subtask, the older ones first. While any runs, those that do not are left
// out: they are an attempt that was replaced, or on a TaskManager that is not heard.
func newestInstances(all map[instance]*instanceRows) []*instanceRows {
	instances := slices.Collect(maps.Values(all))
	slices.SortFunc(instances, func(a, b *instanceRows) int {
		byAttempt, byTime := cmp.Compare(a.attempt, b.attempt), a.latest.Compare(b.latest)
		if !a.running && !b.running { // numbers begin anew when a JobManager takes a job over
			byAttempt, byTime = byTime, byAttempt
		}
		return cmp.Or(compareBool(a.running, b.running), byAttempt, byTime, cmp.Compare(a.subtask, b.subtask))
	})
	last := make(map[int32]*instanceRows)
	anyRuns := false
	for _, in := range instances {
		last[in.subtask] = in
		anyRuns = anyRuns || in.running
	}
	return slices.DeleteFunc(instances, func(in *instanceRows) bool {
		return last[in.subtask] != in || anyRuns && !in.running
	})
}

// add adds what an instance said. Call it in the order of newestInstances.
func (s *Sample) add(in *instanceRows, times *newest) {
	total := in.commits.widen(span{s.After, s.Before})
	for _, rows := range in.partitions {
		total = rows.widen(total)
	}
	s.After, s.Before = total.after, total.before
	s.Running = s.Running || in.running
	s.Subtasks = append(s.Subtasks, Subtask{
		Index: in.subtask, Attempt: in.attempt,
		Succeeded: in.commits.whole(succeededCount), Failed: in.commits.whole(failedCount), Records: -1,
		Busy: times.share(busyShare), Backpressured: times.share(backpressuredShare), Idle: times.share(idleShare),
	})
	for p, rows := range in.partitions {
		s.Partitions = append(s.Partitions, Partition{
			Topic: p.topic, Partition: p.partition, Subtask: in.subtask,
			Emitted: rows.whole(emittedSample), Committed: rows.whole(committedSample),
			noEmitted: rows[emittedSample] == nil, noCommitted: rows[committedSample] == nil,
		})
	}
}

// newestPartitions sorts, and keeps the last of each: another instance may have read a partition before.
func newestPartitions(partitions []Partition) []Partition {
	slices.Reverse(partitions)
	slices.SortStableFunc(partitions, comparePartitions)
	return slices.CompactFunc(partitions, func(a, b Partition) bool { return comparePartitions(a, b) == 0 })
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
