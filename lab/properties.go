package lab

import (
	"fmt"
	"strings"
)

// common are the properties of every version: few threads and few internal partitions, since test machines are small,
// and periodic work that comes round in fractions of a second. An old broker ignores, with a warning, what it does not know.
func common(brokers int) map[string]string {
	replicas, inSync := fmt.Sprint(brokers), fmt.Sprint(min(brokers, 2))
	return map[string]string{
		"num.network.threads":               "2",
		"num.io.threads":                    "4",
		"background.threads":                "2",
		"num.recovery.threads.per.data.dir": "1",
		"auto.create.topics.enable":         "false",
		"default.replication.factor":        replicas,
		"min.insync.replicas":               "1",
		"log.index.size.max.bytes":          "262144",

		"offsets.topic.num.partitions":                                "4",
		"offsets.topic.replication.factor":                            replicas,
		"offsets.topic.segment.bytes":                                 "1048576",
		"transaction.state.log.num.partitions":                        "4",
		"transaction.state.log.replication.factor":                    replicas,
		"transaction.state.log.min.isr":                               inSync,
		"transaction.max.timeout.ms":                                  "900000",
		"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
		"share.coordinator.state.topic.num.partitions":                "4",
		"share.coordinator.state.topic.replication.factor":            replicas,
		"share.coordinator.state.topic.min.isr":                       inSync,

		"group.initial.rebalance.delay.ms":         "0",
		"group.min.session.timeout.ms":             "1000",
		"group.consumer.min.session.timeout.ms":    "1000",
		"group.consumer.min.heartbeat.interval.ms": "100",
		"group.consumer.heartbeat.interval.ms":     "200", // a member learns of its assignment at a heartbeat
		"group.consumer.assignment.interval.ms":    "0",
		"group.share.min.heartbeat.interval.ms":    "100",
		"group.share.heartbeat.interval.ms":        "200",
		"group.share.assignment.interval.ms":       "0",
		"group.streams.min.heartbeat.interval.ms":  "100",
		"group.streams.heartbeat.interval.ms":      "200",
		"group.streams.assignment.interval.ms":     "0",
		"group.streams.initial.rebalance.delay.ms": "0",
		"offsets.retention.check.interval.ms":      "1000",

		"log.initial.task.delay.ms":       "100", // 30 s by default, before the first retention and cleaning
		"log.retention.check.interval.ms": "500",
		"log.segment.delete.delay.ms":     "500",
		"log.cleaner.backoff.ms":          "100",
		"log.cleaner.min.cleanable.ratio": "0.001",
		"log.cleaner.dedupe.buffer.size":  "4194304", // 128 MiB of heap by default
		"log.cleaner.io.buffer.size":      "65536",
	}
}

// kraft are the properties of node i, a broker and a controller in one process. A killed node is replaced when its
// session is over; where nobody could take its place, a busy machine must not end it.
func kraft(i, client, controller int, voters []string) map[string]string {
	session := "60000"
	if len(voters) > 1 {
		session = "6000"
	}
	return map[string]string{
		"process.roles":                  "broker,controller",
		"node.id":                        fmt.Sprint(i + 1),
		"controller.quorum.voters":       strings.Join(voters, ","),
		"controller.listener.names":      "CONTROLLER",
		"listeners":                      fmt.Sprintf("PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", client, controller),
		"advertised.listeners":           fmt.Sprintf("PLAINTEXT://127.0.0.1:%d", client),
		"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"broker.heartbeat.interval.ms":   "500",
		"broker.session.timeout.ms":      session,
	}
}

func zookeeper(data string, port int) map[string]string {
	return map[string]string{
		"dataDir":            data,
		"clientPort":         fmt.Sprint(port),
		"clientPortAddress":  "127.0.0.1",
		"admin.enableServer": "false",
		"tickTime":           "500",
	}
}
