package collector

import (
	"fmt"
	"time"

	"truelag/flink"
)

// FlinkReview is what the last pass over each Kafka cluster has found about Flink sources.
type FlinkReview struct {
	At       time.Time // of the oldest of them; zero: none yet
	Sources  int       // that were compared
	Troubled []FlinkTrouble
	Unheard  []string // which interfaces did not answer at their last reading, and why
}

// FlinkTrouble is a source that somebody should look at.
type FlinkTrouble struct {
	FlinkCluster, Job, Operator string // FlinkCluster is empty for the only one
	KafkaCluster, Group         string
	How                         string // Group is known; empty: it is not
	Ended                       bool   // the job is over

	Topic     string // of the partition where most is to be seen; empty: the source reads none
	Partition int32

	Skip          int64 // records on all partitions
	Ahead, Behind int   // partitions where the broker is, with records in between
	Uncommitted   int64 // records that a job that is over had emitted and the group has not committed
	Conditions    []Condition
}

// Review sums up what was found about the sources that are compared, and tells of those with a skip, a lasting disagreement
// or a condition that is a fault.
func (f *Flink) Review() FlinkReview {
	var r FlinkReview
	for _, c := range f.kafka.clusters {
		p := c.last.Load()
		if p == nil {
			continue
		}
		if r.At.IsZero() || p.reading.At.Before(r.At) {
			r.At = p.reading.At
		}
		r.Sources += len(p.found)
		for _, found := range p.found {
			if t := found.trouble(c.name); t != nil {
				r.Troubled = append(r.Troubled, *t)
			}
		}
	}
	for _, v := range f.sampler.latest() {
		r.Unheard = append(r.Unheard, deaf(v)...)
	}
	return r
}

// deaf says which interfaces of a cluster have not answered.
func deaf(v *flink.View) (why []string) {
	if v == nil {
		return nil
	}
	for _, r := range v.Reaches {
		if r.Err != nil {
			why = append(why, fmt.Sprintf("%s %s: %s", r.Interface, r.Target, r.Err))
		}
	}
	return why
}

// trouble is what is wrong with a source; nil: nothing.
func (f *finding) trouble(kafkaCluster string) *FlinkTrouble {
	t := &FlinkTrouble{
		FlinkCluster: f.flinkCluster, Job: f.job.Name, Operator: f.source.Operator,
		KafkaCluster: kafkaCluster, Group: f.group.Group, How: string(f.group.How), Ended: !f.live,
	}
	for _, c := range f.conditions {
		if c.Fault() {
			t.Conditions = append(t.Conditions, c)
		}
	}
	worst := partitionTrouble{}
	for i := range f.partitions {
		c := &f.partitions[i]
		of := c.trouble(f.live)
		t.Skip += of.skip
		t.Ahead += of.ahead
		t.Behind += of.behind
		t.Uncommitted += of.uncommitted
		if i == 0 || of.worseThan(worst) {
			worst, t.Topic, t.Partition = of, c.Topic, c.Partition
		}
	}
	if t.Skip == 0 && t.Ahead == 0 && t.Behind == 0 && len(t.Conditions) == 0 {
		return nil
	}
	return t
}

// partitionTrouble is what is wrong with one partition of a source.
type partitionTrouble struct {
	skip, uncommitted int64
	ahead, behind     int // 0 or 1
}

func (c *comparedPartition) trouble(live bool) (t partitionTrouble) {
	if !live {
		t.uncommitted = max(c.counted[askUncommitted], 0)
		return t
	}
	switch {
	case c.judgement.Agreement == BrokerBehind:
		t.behind = 1
	case c.judgement.Agreement == BrokerAhead && c.counted[askPastMetric] != 0: // else the broker's is the same place
		t.ahead = 1
	}
	t.skip = max(c.skip(), 0)
	return t
}

func (t partitionTrouble) worseThan(o partitionTrouble) bool {
	switch {
	case t.skip != o.skip:
		return t.skip > o.skip
	case t.ahead+t.behind != o.ahead+o.behind:
		return t.ahead+t.behind > o.ahead+o.behind
	}
	return t.uncommitted > o.uncommitted
}
