package collector

import "regexp"

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

// groupRules are what the configuration says of the groups of sources.
type groupRules struct {
	Rules []groupRule // the first that matches counts

	// Parameter is the name of a job's published parameter whose value is the group of its sources; empty: none is believed.
	// The group is of Cluster.
	Parameter, Cluster string
}

// groupRule names the group of the sources that it matches. The configuration anchors its expressions; nil matches all.
type groupRule struct {
	Job, Operator *regexp.Regexp
	KafkaCluster  string // of a dynamic source: its id, as Flink spells it; empty: any
	groupKey
}

// of is the group that a source is told to have, or none.
func (r *groupRules) of(job, operator, kafkaCluster string, parameters map[string]string) sourceGroup {
	for i := range r.Rules {
		if rule := &r.Rules[i]; rule.matches(job, operator, kafkaCluster) {
			return sourceGroup{rule.groupKey, groupConfigured}
		}
	}
	if group := parameters[r.Parameter]; r.Parameter != "" && group != "" {
		return sourceGroup{groupKey{r.Cluster, group}, groupPublished}
	}
	return sourceGroup{}
}

func (r *groupRule) matches(job, operator, kafkaCluster string) bool {
	return (r.Job == nil || r.Job.MatchString(job)) && (r.Operator == nil || r.Operator.MatchString(operator)) &&
		(r.KafkaCluster == "" || r.KafkaCluster == kafkaCluster)
}
