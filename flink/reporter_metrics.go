package flink

import (
	"maps"
	"math"
	"slices"
)

// The metrics that are read, by the names that Flink's Prometheus reporter gives them: flink_, the logical scope, the
// metric. The scope formats that a user may set (metrics.scope.operator and so on) do not change the logical scope.
// Whatever the metric is in Flink, the reporter's samples are gauges. The legacy consumer's older metrics, which have
// topic and partition in their names (KafkaConsumer_committed_offsets_TOPIC_PARTITION), repeat these and are not read.
var reporterMetrics = map[string]reporterMetric{
	operatorScope + "KafkaSourceReader_topic_partition_currentOffset":   {of: emittedSample},
	operatorScope + "KafkaSourceReader_topic_partition_committedOffset": {of: committedSample},
	operatorScope + "KafkaSourceReader_commitsSucceeded":                {of: succeededCount},
	operatorScope + "KafkaSourceReader_commitsFailed":                   {of: failedCount},

	dynamicScope + "KafkaSourceReader_topic_partition_currentOffset":   {of: emittedSample, dynamic: true},
	dynamicScope + "KafkaSourceReader_topic_partition_committedOffset": {of: committedSample, dynamic: true},
	dynamicScope + "KafkaSourceReader_commitsSucceeded":                {of: succeededCount, dynamic: true},
	dynamicScope + "KafkaSourceReader_commitsFailed":                   {of: failedCount, dynamic: true},

	operatorScope + "KafkaConsumer_topic_partition_currentOffsets":   {of: emittedSample, legacy: true},
	operatorScope + "KafkaConsumer_topic_partition_committedOffsets": {of: committedSample, legacy: true},
	operatorScope + "commitsSucceeded":                               {of: succeededCount, legacy: true},
	operatorScope + "commitsFailed":                                  {of: failedCount, legacy: true},

	taskScope + "busyTimeMsPerSecond":          {of: busyShare},
	taskScope + "backPressuredTimeMsPerSecond": {of: backpressuredShare},
	taskScope + "idleTimeMsPerSecond":          {of: idleShare},

	jobScope + "numberOfCompletedCheckpoints":     {of: checkpointsCompleted},
	jobScope + "numberOfFailedCheckpoints":        {of: checkpointsFailed},
	jobScope + "lastCheckpointCompletedTimestamp": {of: checkpointLast}, // not on Flink 1.20
}

const (
	reporterPrefix = "flink_"
	taskScope      = reporterPrefix + "taskmanager_job_task_"
	operatorScope  = taskScope + "operator_"
	dynamicScope   = operatorScope + "DynamicKafkaSource_kafkaCluster_"
	jobScope       = reporterPrefix + "jobmanager_job_"
)

// signsOfLife are metrics of every process of a Flink cluster, with or without jobs.
var signsOfLife = []string{"flink_jobmanager_numRunningJobs", "flink_taskmanager_Status_JVM_CPU_Load"}

type reporterMetric struct {
	of              quantity
	dynamic, legacy bool
}

// quantity is what a metric measures. lastCheckpointRestoreTimestamp is not read: Flink sets it at every start of a job,
// restored or not.
type quantity uint8

const (
	emittedSample quantity = iota
	committedSample
	succeededCount
	failedCount
	busyShare
	backpressuredShare
	idleShare
	checkpointsCompleted
	checkpointsFailed
	checkpointLast
)

func (q quantity) ofPartition() bool { return q <= committedSample }
func (q quantity) ofSource() bool    { return q <= failedCount }
func (q quantity) ofTask() bool      { return q <= idleShare }

// number is the value that the sample stands for. Flink hands all of them over as a double, in which a long is exact up
// to 2^53; what cannot be one of them (the largest long is a usual way to say "none") is no value.
func (q quantity) number(value float64) (number float64, ok bool) {
	switch {
	case math.IsNaN(value) || math.Abs(value) > 1<<53:
		return 0, false
	case q.ofPartition() && value < 0: // -1; the legacy consumer has numbers below -9e11 for its placeholders
		return Unset, true
	case q == busyShare || q == backpressuredShare || q == idleShare:
		return min(value/1000, 1), value >= 0 && value < 1e6 // a little over a second in a second is usual
	case q == checkpointLast && value == -1: // none
		return 0, true
	}
	return value, value >= 0 && value == math.Trunc(value)
}

// reporterMetricNames are the names that are asked for, where a server can be asked for names.
func reporterMetricNames() []string {
	return append(slices.Sorted(maps.Keys(reporterMetrics)), signsOfLife...)
}
