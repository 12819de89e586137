package collector

import (
	"time"

	"truelag/flink"
)

// FlinkSaid is what a source of a Flink job has said of one partition, and what came of comparing it, in the last scrape
// that could.
type FlinkSaid struct {
	FlinkCluster string // its name; empty: the only one
	Job          string // its name, which several may share
	JobID        string
	State        string // as REST spells it; empty: not told, or too long ago
	Ended        bool   // or nobody tells of it any more: Emitted and Committed are the last that were heard
	Operator     string
	How          string // the group is known: configured, published, inferred; empty: it is not

	At        time.Time // when it was compared
	Interface flink.Interface
	After     time.Time // the earliest time at which it may have been so
	Fresh     bool      // Emitted and Committed are of now

	Emitted, Committed int64 // negative: unset
	Broker             int64 // the group's commit; -1: none; below: not read
	Agreement          Agreement
	Replay, Skip       int64 // records; negative: not known
	Uncommitted        int64 // records that were emitted and are not committed; negative: not known
	Conditions         []Condition

	Checkpoints *flink.Checkpoints // of the job; nil: not told
}

// Said is what any source that commits to a group said last of a partition.
func (f *Flink) Said(kafkaCluster, group, topic string, partition int32) []FlinkSaid {
	return f.saidBy(func(g sourceGroup) bool { return g.How != "" && g.Group == group }, kafkaCluster, topic, partition)
}

// Unattributed is what any source whose group is not known said last of a partition.
func (f *Flink) Unattributed(kafkaCluster, topic string, partition int32) []FlinkSaid {
	return f.saidBy(func(g sourceGroup) bool { return g.How == "" }, kafkaCluster, topic, partition)
}

func (f *Flink) saidBy(sources func(sourceGroup) bool, kafkaCluster, topic string, partition int32) []FlinkSaid {
	var all []FlinkSaid
	for _, c := range f.kafka.clusters {
		p := c.last.Load()
		if c.name != kafkaCluster || p == nil {
			continue
		}
		for _, found := range p.found {
			if !sources(found.group) {
				continue
			}
			for i := range found.partitions {
				if at := &found.partitions[i]; at.Topic == topic && at.Partition == partition {
					all = append(all, p.said(found, at))
				}
			}
		}
	}
	return all
}

func (p *comparisonPass) said(f *finding, c *comparedPartition) FlinkSaid {
	return FlinkSaid{
		FlinkCluster: f.flinkCluster, Job: f.job.Name, JobID: f.job.ID, State: stateOf(f.job, p.reading.At), Ended: !f.live, Operator: f.source.Operator,
		How: string(f.group.How), At: p.reading.At, Interface: c.heard.Interface, After: c.heard.After, Fresh: c.trusted && f.live,
		Emitted: c.emitted, Committed: c.committed, Broker: c.broker, Agreement: c.judgement.Agreement,
		Replay: c.replay(), Skip: c.skip(), Uncommitted: c.counted[askUncommitted], Conditions: f.conditions, Checkpoints: f.job.Checkpoints,
	}
}
