package flink

import (
	"strconv"
	"strings"
)

// metricKind is what a metric of a source vertex tells.
type metricKind int

const (
	idForeign metricKind = iota
	idEmitted
	idCommitted
	idSucceeded
	idFailed
	idRecords
	idBusy
	idBackpressured
	idIdle
	idSpent // one of the three that add up to the age of the task: see instanceClock
)

// sourceKind is which connector registered a metric.
type sourceKind int

const (
	taskLevel sourceKind = iota // of the task, so of all sources in it
	kafkaSource
	dynamicSource
	legacyConsumer
	anyOperator // by name alone
)

// metricID is an id of /jobs/ID/vertices/ID/metrics, taken apart.
type metricID struct {
	subtask int32
	source  sourceKind
	kind    metricKind

	operator     string // as REST spells it
	kafkaCluster string // of a dynamic source, likewise

	topic     string // of an offset, likewise
	partition int32
}

var taskMetrics = map[string]metricKind{
	"busyTimeMsPerSecond":           idBusy,
	"backPressuredTimeMsPerSecond":  idBackpressured,
	"idleTimeMsPerSecond":           idIdle,
	"accumulateBusyTimeMs":          idSpent,
	"accumulateBackPressuredTimeMs": idSpent,
	"accumulateIdleTimeMs":          idSpent,
}

// operatorMetrics are the last parts of the ids that Kafka sources have. The legacy consumer's are plural.
var operatorMetrics = map[string]metricKind{
	"currentOffset":    idEmitted,
	"committedOffset":  idCommitted,
	"currentOffsets":   idEmitted,
	"committedOffsets": idCommitted,
	"commitsSucceeded": idSucceeded,
	"commitsFailed":    idFailed,
	"numRecordsIn":     idRecords,
}

const (
	readerGroup  = ".KafkaSourceReader"
	legacyGroup  = ".KafkaConsumer"
	dynamicGroup = ".DynamicKafkaSource.kafkaCluster."
)

// parseMetricID takes an id apart. It reads from the end, where all names are Flink's, since operators and topics are
// named by people: REST replaces dots in their names, but nothing is lost by not relying on it. An id that is none of
// ours has the kind idForeign and is no error; ok is false for one that begins and ends as ours do and has something else
// where a number or a name is due.
func parseMetricID(id string) (m metricID, ok bool) {
	index, rest, found := strings.Cut(id, ".")
	subtask, numbered := smallNumber(index)
	if !found || !numbered {
		return metricID{}, true
	}
	if kind := taskMetrics[rest]; kind != idForeign {
		return metricID{subtask: subtask, source: taskLevel, kind: kind}, true
	}
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return metricID{}, true
	}
	kind := operatorMetrics[rest[dot+1:]]
	if kind == idForeign {
		return metricID{}, true
	}
	m = metricID{subtask: subtask, kind: kind}
	scope := rest[:dot] // the operator and what is below it
	if kind == idEmitted || kind == idCommitted {
		plural := strings.HasSuffix(rest, "s")
		return parseOffset(m, scope, plural)
	}
	if kind == idRecords {
		m.source, m.operator = anyOperator, scope
		return m, true
	}
	operator, ofReader := strings.CutSuffix(scope, readerGroup)
	if !ofReader { // the operator's own counters: only the legacy consumer has them there
		m.source, m.operator = legacyConsumer, scope
		return m, true
	}
	return m.withReader(operator)
}

// parseOffset reads OPERATOR.GROUP.topic.TOPIC.partition.NUMBER.
func parseOffset(m metricID, scope string, plural bool) (metricID, bool) {
	const topicKey, partitionKey = ".topic.", ".partition."
	group := readerGroup
	if plural {
		group = legacyGroup
	}
	before, number, found := cutLast(scope, partitionKey)
	if !found {
		return metricID{}, true
	}
	operator, topic, found := cutLast(before, group+topicKey)
	if !found {
		return metricID{}, true
	}
	partition, numbered := smallNumber(number)
	if !numbered || topic == "" || operator == "" {
		return metricID{}, false
	}
	m.topic, m.partition = topic, partition
	if plural {
		m.source, m.operator = legacyConsumer, operator
		return m, true
	}
	return m.withReader(operator)
}

// withReader tells a plain source's operator from a dynamic one's with a Kafka cluster below it.
func (m metricID) withReader(operator string) (metricID, bool) {
	m.source, m.operator = kafkaSource, operator
	if name, cluster, dynamic := cutLast(operator, dynamicGroup); dynamic {
		m.source, m.operator, m.kafkaCluster = dynamicSource, name, cluster
	}
	if m.operator == "" || m.source == dynamicSource && m.kafkaCluster == "" {
		return metricID{}, false
	}
	return m, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// smallNumber reads digits alone: the index of a subtask or a partition.
func smallNumber(s string) (int32, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int32(n), err == nil
}
