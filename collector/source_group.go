package collector

import "truelag/flink"

// sourceGroup is the consumer group that a Flink source commits to. No interface of Flink names it.
type sourceGroup struct {
	groupKey
	How groupOrigin
}

// groupKey names a group of one of the Kafka clusters.
type groupKey struct{ Cluster, Group string }

// groupOrigin says how the group of a source is known; empty: it is not.
type groupOrigin string

// The origins, the surest first.
const (
	groupConfigured groupOrigin = "configured" // a rule of the configuration names it
	groupPublished  groupOrigin = "published"  // the job publishes it among its parameters
	groupInferred   groupOrigin = "inferred"   // its commits are what the source says it has committed
)

// FlinkSources says which Kafka cluster the sources of a Flink cluster's jobs read, and which groups they commit to.
type FlinkSources struct {
	Rules     []FlinkSourceRule // the first that matches counts
	Cluster   string            // of Kafka, where no rule names one; empty: the only one
	Parameter string            // a job's published parameter whose value is the group; empty: none is believed
	Infer     bool              // find the group by the offsets where it is not told
}

// FlinkSourceRule is about the sources that it matches.
type FlinkSourceRule struct {
	Job, Operator, DynamicID func(string) bool // of the job's name, the operator's, a dynamic source's id of its Kafka cluster

	Group   string // empty: as if there were no rule
	Cluster string // of Kafka; empty: FlinkSources.Cluster
}

// Told is the Kafka cluster that a source reads and the group that it is told to commit to; empty: it is told none.
func (f *FlinkSources) Told(job *flink.Job, source *flink.Source) (kafkaCluster, group string) {
	g := f.of(job, source)
	return g.Cluster, g.Group
}

// of is the group that a source is told to have. Its Cluster is always told.
func (f *FlinkSources) of(job *flink.Job, source *flink.Source) sourceGroup {
	group := sourceGroup{groupKey: groupKey{Cluster: f.Cluster}}
	for i := range f.Rules {
		r := &f.Rules[i]
		if !r.Job(job.Name) || !r.Operator(source.Operator) || !r.DynamicID(source.KafkaCluster) {
			continue
		}
		if r.Cluster != "" {
			group.Cluster = r.Cluster
		}
		if r.Group != "" {
			group.Group, group.How = r.Group, groupConfigured
			return group
		}
		break
	}
	if name := job.Parameters[f.Parameter]; f.Parameter != "" && name != "" {
		group.Group, group.How = name, groupPublished
	}
	return group
}
