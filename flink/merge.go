package flink

import (
	"cmp"
	"slices"
)

// merge puts together what the interfaces say of a cluster's jobs. Jobs are the same by id; within a job, sources by
// vertex, operator and Kafka cluster. REST's names and facts hold where it tells them; samples stand side by side, the
// one taken last first.
func merge(rest restState, heard [][]Job, wants func(name string) bool) []Job {
	jobs := make(map[string]*Job, len(rest.jobs))
	for _, job := range rest.jobs {
		jobs[job.ID] = &job
	}
	for _, told := range heard {
		for _, job := range told {
			known := jobs[job.ID]
			if known == nil {
				name, listed := rest.names[job.ID]
				if listed && (wants == nil || wants(name)) {
					continue // it ended longer ago than is kept
				}
				if name = cmp.Or(name, job.Name); wants != nil && !wants(name) {
					continue
				}
				jobs[job.ID] = &job
				continue
			}
			known.merge(job)
		}
	}
	merged := make([]Job, 0, len(jobs))
	for _, job := range jobs {
		for i := range job.Sources {
			slices.SortStableFunc(job.Sources[i].Samples, func(a, b Sample) int { return b.After.Compare(a.After) })
		}
		merged = append(merged, *job)
	}
	slices.SortFunc(merged, compareJobs)
	return merged
}

// merge adds what another interface says of the job.
func (j *Job) merge(other Job) {
	j.Name = cmp.Or(j.Name, other.Name)
	j.Checkpoints = j.Checkpoints.or(other.Checkpoints)
	if other.Heard.After(j.Heard) {
		j.Heard = other.Heard
	}
	j.Sources = slices.Clone(j.Sources)
	for _, source := range other.Sources {
		i := slices.IndexFunc(j.Sources, func(s Source) bool { return s.key() == source.key() })
		if i < 0 {
			j.Sources = append(j.Sources, source)
			continue
		}
		// A new list, since the other one is the poller's.
		j.Sources[i].Samples = slices.Concat(j.Sources[i].Samples, source.Samples)
	}
	slices.SortFunc(j.Sources, compareSources)
}

// or is c where it is told, with the counts of other where c's are too old to be of now.
func (c *Checkpoints) or(other *Checkpoints) *Checkpoints {
	switch {
	case c == nil:
		return other
	case other == nil || other.At.Sub(c.At) <= tailTime:
		return c
	}
	both := *c
	both.At, both.Completed, both.Failed = other.At, other.Completed, other.Failed
	if other.LastCompleted.After(c.LastCompleted) {
		both.LastCompleted = other.LastCompleted
	}
	return &both
}

func compareSubtasks(a, b Subtask) int { return cmp.Compare(a.Index, b.Index) }

func comparePartitions(a, b Partition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}
