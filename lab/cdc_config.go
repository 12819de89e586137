package lab

import (
	"fmt"
	"path/filepath"
)

// command are the arguments of java for a main class of a program that reads binlogs.
func (h programHome) command(heap, class string, args ...string) []string {
	java := []string{
		"-Xms64m", "-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"--add-opens=java.base/java.lang=ALL-UNNAMED", // Canal's old libraries make classes
		"-Dlog4j2.configurationFile=" + filepath.Join(h.lab, "java", "log4j2.properties"), "-Dlog4j2.disableJmx=true",
		"-Dlogback.configurationFile=" + filepath.Join(h.lab, "java", "cdc", "logback.xml"),
		"-cp", filepath.Join(h.dir, "classes") + ":" + filepath.Join(h.dir, "*"), class,
	}
	return append(java, args...)
}

// properties are the worker's: offsets are flushed and plans made at once.
func (c *Connect) properties(port int) map[string]string {
	p := map[string]string{
		"bootstrap.servers":         c.Kafka.Seeds[0],
		"listeners":                 fmt.Sprintf("HTTP://127.0.0.1:%d", port),
		"rest.advertised.host.name": "127.0.0.1",
		"group.id":                  "lab-connect",
		"offset.flush.interval.ms":  "200",
		// A task that ends waits so long for what Kafka has not acknowledged yet, and notes down what it has until then. One that fails has
		// something that never is.
		"offset.flush.timeout.ms": "20000",
		"producer.batch.size":     "524288", // one request at a time, so that a busy machine needs few
		"session.timeout.ms":      "60000",
		// A task that has not stopped by then is left to itself, and what it had delivered is not noted down. Nobody waits for it longer than
		// the group does for the worker, which would begin everything anew.
		"task.shutdown.graceful.timeout.ms": "90000",
		"rebalance.timeout.ms":              "180000",
		"scheduled.rebalance.max.delay.ms":  "0",
		"plugin.path":                       filepath.Join(c.home.lab, ".cache", "connect-plugins"),
		"plugin.discovery":                  "service_load",
		"offset.storage.partitions":         "2",
		"status.storage.partitions":         "1",
	}
	for _, what := range []string{"key", "value"} {
		p[what+".converter"] = "org.apache.kafka.connect.json.JsonConverter"
		p[what+".converter.schemas.enable"] = "false"
	}
	for _, what := range []string{"config", "offset", "status"} {
		p[what+".storage.topic"] = "connect-" + what + "s"
		p[what+".storage.replication.factor"] = "1"
	}
	return p
}

// DebeziumRules are what Debezium's own example gives the JMX exporter, as far as it is about MySQL. The page has no texts by them.
const DebeziumRules = `
- pattern: 'debezium.([^:]+)<type=connector-metrics, context=([^,]+), server=([^,]+), key=([^>]+)><>RowsScanned'
  name: "debezium_metrics_RowsScanned"
  labels: {plugin: "$1", name: "$3", context: "$2", table: "$4"}
- pattern: 'debezium.([^:]+)<type=connector-metrics, context=([^,]+), server=([^>]+)>([^:]+)'
  name: "debezium_metrics_$4"
  labels: {plugin: "$1", name: "$3", context: "$2"}
`

// TextRule is the rule for texts that this project's documentation has. It stands before Debezium's.
const TextRule = `
- pattern: 'debezium.([^:]+)<type=connector-metrics, context=([^,]+), server=([^>]+)><>(BinlogFilename|GtidSet): (.+)'
  name: "debezium_metrics_$4"
  value: 1
  labels: {plugin: "$1", name: "$3", context: "$2", value: "$5"}
`

// DebeziumQueue is how many records a connector that is paused reads.
const DebeziumQueue = 20

// debezium is the configuration of a connector that captures one database.
func (c *Connect) debezium(name string, m *MySQL, database string, server int32) map[string]string {
	class := "io.debezium.connector.mysql.MySqlConnector"
	if m.Options.MariaDB() {
		class = "io.debezium.connector.mariadb.MariaDbConnector"
	}
	limit := fmt.Sprint(patience.Milliseconds())
	return map[string]string{
		"connector.class":       class,
		"tasks.max":             "1",
		"database.hostname":     "127.0.0.1",
		"database.port":         fmt.Sprint(m.Port),
		"database.user":         Replicator,
		"database.password":     Password(Replicator),
		"database.server.id":    fmt.Sprint(server),
		"database.include.list": database,
		"topic.prefix":          name,
		"poll.interval.ms":      "50",
		"max.queue.size":        fmt.Sprint(DebeziumQueue),
		"max.batch.size":        fmt.Sprint(DebeziumQueue / 2),

		// brokers of the lab make no topic by themselves
		"topic.creation.default.replication.factor": "1",
		"topic.creation.default.partitions":         "1",

		"schema.history.internal.kafka.bootstrap.servers": c.Kafka.Seeds[0],
		"schema.history.internal.kafka.topic":             "history." + name,
		// A connector whose time is over is one that has failed, and a busy machine takes its time. One that is paused with a full queue
		// takes its connection for lost after a while, a minute by default: it says that it is not connected, and reads anew what it has read.
		"snapshot.lock.timeout.ms":                        limit,
		"connect.timeout.ms":                              limit,
		"connect.keep.alive.interval.ms":                  "120000",
		"schema.history.internal.kafka.query.timeout.ms":  limit,
		"schema.history.internal.kafka.create.timeout.ms": limit,
		"schema.history.internal.kafka.recovery.attempts": "2400", // a tenth of a second each
		"schema.history.internal.producer.max.block.ms":   limit,
	}
}
