package collector

import (
	"slices"
	"time"

	"truelag/exposition"
	"truelag/flink"
)

// flinkSource is a source of a job and whose commits it makes.
type flinkSource struct {
	compared bool // group and how mean something
	group    groupKey
	how      groupOrigin
	label    string // of the Kafka cluster, rendered

	succeeded, failed         int64   // commit requests; negative: not told
	busy, backpressured, idle float64 // shares of the subtasks' time; negative: not told
}

func flinkSourceFamilies() []exposition.Family[flinkSource] {
	labels := []string{"job", "operator"}
	count := func(result string, n func(*flinkSource) int64) exposition.Series[flinkSource] {
		return exposition.Series[flinkSource]{
			Extra: exposition.Label("result", result),
			Value: func(s *flinkSource) (float64, bool) { return float64(n(s)), n(s) >= 0 },
		}
	}
	share := func(state string, of func(*flinkSource) float64) exposition.Series[flinkSource] {
		return exposition.Series[flinkSource]{
			Extra: exposition.Label("state", state),
			Value: func(s *flinkSource) (float64, bool) { return of(s), of(s) >= 0 },
		}
	}
	return []exposition.Family[flinkSource]{
		{
			Desc: exposition.Desc{Name: "truelag_flink_source_info", Type: exposition.Gauge, Labels: append(labels, "group", "how"),
				Help: "1 for each Kafka source of a Flink job, with the consumer group whose offsets it commits and how that is known: configured (by a rule of the exporter's configuration), published (by a parameter of the job), inferred (the group has committed what the source says was acknowledged, over several rounds, and no other group has). Group and how are empty while it is not known, or two groups are equally likely: nothing is compared then. Absent when no pass over the Kafka cluster was possible in this scrape."},
			Series: []exposition.Series[flinkSource]{{
				ExtraOf: func(s *flinkSource) string {
					return exposition.Label("group", s.group.Group) + "," + exposition.Label("how", string(s.how))
				},
				Value: func(s *flinkSource) (float64, bool) { return 1, s.compared },
			}},
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_commits_total", Type: exposition.Counter, Labels: append(labels, "result"),
				Help: "Commit requests of a Flink source whose answer it has seen, by result: succeeded (commitsSucceeded), failed (commitsFailed), summed over its subtasks. One a checkpoint and subtask; it begins at 0 with each start of its tasks. Absent when it is not told, or not of every subtask."},
			Series: []exposition.Series[flinkSource]{
				count("succeeded", func(s *flinkSource) int64 { return s.succeeded }),
				count("failed", func(s *flinkSource) int64 { return s.failed }),
			},
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_source_time_ratio", Type: exposition.Gauge, Labels: append(labels, "state"),
				Help: "Share of its time, 0 to 1, that the task of a Flink source was busy, backpressured or idle during the last moments (busyTimeMsPerSecond and its like), as a mean of its subtasks. A slow operator chained to the source makes it busy, one behind a network shuffle makes it backpressured. Absent when it is not told, and when the task does not run or was not heard for two minutes."},
			Series: []exposition.Series[flinkSource]{
				share("busy", func(s *flinkSource) float64 { return s.busy }),
				share("backpressured", func(s *flinkSource) float64 { return s.backpressured }),
				share("idle", func(s *flinkSource) float64 { return s.idle }),
			},
		},
	}
}

func flinkSampleFamilies() []exposition.Family[time.Duration] {
	return []exposition.Family[time.Duration]{{
		Desc: exposition.Desc{Name: "truelag_flink_sample_age_seconds", Type: exposition.Gauge, Labels: []string{"job", "interface"},
			Help: "Age in seconds of the oldest of what an interface has last said of the job's sources, at the time of this scrape; an upper bound where the interface does not say when it looked. Answers of the REST API come from a dump that Flink renews at most every metrics.fetcher.update-interval (10 s by default). Absent while it has said nothing, and once the job has ended."},
		Series: single(func(age *time.Duration) (float64, bool) { return age.Seconds(), true }),
	}}
}

// flinkJob is a job as a whole.
type flinkJob struct {
	flink.Job
	owned      bool // by the shard; else the job's own facts are for another one to tell
	live       bool
	compared   bool                  // what follows means something
	unmatched  [unmatchedReasons]int // topics of its sources
	conditions []Condition
	fixed      bool
}

// flinkStates are Flink's job states, as its JobStatus spells them.
var flinkStates = []string{
	"INITIALIZING", "CREATED", "RUNNING", "RESTARTING", "RECONCILING", "SUSPENDED", "FAILING", "FAILED", "CANCELLING", "CANCELED", "FINISHED",
}

func flinkJobFamilies() []exposition.Family[flinkJob] {
	labels := []string{"job"}
	var states, conditions, unmatched []exposition.Series[flinkJob]
	for _, state := range flinkStates {
		states = append(states, exposition.Series[flinkJob]{
			Extra: exposition.Label("state", state),
			Value: func(j *flinkJob) (float64, bool) { return truth(j.State == state), j.State != "" },
		})
	}
	for _, c := range Conditions() {
		conditions = append(conditions, exposition.Series[flinkJob]{
			Extra: exposition.Label("condition", c.String()),
			Value: func(j *flinkJob) (float64, bool) { return truth(slices.Contains(j.conditions, c)), j.compared },
		})
	}
	for reason := range unmatchedReasons {
		unmatched = append(unmatched, exposition.Series[flinkJob]{
			Extra: exposition.Label("reason", unmatchedNames[reason]),
			Value: func(j *flinkJob) (float64, bool) { return float64(j.unmatched[reason]), j.live && j.compared },
		})
	}
	checkpoints := func(status string, n func(*flink.Checkpoints) int64) exposition.Series[flinkJob] {
		return exposition.Series[flinkJob]{
			Extra: exposition.Label("status", status),
			Value: func(j *flinkJob) (float64, bool) {
				if j.Checkpoints == nil {
					return 0, false
				}
				return float64(n(j.Checkpoints)), n(j.Checkpoints) >= 0
			},
		}
	}
	return []exposition.Family[flinkJob]{
		{
			Desc: exposition.Desc{Name: "truelag_flink_job_info", Type: exposition.Gauge, Labels: append(labels, "job_id", "flink_version"),
				Help: "1 for each Flink job, with its id and the version of its cluster (empty where no REST API tells it). The label job is the job's name; where several jobs share one, those that do not run, or were started later, have their id behind it. A job that ended is kept for as long as the configuration says (keep_ended)."},
			Series: []exposition.Series[flinkJob]{{
				ExtraOf: func(j *flinkJob) string {
					return exposition.Label("job_id", j.ID) + "," + exposition.Label("flink_version", j.Version)
				},
				Value: func(j *flinkJob) (float64, bool) { return 1, j.owned },
			}},
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_job_state", Type: exposition.Gauge, Labels: append(labels, "state"),
				Help: "1 for the state that the job is in (REST /jobs/overview, in Flink's words), 0 for the others. Absent where no REST API tells it, or has not told it of a job that may go on for two minutes."},
			Series: states,
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_checkpoints_total", Type: exposition.Counter, Labels: append(labels, "status"),
				Help: "Checkpoints of the job by status, completed (savepoints count) or failed, since it was started or restored: by REST /jobs/ID/checkpoints, else by the JobManager's reporter. Absent where neither tells them, or has not told them of a job that may go on for two minutes."},
			Series: []exposition.Series[flinkJob]{
				checkpoints("completed", func(c *flink.Checkpoints) int64 { return c.Completed }),
				checkpoints("failed", func(c *flink.Checkpoints) int64 { return c.Failed }),
			},
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_last_checkpoint_timestamp_seconds", Type: exposition.Gauge, Labels: labels,
				Help: "When the job's last checkpoint or savepoint was completed, in seconds since 1970, by the JobManager's clock (REST: latest_ack_timestamp; reporter: lastCheckpointCompletedTimestamp, which Flink 1.x does not have). Absent while there was none, and where it is not told."},
			Series: single(func(j *flinkJob) (float64, bool) {
				if j.Checkpoints == nil || j.Checkpoints.LastCompleted.IsZero() {
					return 0, false
				}
				return float64(j.Checkpoints.LastCompleted.UnixMilli()) / 1000, true
			}),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_condition", Type: exposition.Gauge, Labels: append(labels, "condition"),
				Help: "1 for each condition of the job's commits that shows from outside, 0 for those that do not; docs/flink-conditions.md says what each means and what to do. Absent when no pass over a Kafka cluster that the job reads was possible in this scrape."},
			Series: conditions,
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_fix_present", Type: exposition.Gauge, Labels: labels,
				Help: "1 when offsets have proved that the job's Kafka connector commits past transaction markers (the fix of FLINK-33484): it says a committed offset above the next after the last emitted one, with no record in between. Absent otherwise: without such a commit nothing is proved."},
			Series: single(func(j *flinkJob) (float64, bool) { return 1, j.fixed }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_flink_unmatched_topics", Type: exposition.Gauge, Labels: append(labels, "reason"),
				Help: "Topics of the job's sources whose partitions have no samples: colliding (the interface spells several of the cluster's topics alike, and no other interface tells them apart), unknown (the Kafka cluster has no such topic, or the exporter does not read it). Absent once the job has ended."},
			Series: unmatched,
		},
	}
}

// unmatchedReason says why a topic of a source is not one of the broker's.
type unmatchedReason uint8

const (
	topicColliding unmatchedReason = iota
	topicUnknown

	unmatchedReasons
)

var unmatchedNames = [unmatchedReasons]string{"colliding", "unknown"}
