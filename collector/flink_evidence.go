package collector

import (
	"time"

	"truelag/flink"
)

// What evidence says where there is no number.
const (
	notTold    = -1 // nobody has said
	noCommit   = -1 // of a commit: the group has none
	notRead    = -2 // of a commit: it could not be read
	notCounted = -1 // of records: unknown, or there was nothing to count
)

// sourceEvidence is what Flink, and then the broker, say of one source of a job and of its group. What is not known is said
// to be so, and nothing follows from it.
type sourceEvidence struct {
	At time.Time // when the broker was read

	State   string    // the job's, in REST's words; empty: not told
	Started time.Time // zero: not told
	Running *bool     // the source's vertex was RUNNING when it was heard; nil: not told

	Interval          time.Duration // between checkpoints; 0: they are off; notTold
	Completed, Failed int64         // checkpoints since the job was started or restored; notTold
	LastCompleted     time.Time     // zero: none, or not told
	Restored          time.Time     // when the job was restored from a checkpoint or savepoint; zero: it was not, or not told
	Ahead             time.Duration // what the JobManager's clock is ahead of ours; Started, LastCompleted and Restored are by it

	HeardBy  time.Time // the latest such time; zero: Heard
	Heard    time.Time // the earliest time at which the source may have said what follows; zero: nothing was heard of it
	Subtasks []subtaskEvidence

	Members    int // of the group; notTold
	Partitions []partitionEvidence
}

// subtaskEvidence is one instance of a source.
type subtaskEvidence struct {
	Index             int32
	Attempt           int64 // notTold
	Succeeded, Failed int64 // commits; notTold
}

// partitionEvidence is one partition of a source. Records are those that a consumer of the group's isolation is handed.
type partitionEvidence struct {
	partitionKey
	Subtask int32

	Emitted, Committed int64 // Flink's currentOffset and committedOffset; negative: unset

	Broker      int64     // the group's commit; noCommit, notRead
	LeaderEpoch int32     // of the commit; negative: none, as Flink's own
	Rewound     time.Time // when a commit was last seen to be lower than the one before it; zero: never, or not known
	Agreement   Agreement

	LogStart, LastStable, HighWatermark int64 // notTold

	Uncommitted int64 // records from the commit to behind the emitted offset; notCounted
	Tail        int64 // records from the commit, or the log's start without one, to the last stable offset; notCounted
	Unread      int64 // records from behind the emitted offset to the last stable offset; notCounted
	PastEmitted int64 // records from behind the emitted offset to Committed; notCounted
	PastMetric  int64 // records from Committed to the commit; notCounted
	Skipped     int64 // records of Judgement.Skip; notCounted
}

// ended says that the job is in a state that it never leaves.
func (e *sourceEvidence) ended() bool { return flink.TerminalState(e.State) }

// down says that the job is said to run while its source is known not to.
func (e *sourceEvidence) down() bool {
	return e.State == "RESTARTING" || e.State == "RUNNING" && e.Running != nil && !*e.Running
}

// restored is when the job was restored, by our clock. Restored itself tells one such time from another.
func (e *sourceEvidence) restored() time.Time {
	if e.Restored.IsZero() {
		return e.Restored
	}
	return e.Restored.Add(-e.Ahead)
}
