package flink

import (
	"maps"
	"slices"
	"time"
)

// tailTime is how far apart the instances of a source may fall silent when their job ends: whichever was heard last is
// not all that the source said last.
const tailTime = 2 * time.Minute

// memory keeps what one listener told of jobs, for those that it tells of no more: a reporter drops the metrics of a task
// that ends, and a Prometheus server those that are too old.
type memory struct {
	keep   time.Duration
	latest time.Time // when the last reading began
	jobs   map[string]*rememberedJob
}

type rememberedJob struct {
	Job               // without sources
	told    time.Time // when the reading began that told of it
	sources map[sourceKey]*rememberedSource
}

type rememberedSource struct {
	Source
	told       time.Time // when the reading began that told of it
	subtasks   map[int32]remembered[Subtask]
	partitions map[topicPartition]remembered[Partition]
}

// remembered is a part of a sample with the sample's times.
type remembered[T any] struct {
	part    T
	times   span
	running bool
}

func newMemory(keep time.Duration) *memory {
	return &memory{keep: keep, jobs: make(map[string]*rememberedJob)}
}

// remember takes what a reading that began at began told. Readings may overlap: of two that told of a job, the one that
// began later holds.
func (m *memory) remember(jobs []Job, began time.Time) {
	if began.After(m.latest) {
		m.latest = began
	}
	for _, job := range jobs {
		known := entry(m.jobs, job.ID, func() *rememberedJob {
			return &rememberedJob{sources: make(map[sourceKey]*rememberedSource)}
		})
		if began.Before(known.told) {
			continue
		}
		sources := job.Sources
		job.Sources = nil
		if job.Checkpoints == nil {
			job.Checkpoints = known.Checkpoints
		}
		known.Job, known.told = job, began
		for _, source := range sources {
			entry(known.sources, source.key(), newRememberedSource).take(source, began)
		}
	}
}

// forget drops the jobs, and the sources of jobs, that were not heard for as long as is kept.
func (m *memory) forget(now time.Time) {
	maps.DeleteFunc(m.jobs, func(_ string, job *rememberedJob) bool {
		maps.DeleteFunc(job.sources, func(_ sourceKey, s *rememberedSource) bool { return now.Sub(s.told) > m.keep })
		return now.Sub(job.Heard) > m.keep
	})
}

// all are the jobs as they were told last.
func (m *memory) all() []Job {
	jobs := make([]Job, 0, len(m.jobs))
	for _, known := range m.jobs {
		job := known.Job
		for _, source := range known.sources {
			if source.told.Equal(m.latest) {
				job.Sources = append(job.Sources, source.now())
			} else {
				job.Sources = append(job.Sources, source.tail())
			}
		}
		slices.SortFunc(job.Sources, compareSources)
		jobs = append(jobs, job)
	}
	return jobs
}

func newRememberedSource() *rememberedSource {
	return &rememberedSource{
		subtasks: make(map[int32]remembered[Subtask]), partitions: make(map[topicPartition]remembered[Partition]),
	}
}

func (r *rememberedSource) take(source Source, began time.Time) {
	r.Source, r.told = source, began
	if len(source.Samples) == 0 {
		return
	}
	sample := r.complete(source.Samples[0])
	r.Samples = []Sample{sample}
	times := span{sample.After, sample.Before}
	for _, s := range sample.Subtasks {
		r.subtasks[s.Index] = remembered[Subtask]{s, times, sample.Running}
	}
	for _, p := range sample.Partitions {
		r.partitions[topicPartition{p.Topic, p.Partition}] = remembered[Partition]{p, times, sample.Running}
	}
	oldest := times.before.Add(-tailTime)
	maps.DeleteFunc(r.subtasks, func(_ int32, s remembered[Subtask]) bool { return s.times.before.Before(oldest) })
	maps.DeleteFunc(r.partitions, func(_ topicPartition, p remembered[Partition]) bool { return p.times.before.Before(oldest) })
}

// complete takes from what an attempt said before what is not told any more. A task that ends loses its metrics one by one, and a page
// may be written meanwhile; a Prometheus server that looks back forgets the one series of a partition before the other. An attempt that
// begins says that it has none.
func (r *rememberedSource) complete(s Sample) Sample {
	s.Subtasks, s.Partitions = slices.Clone(s.Subtasks), slices.Clone(s.Partitions)
	goesOn := make(map[int32]bool, len(s.Subtasks)) // whether it is the attempt that was heard before
	for i := range s.Subtasks {
		now := &s.Subtasks[i]
		before, heard := r.subtasks[now.Index]
		goesOn[now.Index] = heard && now.Attempt == before.part.Attempt && (now.Attempt >= 0 || !s.Running)
		if goesOn[now.Index] && now.Succeeded < 0 {
			now.Succeeded = before.part.Succeeded
		}
		if goesOn[now.Index] && now.Failed < 0 {
			now.Failed = before.part.Failed
		}
	}
	for i := range s.Partitions {
		now := &s.Partitions[i]
		before := r.partitions[topicPartition{now.Topic, now.Partition}].part
		same := goesOn[now.Subtask] && before.Topic == now.Topic && before.Subtask == now.Subtask
		if same && now.noEmitted {
			now.Emitted = before.Emitted
		}
		if same && now.noCommitted {
			now.Committed = before.Committed
		}
		now.noEmitted, now.noCommitted = false, false
	}
	return s
}

// now is what the source said in the latest reading.
func (r *rememberedSource) now() Source {
	source := r.Source
	if len(source.Samples) == 0 {
		return source
	}
	sample := source.Samples[0]
	sample.Silent = max(len(r.subtasks)-len(sample.Subtasks), 0)
	source.Samples = []Sample{sample}
	return source
}

// tail is what the source's instances said last, each for itself.
func (r *rememberedSource) tail() Source {
	source := r.Source
	if len(source.Samples) == 0 {
		return source
	}
	last := Sample{Interface: source.Samples[0].Interface, Running: true}
	var times span
	for _, s := range r.subtasks {
		last.Subtasks = append(last.Subtasks, s.part)
		times, last.Running = times.or(s.times), last.Running && s.running
	}
	for _, p := range r.partitions {
		last.Partitions = append(last.Partitions, p.part)
		times, last.Running = times.or(p.times), last.Running && p.running
	}
	last.After, last.Before = times.after, times.before
	slices.SortFunc(last.Subtasks, compareSubtasks)
	slices.SortFunc(last.Partitions, comparePartitions)
	source.Samples = []Sample{last}
	return source
}
