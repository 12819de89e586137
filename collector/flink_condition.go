package collector

import "slices"

// Condition is something about the commits of a Flink source that shows from outside. docs/flink-conditions.md says what each
// means and what to do; several may hold at once.
type Condition uint8

// The conditions.
const (
	// CommitsWaiting: records are emitted and checkpoints complete, but no commit follows, for no longer than a poll of the
	// source may take.
	CommitsWaiting Condition = iota
	// NotCommitting: the same for longer than that, whether or not commits are refused.
	NotCommitting
	// CommitsFailing: the last commits were refused or not answered.
	CommitsFailing
	// CommitsOff: in this job no commit was ever asked for, though checkpoints complete.
	CommitsOff
	// AutoCommit: checkpoints are off, and the Kafka consumer commits its own position instead.
	AutoCommit
	// CheckpointsOff: the job has no periodic checkpoints, so Flink commits nothing.
	CheckpointsOff
	// CheckpointsFailing: the last checkpoint failed, or none has completed for three intervals.
	CheckpointsFailing
	// AnotherWriter: somebody else commits to the group again and again.
	AnotherWriter
	// OffsetsReset: somebody else has moved the group's offsets once.
	OffsetsReset
	// OffsetsGone: the group had commits where it has none now, though the source has acknowledged one.
	OffsetsGone
	// MemberInGroup: the group has members; Flink never is one, and the broker refuses its commits meanwhile.
	MemberInGroup
	// RestoredOlder: the job began from a state that is older than what the group had committed.
	RestoredOlder
	// EndedUncommitted: the job has ended and had emitted records that were never committed.
	EndedUncommitted
	// MarkersUncommitted: the source commits again and again an offset behind which there are markers and aborted records
	// alone. FLINK-33484 is not fixed in its connector.
	MarkersUncommitted
	// MetricBelowCommit: the source says a lower offset than the broker has, and only markers lie between: it says what it
	// asked for and not what was committed.
	MetricBelowCommit
	// NothingEmitted: nothing was emitted in this attempt, and there is no record that could have been.
	NothingEmitted
	// HeldBack: an open transaction has kept the source from reading on for long.
	HeldBack
	// OutsideLog: a commit lies beyond the log's end or below its start.
	OutsideLog
	// SourceDown: the job is said to run, and its source is not.
	SourceDown

	conditions
)

var conditionNames = [conditions]string{
	"commits_waiting", "not_committing", "commits_failing", "commits_off", "auto_commit", "checkpoints_off", "checkpoints_failing",
	"another_writer", "offsets_reset", "offsets_gone", "member_in_group", "restored_older", "ended_uncommitted",
	"markers_uncommitted", "metric_below_commit", "nothing_emitted", "held_back", "outside_log", "source_down",
}

func (c Condition) String() string { return conditionNames[c] }

// Fault says that something is to be done about the condition: that the job's commits do not come, or cannot be relied on, or
// that its source does not read. The others pass by themselves, or leave nothing wrong.
func (c Condition) Fault() bool {
	passing := []Condition{CommitsWaiting, OffsetsReset, RestoredOlder, MarkersUncommitted, MetricBelowCommit, NothingEmitted}
	return !slices.Contains(passing, c)
}

// Conditions lists every condition in the order of their values.
func Conditions() []Condition {
	all := make([]Condition, conditions)
	for i := range all {
		all[i] = Condition(i)
	}
	return all
}

// conditionSet is a set of conditions.
type conditionSet uint32

func (s conditionSet) has(c Condition) bool { return s&(1<<c) != 0 }

func (s *conditionSet) put(c Condition, holds bool) {
	if holds {
		*s |= 1 << c
	}
}

// list is the set in the order of Conditions.
func (s conditionSet) list() []Condition {
	var all []Condition
	for _, c := range Conditions() {
		if s.has(c) {
			all = append(all, c)
		}
	}
	return all
}
