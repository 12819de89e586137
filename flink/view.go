// Package flink reads what Flink jobs say of their Kafka sources: which offset each partition's source emitted last,
// which it believes to be committed, how its commits and checkpoints fare. It knows no Kafka client and no Prometheus
// registry, and compares nothing: a View is what was said, by whom, and when.
//
// There are three ways to hear it. REST (a JobManager's) knows jobs, checkpoints and vertices, but its metrics come from
// a dump that is made at most every metrics.fetcher.update-interval; it is polled on a clock of its own. The Prometheus
// reporter of each TaskManager is fresh at each request, but is silent once a task ends and spells names its own way.
// A Prometheus server that scrapes the reporters already has their samples, with their times.
package flink

import "time"

// Interface is a way to hear what a job says.
type Interface string

// The interfaces.
const (
	REST       Interface = "rest"
	Reporter   Interface = "reporter"
	Prometheus Interface = "prometheus"
)

// Unset is what Flink says where it has no offset yet: nothing emitted, nothing acknowledged as committed.
const Unset = -1

// View is what one Flink cluster's jobs said last. It is never changed once handed out.
type View struct {
	Cluster string // the configured name; empty: the only one
	Jobs    []Job  // by name, then start time, then id; jobs that ended stay for as long as configured

	// Reaches says of each interface how its last reading went, whether or not it told of any job.
	Reaches []Reach
}

// Reach is how the last reading of one interface went.
type Reach struct {
	Interface Interface
	Target    string    // the URL, without user information or query
	At        time.Time // when it ended; zero: none has yet
	Err       error     // nil: it answered, though single rows may be missing
	Skipped   int       // samples or ids that were there and could not be understood, in this reading
	Requests  int64     // since the start
}

// Job is one job, by its id: names and the ids of vertices and operators repeat in jobs of one program.
type Job struct {
	ID   string
	Name string // as REST spells it; as the reporter does ([a-zA-Z0-9:_]) where nothing else told

	// State is REST's word: RUNNING, FINISHED, CANCELED, FAILED and so on; empty: no REST tells.
	State   string
	Version string    // of Flink, by REST; empty: not told
	Started time.Time // zero: not told
	Ended   time.Time // zero: not ended, or not told

	// Told is when REST last told of the state, by our clock; zero: it has not.
	Told time.Time

	// Ahead is what the JobManager's clock is ahead of ours, as far as that is certain. Started, Ended and the times of
	// checkpoints are by that clock.
	Ahead time.Duration

	// Heard is when any interface last told of the job. A job that nobody tells of any more may have ended with its
	// cluster: its last values stay for as long as configured.
	Heard time.Time

	Checkpoints *Checkpoints      // nil: not told
	Parameters  map[string]string // the job's global parameters that it publishes (REST: user-config); nil: not asked or not told
	Sources     []Source          // Kafka sources: by vertex, operator, Kafka cluster

	Err error // why some rows of this job are missing
}

// Terminal says that the job's state is one that is never left.
func (j *Job) Terminal() bool { return TerminalState(j.State) }

// TerminalState says that a job never leaves the state.
func TerminalState(state string) bool {
	switch state {
	case "FINISHED", "CANCELED", "FAILED":
		return true
	}
	return false
}

// Checkpoints is what a job's coordinator says of its checkpoints.
type Checkpoints struct {
	At time.Time // when it said so, by our clock; zero: not told

	// Interval is how often one is triggered; 0: periodic checkpoints are off (REST says 2^63-1); -1: not told.
	Interval time.Duration

	// Since the job was started or restored; savepoints count. -1: not told.
	Completed, Failed int64

	LastCompleted time.Time // of checkpoint or savepoint, the later; zero: none, or not told
	LastFailed    time.Time // zero: none, or not told
	Failure       string    // the last failure's message; empty: none

	Restored *Restored // nil: the job began without one, or not told

	// StoppedWith is the savepoint that stopped the job (type SYNC_SAVEPOINT); zero: none.
	StoppedWith time.Time
}

// Restored is the checkpoint or savepoint that a job began from.
type Restored struct {
	ID        int64
	At        time.Time
	Savepoint bool
}

// Source is one Kafka source of a job; for a DynamicKafkaSource, one of its Kafka clusters.
type Source struct {
	Vertex   string // the id of its job vertex, which the reporter calls task_id
	Operator string // its name, cut at 80 characters, with all but ASCII letters, digits and _ made _

	KafkaCluster string // a dynamic source's id of the Kafka cluster, spelled so too but not cut; else empty
	Legacy       bool   // FlinkKafkaConsumer: its committed offsets are set when requested, not when acknowledged

	// ReadRecords is how many records the vertex read, said by REST once it FINISHED on Flink 2.x and final then; -1: not
	// told. What its subtasks say of Records is as old as the rest of their sample.
	ReadRecords int64

	// Samples has at most one of each interface, the one taken last first. Of a job that ended or fell silent it is
	// what was said last.
	Samples []Sample
}

// Sample is what a source said over one interface at one time.
type Sample struct {
	Interface Interface

	// Each value is from some moment of [After, Before]. A dump of REST may be older than the request that got it, and
	// one TaskManager's older than another's: After is the oldest's.
	After, Before time.Time

	// Running says that the source's vertex was RUNNING over the whole of that time, as far as the interface knows. The
	// values of one that was not are an ended attempt's, or not set yet.
	Running bool

	Subtasks   []Subtask   // by index; those that were heard
	Silent     int         // how many more were heard over this interface within the last two minutes, and not now
	Partitions []Partition // by topic, then partition
}

// Subtask is one parallel instance of a source.
type Subtask struct {
	Index   int32
	Attempt int64 // the attempt's number, or what else tells attempts apart; equal in samples of one attempt; -1: not told

	Succeeded, Failed int64 // commit requests since the attempt began; -1: not told
	Records           int64 // that it has read since the attempt began (numRecordsIn); -1: not told, as by all but REST

	// Shares of its time, 0 to 1; -1: not told.
	Busy, Backpressured, Idle float64
}

// Partition is what a source says of one partition that it reads.
type Partition struct {
	Topic     string // as the interface spells it; see TopicNames
	Partition int32
	Subtask   int32 // the index of the instance that reads it

	Emitted   int64 // currentOffset: the last record handed on, so that the next is one more; Unset: none in this attempt
	Committed int64 // committedOffset: the next offset to read, as acknowledged; Unset: none in this attempt

	// Of what a listener has told: an offset that is Unset is not there at all.
	noEmitted, noCommitted bool
}
