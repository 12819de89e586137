package collector

import "truelag/exposition"

// Catalogue describes every family that the exporter may export, but for those of its own process and Go runtime. With
// more than one Kafka cluster their series carry the label kafka_cluster beside those that are named here, and with more
// than one Flink cluster those about Flink flink_cluster.
func Catalogue() []exposition.Desc {
	families, flink, binlog := newKafkaFamilies(KafkaConfig{Compat: true}), newFlinkFamilies(), newBinlogFamilies()
	all := append(families.descs(), flink.descs()...)
	all = append(all, binlog.descs()...)
	all = append(all, scrapeBlock(nil, nil).Descs()...)
	return append(all, exposition.Desc{
		Name: "truelag_exporter_build_info", Type: exposition.Gauge, Labels: []string{"branch", "goarch", "goos", "goversion", "revision", "tags", "version"},
		Help: "1 for the version that is running.",
	})
}
