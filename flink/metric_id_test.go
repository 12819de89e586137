package flink

import (
	"testing"
)

func TestMetricIDsAreReadFromTheirEnd(t *testing.T) {
	for id, want := range map[string]metricID{
		"0.Source__orders.KafkaSourceReader.topic.orders_p3.partition.2.currentOffset": {
			source: kafkaSource, kind: idEmitted, operator: "Source__orders", topic: "orders_p3", partition: 2},
		"17.Source__orders.KafkaSourceReader.topic.a-b.partition.0.committedOffset": {
			subtask: 17, source: kafkaSource, kind: idCommitted, operator: "Source__orders", topic: "a-b"},
		// Nothing may depend on dots being replaced.
		"0.Source: a.b.KafkaSourceReader.topic.eu.orders.v1.partition.1.currentOffset": {
			source: kafkaSource, kind: idEmitted, operator: "Source: a.b", topic: "eu.orders.v1", partition: 1},
		"0.op.KafkaSourceReader.topic.t.partition.7.partition.3.currentOffset": {
			source: kafkaSource, kind: idEmitted, operator: "op", topic: "t.partition.7", partition: 3},
		"0.Source__o[1]_(v=2)_&_\"x\"_+_ü>_a/b;_.KafkaSourceReader.topic.r_t.partition.1.committedOffset": {
			source: kafkaSource, kind: idCommitted, operator: "Source__o[1]_(v=2)_&_\"x\"_+_ü>_a/b;_", topic: "r_t", partition: 1},
		"3.Source__orders.KafkaSourceReader.commitsSucceeded": {
			subtask: 3, source: kafkaSource, kind: idSucceeded, operator: "Source__orders"},
		"0.Source__orders.KafkaSourceReader.commitsFailed": {
			source: kafkaSource, kind: idFailed, operator: "Source__orders"},
		"0.Source__orders.DynamicKafkaSource.kafkaCluster.lab-cluster_1.KafkaSourceReader.commitsFailed": {
			source: dynamicSource, kind: idFailed, operator: "Source__orders", kafkaCluster: "lab-cluster_1"},
		"0.Source__orders.DynamicKafkaSource.kafkaCluster.eu.1.KafkaSourceReader.topic.k_dyn.partition.0.currentOffset": {
			source: dynamicSource, kind: idEmitted, operator: "Source__orders", kafkaCluster: "eu.1", topic: "k_dyn"},
		"0.Source__orders.KafkaConsumer.topic.orders_v1-eu.partition.4.committedOffsets": {
			source: legacyConsumer, kind: idCommitted, operator: "Source__orders", topic: "orders_v1-eu", partition: 4},
		"0.Source__orders.KafkaConsumer.topic.s_lt.partition.0.currentOffsets": {
			source: legacyConsumer, kind: idEmitted, operator: "Source__orders", topic: "s_lt"},
		"0.Source__orders.commitsSucceeded": {
			source: legacyConsumer, kind: idSucceeded, operator: "Source__orders"},
		"1.busyTimeMsPerSecond":           {subtask: 1, kind: idBusy},
		"1.backPressuredTimeMsPerSecond":  {subtask: 1, kind: idBackpressured},
		"1.idleTimeMsPerSecond":           {subtask: 1, kind: idIdle},
		"1.accumulateIdleTimeMs":          {subtask: 1, kind: idSpent},
		"1.accumulateBusyTimeMs":          {subtask: 1, kind: idSpent},
		"1.accumulateBackPressuredTimeMs": {subtask: 1, kind: idSpent},

		// Not ours.
		"0.Source__orders.KafkaConsumer.committed-offsets.orders_v1-eu-0":       {},
		"0.Source__orders.KafkaSourceReader.KafkaConsumer.records-lag-max":      {},
		"0.Source__orders.split.orders_p3-0.watermark.idleTimeMsPerSecond":      {},
		"0.Source__orders.kafkaClusterCount":                                    {},
		"0.Source__orders.KafkaConsumer.topic.t.partition.0.currentOffset":      {},
		"0.Source__orders.KafkaSourceReader.topic.t.partition.0.currentOffsets": {},
		"0.Source__orders.pulsar.topic.t.partition.0.currentOffset":             {},
		"x.Source__orders.KafkaSourceReader.topic.t.partition.0.currentOffset":  {},
		"0.currentOffset": {}, "0": {}, "0.": {}, "": {}, ".": {}, "..": {}, "busyTimeMsPerSecond": {},
	} {
		if got, ok := parseMetricID(id); !ok || got != want {
			t.Errorf("%s: got %+v, %t; want %+v", id, got, ok, want)
		}
	}
	for _, id := range []string{
		"0.op.KafkaSourceReader.topic.t.partition.x.currentOffset",
		"0.op.KafkaSourceReader.topic.t.partition.-1.currentOffset",
		"0.op.KafkaSourceReader.topic.t.partition.2147483648.currentOffset",
		"0.op.KafkaSourceReader.topic..partition.0.currentOffset",
		"0..KafkaSourceReader.topic.t.partition.0.currentOffset",
		"0..KafkaSourceReader.commitsFailed",
		"0.op.DynamicKafkaSource.kafkaCluster..KafkaSourceReader.commitsFailed",
	} {
		if got, ok := parseMetricID(id); ok {
			t.Errorf("%s was understood as %+v", id, got)
		}
	}
}

func FuzzParseMetricID(f *testing.F) {
	f.Add(int32(3), "Source__a", "", "orders_v1-eu", int32(7), false)
	f.Add(int32(0), "a.KafkaSourceReader.topic.b", "c-1", "t", int32(0), false)
	f.Add(int32(0), "ü[1]", "", "t.partition.1", int32(1), true)
	f.Fuzz(func(t *testing.T, subtask int32, operator, cluster, topic string, partition int32, legacy bool) {
		_, _ = parseMetricID(operator + topic) // any bytes at all: no panic
		operator, cluster, topic = restSpelling(operator), restSpelling(cluster), restSpelling(topic)
		if subtask < 0 || partition < 0 || operator == "" || topic == "" || legacy && cluster != "" {
			return
		}
		want := metricID{subtask: subtask, source: kafkaSource, kind: idEmitted,
			operator: operator, kafkaCluster: cluster, topic: topic, partition: partition}
		switch {
		case legacy:
			want.source = legacyConsumer
		case cluster != "":
			want.source = dynamicSource
		}
		if got, ok := parseMetricID(offsetID(want)); !ok || got != want {
			t.Errorf("%q: got %+v, %t; want %+v", offsetID(want), got, ok, want)
		}
	})
}
