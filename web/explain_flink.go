package web

import (
	"fmt"
	"strings"
	"time"
)

// FlinkWord is what a source of a Flink job says of the partition, as the last scrape has compared it.
type FlinkWord struct {
	Cluster, Job, JobID string // Cluster is empty for the only one
	State               string // of the job, as Flink spells it; empty: not told
	Ended               bool   // or nobody tells of it any more: what follows was said last
	Operator            string
	How                 string // the group is known; empty: it is not

	Compared  time.Time
	Interface string
	Heard     time.Time // the earliest time at which it may have been so
	Fresh     bool      // what it says is of now

	Emitted, Committed int64 // negative: not set, or not Fresh
	Broker             int64 // -1: no commit; below: not read
	Agreement          string
	Replay, Skip       int64 // records; negative: not known
	Uncommitted        int64 // records; negative: not known
	Conditions         []string

	// Of the job, each zero or empty where it is not so, or is not told.
	Completed    time.Time // the last checkpoint
	Failed       time.Time // the last checkpoint that failed
	Failure      string    // what Flink says of it
	Restored     time.Time
	RestoredFrom string    // such as "savepoint 5"
	Stopped      time.Time // with a savepoint
}

// Of names the job and its source.
func (f *FlinkWord) Of() string { return flinkSource(f.Cluster, f.Job, f.Operator) }

// flinkSource names a source.
func flinkSource(cluster, job, operator string) string {
	of := name(job) + " / " + name(operator)
	if cluster != "" {
		of = name(cluster) + " / " + of
	}
	return of
}

// Offset is an offset of Flink's in words.
func (f *FlinkWord) Offset(n int64) string {
	switch {
	case n >= 0:
		return number(n)
	case f.Ended:
		return "none"
	case !f.Fresh:
		return "not known"
	}
	return "none yet"
}

// leftUncommitted says what a job that is over has left.
func leftUncommitted(records int64) string {
	return fmt.Sprintf("The job is over. It had emitted at least %s that the group has not committed.", count(records, "record"))
}

// Says is the comparison in a sentence.
func (f *FlinkWord) Says() string {
	switch {
	case f.How == "":
		return "It reads this partition, but which group it commits to is not told, and cannot be inferred from one look: flink.clusters[].sources can name it."
	case f.Ended && f.Uncommitted > 0:
		return leftUncommitted(f.Uncommitted)
	case f.Ended && f.Uncommitted == 0:
		return "The job is over. All that it is known to have emitted is committed."
	case f.Ended:
		return "The job is over. What it had not committed is not known."
	case !f.Fresh:
		return "What it said last is old, or of a task that does not run: nothing can be compared."
	case f.Skip > 0:
		return fmt.Sprintf("%s are committed that the job had not emitted: a start from the group's offsets would lose them.", leadingCount(f.Skip, "record"))
	}
	switch f.Agreement {
	case "match":
		return "Its committed offset is one that the group has or had." + f.again()
	case "pending":
		return "Its committed offset is not one that the group has or had, for no longer than waiting for a commit or its acknowledgement explains." + f.again()
	case "broker_ahead":
		return fmt.Sprintf("The group's committed offset has been %s above what Flink says, for longer than waiting explains.", count(f.Broker-f.Committed, "offset"))
	case "broker_behind":
		return fmt.Sprintf("The group's committed offset has been %s below what Flink says, for longer than waiting explains.", count(f.Committed-max(f.Broker, 0), "offset"))
	}
	if f.Committed < 0 {
		return "Since its task began, it has not learned of a commit." + f.again()
	}
	return "The group's commit is not known."
}

// again says what a start from the group's offsets would read again.
func (f *FlinkWord) again() string {
	switch {
	case f.Replay < 0:
		return ""
	case f.Replay == 0:
		return " A start from the group's offsets would read nothing again."
	}
	return fmt.Sprintf(" A start from the group's offsets would read %s again.", count(f.Replay, "record"))
}

// longestFailure is how much is shown of what Flink says of a failed checkpoint.
const longestFailure = 300

// History is what the job tells of its checkpoints, in sentences; empty: nothing.
func (f *FlinkWord) History(now time.Time) string {
	var told []string
	if !f.Restored.IsZero() {
		told = append(told, fmt.Sprintf("Restored from %s at %s.", f.RestoredFrom, stamp(f.Restored)))
	}
	if !f.Stopped.IsZero() {
		told = append(told, fmt.Sprintf("Stopped with a savepoint at %s.", stamp(f.Stopped)))
	}
	if !f.Completed.IsZero() && !f.Ended {
		told = append(told, fmt.Sprintf("Last checkpoint %s.", age(now, f.Completed)))
	}
	if f.Failed.After(f.Completed) {
		failure := fmt.Sprintf("A checkpoint failed at %s", stamp(f.Failed))
		if f.Failure != "" {
			failure += ": " + printable(f.Failure, longestFailure)
		}
		told = append(told, failure)
	}
	return strings.Join(told, " ")
}

// flink writes what Flink says, and why more is missing.
func (t *texter) flink(words []FlinkWord, unheard []string, now time.Time) {
	for _, why := range unheard {
		t.wrap("Flink: " + why)
	}
	for i := range words {
		f := &words[i]
		state := ""
		if f.State != "" {
			state = ", " + f.State
		}
		t.wrap(fmt.Sprintf("Flink: %s%s: emitted %s, committed %s (by %s, %s). %s",
			f.Of(), state, f.Offset(f.Emitted), f.Offset(f.Committed), f.Interface, age(now, f.Heard), f.Says()))
		if len(f.Conditions) > 0 {
			t.wrap("conditions: " + enumerate(f.Conditions))
		}
		if history := f.History(now); history != "" {
			t.wrap(history)
		}
	}
}

type flinkView struct {
	Cluster  string `json:"flink_cluster,omitempty"`
	Job      string `json:"job"`
	JobID    string `json:"job_id"`
	State    string `json:"state,omitempty"`
	Ended    bool   `json:"ended,omitempty"`
	Operator string `json:"operator"`
	How      string `json:"group_known_by,omitempty"`

	Compared  time.Time  `json:"compared_at"`
	Interface string     `json:"interface"`
	Heard     *time.Time `json:"heard_at,omitempty"`
	Emitted   *int64     `json:"emitted_offset,omitempty"`
	Committed *int64     `json:"committed_offset,omitempty"`

	Agreement   string   `json:"agreement,omitempty"`
	Replay      *int64   `json:"replay_records,omitempty"`
	Skip        *int64   `json:"skip_records,omitempty"`
	Uncommitted *int64   `json:"uncommitted_records,omitempty"`
	Conditions  []string `json:"conditions,omitempty"`
	History     string   `json:"history,omitempty"`
	Sentence    string   `json:"sentence"`
}

func (f *FlinkWord) view() flinkView {
	v := flinkView{
		Cluster: valid(f.Cluster), Job: valid(f.Job), JobID: f.JobID, State: f.State, Ended: f.Ended, Operator: valid(f.Operator), How: f.How,
		Compared: f.Compared.UTC(), Interface: f.Interface, Heard: moment(f.Heard),
		Emitted: when(f.Emitted >= 0, f.Emitted), Committed: when(f.Committed >= 0, f.Committed),
		Replay: when(f.Replay >= 0, f.Replay), Skip: when(f.Skip >= 0, f.Skip), Uncommitted: when(f.Uncommitted >= 0, f.Uncommitted),
		Conditions: f.Conditions, History: valid(f.History(f.Compared)), Sentence: f.Says(),
	}
	if !f.Ended && f.How != "" {
		v.Agreement = f.Agreement
	}
	return v
}
