package collector

import (
	"time"

	"truelag/flink"
	"truelag/kafka"
)

// finding is what a pass has found out about one source.
type finding struct {
	sourceKey
	label  string // of the Kafka cluster, rendered
	job    *flink.Job
	source *flink.Source
	live   bool // the job may go on
	infers bool // the group is not told, and may be inferred

	group      sourceGroup
	unmatched  [unmatchedReasons]int
	partitions []comparedPartition
	conditions []Condition
	fixed      bool
}

// purpose is what a question about the offsets of a partition is asked for.
type purpose uint8

const (
	askUncommitted purpose = iota // from the commit to behind the emitted offset
	askTail                       // from the commit, or the log's start, to the last stable offset
	askUnread                     // from behind the emitted offset to the last stable offset
	askPastEmitted                // from behind the emitted offset to the one that Flink says is committed
	askPastMetric                 // from the one that Flink says is committed to the commit
	askSkip                       // Judgement.Skip
	askBeyond                     // of a job that is over: from behind the emitted offset to the commit

	purposes
)

// comparedPartition is what a pass has found out about a partition of a source.
type comparedPartition struct {
	partitionKey
	topic   *kafka.Topic
	subtask int32
	heard   *flink.Sample // in which it was

	trusted            bool  // what Flink says is of now
	emitted, committed int64 // of Flink; negative: unset
	broker             int64 // the group's commit; noCommit, notRead
	epoch              int32 // of the commit
	logStart, lso, hw  int64 // notTold

	judgement Judgement
	rewound   time.Time

	questions [purposes]int   // in the pass' questions; -1: not asked
	counted   [purposes]int64 // records; notCounted
}

func newComparedPartition(h *heardPartition, p *comparisonPass, f *finding) comparedPartition {
	row := comparedPartition{
		partitionKey: h.partitionKey, topic: p.reading.Topic(h.Topic), subtask: h.said.Subtask, heard: h.sample,
		trusted: current(h.sample, p.reading.At), emitted: flink.Unset, committed: flink.Unset,
		broker: notRead, epoch: -1, logStart: notTold, lso: notTold, hw: notTold,
	}
	for i := range row.questions {
		row.questions[i], row.counted[i] = -1, notCounted
	}
	if row.trusted || !f.live { // the values of a job that is over are its last ones
		row.emitted, row.committed = h.said.Emitted, h.said.Committed
	}
	if n := int(row.Partition); row.topic.Err == nil && n < len(row.topic.Partitions) && row.topic.Partitions[n].Err == nil {
		end := &row.topic.Partitions[n]
		row.logStart, row.lso, row.hw = end.LogStart, end.LastStable, end.HighWatermark
	}
	return row
}

// farthest is how many offsets are looked at to learn whether there is any record at all among them. A stretch below all
// commits is read for that alone, from the budget that lags share.
const farthest = 1 << 20

// ask asks for the records between the offsets that are known. Where the source began is not: without a commit, first is
// the lowest offset that it was heard to have emitted. Of a job that is over only what it left counts: the log goes on.
func (c *comparedPartition) ask(p *comparisonPass, f *finding, first int64) {
	group, uncommitted := f.group.Group, c.broker
	if c.broker == noCommit && !f.live {
		uncommitted = first
	}
	if c.emitted >= 0 && uncommitted >= 0 {
		c.asks(p, askUncommitted, group, uncommitted, next(c.emitted))
	}
	if f.live {
		c.askNow(p, group)
		return
	}
	left := f.left(c.heard)
	switch {
	case left == 0 || c.emitted < 0 || c.broker < 0:
	case c.broker-next(c.emitted) > max(farthest, 4*min(left, 1<<40)): // all of it is among so many
		c.counted[askBeyond] = left
	default:
		c.asks(p, askBeyond, group, next(c.emitted), c.broker)
	}
}

// askNow asks what is to be known of a job that goes on.
func (c *comparedPartition) askNow(p *comparisonPass, group string) {
	tail := c.broker
	if c.broker == noCommit && c.emitted < 0 && c.lso-c.logStart <= farthest {
		tail = c.logStart
	}
	if tail >= 0 && c.lso >= 0 {
		c.asks(p, askTail, group, tail, c.lso)
	}
	if c.emitted >= 0 && c.lso >= 0 {
		c.asks(p, askUnread, group, next(c.emitted), c.lso)
	}
	if c.emitted >= 0 && c.committed >= 0 {
		c.asks(p, askPastEmitted, group, next(c.emitted), c.committed)
	}
	if c.judgement.Agreement == BrokerAhead && c.broker-c.committed <= farthest {
		c.asks(p, askPastMetric, group, c.committed, c.broker)
	}
	if skip := c.judgement.Skip; skip.Known {
		c.asks(p, askSkip, group, skip.From, skip.To)
	}
}

func (c *comparedPartition) asks(p *comparisonPass, what purpose, group string, from, to int64) {
	if from >= to {
		c.counted[what] = 0
		return
	}
	c.questions[what] = len(p.questions)
	p.questions = append(p.questions, kafka.Question{
		Group: group, Topic: c.Topic, Partition: c.Partition, From: from, To: to, ID: c.topic.ID,
	})
}

// answer takes what the partitions' questions were answered.
func (f *finding) answer(answers []kafka.Answer) {
	for i := range f.partitions {
		c := &f.partitions[i]
		for what, q := range c.questions {
			if q >= 0 && q < len(answers) && answers[q].Err == nil {
				c.counted[what] = answers[q].Records()
			}
		}
	}
}

// left is how many records the source has read after it was heard to say so last, where a finished vertex tells it; else 0.
func (f *finding) left(heard *flink.Sample) int64 {
	read := sumOf(heard.Subtasks, func(s *flink.Subtask) int64 { return s.Records })
	if f.live || f.source.ReadRecords < 0 || read < 0 || heard.Interface != flink.REST {
		return 0
	}
	return max(f.source.ReadRecords-read, 0)
}

// replay is how many records a start from the group's offsets would read again; notCounted: not known.
func (c *comparedPartition) replay() int64 {
	if !c.judgement.Replay.Known {
		return notCounted
	}
	return c.counted[askUncommitted]
}

// skip is how many records it would leave out; notCounted: not known.
func (c *comparedPartition) skip() int64 {
	if !c.judgement.Skip.Known {
		return notCounted
	}
	return c.counted[askSkip]
}

// unheard is how many records of one topic the source has emitted after what it was heard to say last, and nobody has
// committed: a finished vertex says how many it has read in all. 0 where it does not, or the topic cannot be told.
func (f *finding) unheard() int64 {
	if len(f.partitions) == 0 {
		return 0
	}
	topic, left := f.partitions[0].Topic, f.left(f.partitions[0].heard)
	var beyond int64
	for i := range f.partitions {
		c := &f.partitions[i]
		if c.Topic != topic || c.heard.Interface != flink.REST {
			return 0
		}
		beyond += max(c.counted[askBeyond], 0)
	}
	return max(left-beyond, 0)
}

// evidence is what there is to draw conclusions from.
func (f *finding) evidence(p *comparisonPass) *sourceEvidence {
	e := &sourceEvidence{
		At: p.reading.CommitsTold, State: stateOf(f.job, p.reading.At), Started: f.job.Started, Ahead: f.job.Ahead,
		Interval: notTold, Completed: notTold, Failed: notTold, Members: notTold,
	}
	if !f.live && !f.job.Terminal() {
		e.State = "FINISHED" // or whatever else: nobody tells of it any more
	}
	if c := f.job.Checkpoints; c != nil {
		e.Interval = c.Interval
		if !silent(c.At, p.reading.At) {
			e.Completed, e.Failed, e.LastCompleted = c.Completed, c.Failed, c.LastCompleted
		}
		if c.Restored != nil {
			e.Restored = c.Restored.At
		}
	}
	if g := p.reading.Group(f.group.Group); f.group.How != "" && g != nil && g.DescribeErr == nil {
		e.Members = g.Members
	}
	if len(f.source.Samples) > 0 {
		latest := &f.source.Samples[0]
		e.Running = &latest.Running
		if current(latest, p.reading.At) {
			e.Heard, e.HeardBy = latest.After, latest.Before
			for i := range latest.Subtasks {
				s := &latest.Subtasks[i]
				e.Subtasks = append(e.Subtasks, subtaskEvidence{Index: s.Index, Attempt: s.Attempt, Succeeded: s.Succeeded, Failed: s.Failed})
			}
		}
	}
	for i := range f.partitions {
		if c := &f.partitions[i]; c.trusted || !f.live {
			e.Partitions = append(e.Partitions, c.evidence())
		}
	}
	return e
}

func (c *comparedPartition) evidence() partitionEvidence {
	return partitionEvidence{
		partitionKey: c.partitionKey, Subtask: c.subtask, Emitted: c.emitted, Committed: c.committed,
		Broker: c.broker, LeaderEpoch: c.epoch, Rewound: c.rewound, Agreement: c.judgement.Agreement,
		LogStart: c.logStart, LastStable: c.lso, HighWatermark: c.hw,
		Uncommitted: c.counted[askUncommitted], Tail: c.counted[askTail], Unread: c.counted[askUnread],
		PastEmitted: c.counted[askPastEmitted], PastMetric: c.counted[askPastMetric], Skipped: c.counted[askSkip],
	}
}

// over says that a job has ended, or that nobody has told of it for a while.
func over(job *flink.Job, now time.Time) bool {
	return job.Terminal() || !job.Ended.IsZero() || silent(job.Heard, now)
}

// silent says that what was told at a time is too old to be of now.
func silent(told, now time.Time) bool { return !told.IsZero() && now.Sub(told) > staleAfter }

// stateOf is the job's state as far as somebody tells it now, or it is never left.
func stateOf(job *flink.Job, now time.Time) string {
	if silent(job.Told, now) && !job.Terminal() {
		return ""
	}
	return job.State
}
