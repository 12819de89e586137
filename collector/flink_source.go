package collector

import (
	"slices"
	"time"
)

// sourceWatch turns what is said of a source over time into conditions. The zero value has seen nothing.
type sourceWatch struct {
	checkpoints checkpointWatch
	subtasks    map[int32]*subtaskWatch
	partitions  map[partitionKey]*partitionWatch
	fixed       bool // the connector is proved to commit past markers

	heard   time.Time    // when the newest of what Flink says was so, at the earliest
	heardBy time.Time    // at the latest
	said    conditionSet // what followed from it
}

// observe takes evidence, not earlier than what was taken before.
func (w *sourceWatch) observe(e *sourceEvidence) conditionSet {
	var set conditionSet
	if e.ended() {
		set.put(EndedUncommitted, slices.ContainsFunc(e.Partitions, func(p partitionEvidence) bool {
			return p.Broker != notRead && p.Uncommitted > 0
		}))
		return set
	}
	set.put(SourceDown, e.down())
	set.put(MemberInGroup, e.Members > 0)
	set.put(CheckpointsOff, e.Interval == 0)
	set.put(CheckpointsFailing, w.checkpoints.observe(e))
	switch {
	case e.Heard.IsZero() || e.down() || e.Heard.Before(e.restored()): // what an attempt said that is over
		w.said = 0
	case !w.older(e):
		w.heard, w.heardBy, w.said = e.Heard, e.HeardBy, w.listen(e)
	}
	return set | w.said
}

// older says that this is an older answer of another interface, which would look like a new attempt.
func (w *sourceWatch) older(e *sourceEvidence) bool {
	return e.Heard.Before(w.heard) || e.Heard.Before(w.heardBy) && slices.ContainsFunc(e.Subtasks, func(s subtaskEvidence) bool {
		sub := w.subtasks[s.Index]
		return sub != nil && s.Attempt == sub.last.Attempt && s.Succeeded >= 0 && s.Succeeded < sub.last.Succeeded
	})
}

func (w *sourceWatch) listen(e *sourceEvidence) conditionSet {
	if w.subtasks == nil {
		w.subtasks, w.partitions = map[int32]*subtaskWatch{}, map[partitionKey]*partitionWatch{}
	}
	var set conditionSet
	w.observeSubtasks(e, &set)
	for i := range e.Partitions {
		w.observePartition(e, &e.Partitions[i], &set)
	}
	foreign, since := 0, e.At.Add(-w.window())
	for _, p := range w.partitions {
		foreign = max(foreign, p.foreignSince(since))
	}
	set.put(OffsetsReset, foreign == 1)
	set.put(AnotherWriter, foreign > 1)
	return set
}

func (w *sourceWatch) observeSubtasks(e *sourceEvidence, set *conditionSet) {
	for _, s := range e.Subtasks {
		sub := w.subtasks[s.Index]
		if sub == nil {
			sub = &subtaskWatch{}
			w.subtasks[s.Index] = sub
		}
		sub.observe(e, &s)
	}
	silent := w.silent(e)
	for _, s := range e.Subtasks {
		sub := w.subtasks[s.Index]
		set.put(CommitsFailing, sub.failing)
		waits, lasts := sub.overdue(e.At)
		set.put(CommitsWaiting, waits && !lasts && !sub.failing)
		set.put(CommitsOff, lasts && silent)
		set.put(NotCommitting, lasts && !silent)
	}
}

// silent says that no instance has ever asked for a commit: none was acknowledged, none refused.
func (w *sourceWatch) silent(e *sourceEvidence) bool {
	for _, s := range w.subtasks {
		if s.spoke {
			return false
		}
	}
	return !slices.ContainsFunc(e.Partitions, func(p partitionEvidence) bool { return p.Committed >= 0 })
}

func (w *sourceWatch) observePartition(e *sourceEvidence, p *partitionEvidence, set *conditionSet) {
	sub := w.subtasks[p.Subtask]
	if sub == nil {
		sub = &subtaskWatch{patience: newPatience(e.At)}
		w.subtasks[p.Subtask] = sub
	}
	watch := w.partitions[p.partitionKey]
	if watch == nil {
		watch = newPartitionWatch()
		w.partitions[p.partitionKey] = watch
	}
	w.fixed = w.fixed || p.Emitted >= 0 && p.Committed > next(p.Emitted) && p.PastEmitted == 0
	watch.observe(e, p, sub, set)
}

// window is for how long a commit of somebody else is remembered.
func (w *sourceWatch) window() time.Duration {
	longest := 5 * leastPatience
	for _, s := range w.subtasks {
		longest = max(longest, s.patience.span())
	}
	return longest
}

// checkpointWatch follows the checkpoints of a job.
type checkpointWatch struct {
	begun             bool
	completed, failed int64
	failing           bool
}

// observe says that checkpoints fail, or take too long.
func (w *checkpointWatch) observe(e *sourceEvidence) bool {
	if w.begun && e.Completed >= 0 && e.Failed >= 0 {
		switch {
		case e.Completed < w.completed || e.Failed < w.failed: // the counts began anew
			w.failing = false
		case e.Failed > w.failed:
			w.failing = e.Completed == w.completed || w.failing
		case e.Completed > w.completed:
			w.failing = false
		}
	}
	if e.Completed < 0 || e.Failed < 0 {
		return false
	}
	w.begun, w.completed, w.failed = true, e.Completed, e.Failed
	return e.Interval != 0 && (w.failing || w.late(e))
}

// late says that no checkpoint has completed for three intervals.
func (w *checkpointWatch) late(e *sourceEvidence) bool {
	since := e.LastCompleted
	for _, t := range []time.Time{e.Started, e.Restored} {
		if t.After(since) {
			since = t
		}
	}
	if e.State != "RUNNING" || e.Interval <= 0 || since.IsZero() || e.LastCompleted.IsZero() && e.Completed != 0 {
		return false
	}
	return e.At.Add(e.Ahead).Sub(since) > max(3*e.Interval, leastPatience)
}
