package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"
)

// defaultAddress has a port outside 9100-9999, where the Prometheus wiki's list of default ports is full, and next to
// Kafka's 9092 in people's memory. It is not in that list yet.
const defaultAddress = ":10092"

const help = `Exports the lag of Kafka consumer groups as it is: how many records are really left to read, beside the raw lag, which never becomes 0 on a transactional topic. The same for the consumers of MySQL and MariaDB binlogs.

Examples:

  truelag_exporter demo

      an embedded cluster, to see what the numbers mean

  truelag_exporter --kafka.brokers=kafka-1:9092,kafka-2:9092

      a cluster without TLS and authentication; the samples are at http://localhost:10092/metrics

  truelag_exporter --config.file=truelag.yml

      everything else: several clusters, TLS, SASL, filters, MySQL servers and the consumers of their binlogs

  truelag_exporter check-config --probe --config.file=truelag.yml

      is the file right, and what do brokers and servers not allow?

  truelag_exporter explain --kafka.brokers=kafka-1:9092 --group=orders --topic=payments --partition=3

      how one lag came about, batch by batch; without the last flags, all partitions, topics or groups

  truelag_exporter explain --config.file=truelag.yml --server=orders-db --consumer=debezium

      how far a consumer of a MySQL server's binlog is behind, and why; with --binlog alone, all consumers

Each flag can be given by the environment variable that stands behind it, too; the flag wins.`

// newApp declares the flags. All but one belong to every command, so that demo takes what serve takes.
func newApp(o *options) *kingpin.Application {
	app := kingpin.New(program, help)
	app.UsageWriter(os.Stdout)
	app.HelpFlag.Short('h')
	app.Version(version.Print(program))

	app.Flag("config.file", "File that says which clusters and servers to read and how. Example: truelag.yml").
		PlaceHolder("FILE").StringVar(&o.configFile)
	app.Flag("kafka.brokers", "Brokers of one cluster without TLS and authentication, instead of a file: host:port, "+
		"separated by commas. One that answers is enough. Example: kafka-1:9092,kafka-2:9092").
		PlaceHolder("HOST:PORT,...").StringsVar(&o.brokers)
	app.Flag("flink.url", "The REST API of a Flink cluster whose jobs read the cluster of --kafka.brokers, to hold what they say against "+
		"what the brokers have. Example: http://jobmanager:8081").PlaceHolder("URL").StringVar(&o.flinkURL)
	app.Flag("collector.kafka", "Read consumer groups and topics from Kafka.").Default("true").BoolVar(&o.collectKafka)
	app.Flag("collector.flink", "Compare what Flink jobs say with what Kafka has, where Flink clusters are configured.").
		Default("true").BoolVar(&o.collectFlink)
	app.Flag("collector.binlog", "Read how far the consumers of MySQL and MariaDB binlogs are, where servers are configured.").
		Default("true").BoolVar(&o.collectBinlog)
	app.Flag("shard", "Read one part of the groups and topics, I of N from 0 on, so that N exporters cover a large "+
		"cluster (docs/sharding.md). Example: 0/3").
		Default("0/1").SetValue(&o.shard)
	app.Flag("timeout-offset", "How much earlier than Prometheus gives up a scrape ends, so that what was read still "+
		"arrives. Example: 500ms").Default("0.5s").DurationVar(&o.timeoutOffset)
	app.Flag("compat.kafka-exporter", "Also export the metrics of danielqsj/kafka_exporter, under their names, for "+
		"dashboards and autoscalers that read those.").BoolVar(&o.compat)
	app.Flag("compat.lag", "What the lag under those names counts: all offsets, as kafka_exporter does, or only the "+
		"records that are left to read. One of: "+strings.Join(compatLags, ", ")).
		Default("offsets").EnumVar(&o.compatLag, compatLags...)

	o.web = kingpinflag.AddFlags(app, defaultAddress)
	app.GetFlag("web.listen-address").IsSetByUser(&o.webAddressSet)
	app.Flag("web.telemetry-path", "Path under which the samples are.").Default("/metrics").StringVar(&o.telemetryPath)
	app.Flag("web.max-requests", "How many scrapes may run at once; more get 503. 0: no bound.").
		Default("40").IntVar(&o.maxRequests)
	app.Flag("web.disable-exporter-metrics", "Leave out the metrics about the exporter itself "+
		"(go_*, process_*).").BoolVar(&o.noExporterMetrics)
	app.Flag("web.enable-lifecycle", "Let POST /-/reload reload the configuration. SIGHUP always does.").
		BoolVar(&o.lifecycle)
	app.Flag("log.level", "Least severe messages to log. One of: "+strings.Join(logLevels, ", ")).
		Default("info").EnumVar(&o.logLevel, logLevels...)
	app.Flag("log.format", "How to write the log. One of: "+strings.Join(logFormats, ", ")).
		Default("logfmt").EnumVar(&o.logFormat, logFormats...)

	app.Command("serve", "Read what is configured and serve the samples. This is the default.")
	app.Command("demo", "Serve the samples of a small Kafka cluster inside this process, whose groups show what a lag "+
		"can mean. Takes the flags of serve; listens on a free port of the loopback interface unless told otherwise.")
	check := app.Command("check-config", "Check the flags and the files that they name, and end. The exit code is 0 when "+
		"all is right, 1 when --probe finds something missing, 2 for a wrong flag or file.")
	check.Flag("probe", "Also connect, read each cluster, server and consumer once, and say what is missing: a "+
		"permission, a consumer's place, whoever does not answer.").BoolVar(&o.probe)
	x := app.Command("explain", "Say how far a group, or a consumer of a binlog, is behind, and why. With a partition, read it "+
		"batch by batch; without one, list partitions, topics or groups, worst first. The exit code is 0 for caught up, 1 for "+
		"behind, held back by an open transaction, or taking a snapshot, 2 for a wrong flag or file, 3 when it cannot be known, "+
		"4 when data was lost, the commit is beyond the end, or a place in a binlog is purged, or none of the server's.")
	x.Flag("group", "Consumer group. Example: orders-enricher").IsSetByUser(&o.explain.groupSet).PlaceHolder("NAME").StringVar(&o.explain.group)
	x.Flag("topic", "Topic of the group.").IsSetByUser(&o.explain.topicSet).PlaceHolder("NAME").StringVar(&o.explain.topic)
	o.explain.partition = -1
	x.Flag("partition", "Partition of the topic.").PlaceHolder("NUMBER").SetValue((*partitionNumber)(&o.explain.partition))
	x.Flag("cluster", "Which cluster, where the file has several.").PlaceHolder("NAME").StringVar(&o.explain.cluster)
	x.Flag("server", "MySQL or MariaDB server: its consumers, worst first.").PlaceHolder("NAME").StringVar(&o.explain.binlog.server)
	x.Flag("consumer", "Consumer of a server's binlog: how far it is behind, and why. Example: debezium-orders").
		PlaceHolder("NAME").StringVar(&o.explain.binlog.consumer)
	x.Flag("binlog", "List the consumers of the binlogs of all servers.").BoolVar(&o.explain.binlog.all)
	x.Flag("output", "How to write the answer. One of: "+strings.Join(outputs, ", ")).Short('o').
		Default("text").EnumVar(&o.explain.output, outputs...)
	app.Command("metrics", "Print the catalogue of all metrics as Markdown, and end.")
	app.Command("version", "Print the version, and end.")

	for _, f := range app.Model().Flags {
		if !f.Hidden && f.Name != "help" && f.Name != "version" {
			pair(app.GetFlag(f.Name), f)
		}
	}
	for _, c := range []*kingpin.CmdClause{check, x} {
		for _, f := range c.Model().Flags {
			pair(c.GetFlag(f.Name), f)
		}
	}
	return app
}

// pair gives a flag its environment variable, and its errors the name of whichever was used.
func pair(clause *kingpin.FlagClause, f *kingpin.FlagModel) {
	env := "TRUELAG_" + envName.ReplaceAllString(strings.ToUpper(f.Name), "_")
	v := &named{Value: f.Value, name: f.Name, env: env, right: right[f.Name]}
	switch {
	case v.right != "":
	case v.IsBoolFlag():
		v.right = "true or false"
	case len(f.Default) > 0:
		v.right = "something like " + f.Default[0]
	}
	clause.Envar(env).SetValue(v)
}

var (
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"logfmt", "json"}
	compatLags = []string{"offsets", "records"}
	outputs    = []string{"text", "json"}
)

// right is what some flags' values should be, where a default shows too little.
var right = map[string]string{
	"log.level":  "one of " + strings.Join(logLevels, ", "),
	"log.format": "one of " + strings.Join(logFormats, ", "),
	"compat.lag": "one of " + strings.Join(compatLags, ", "),
	"output":     "one of " + strings.Join(outputs, ", "),
	"partition":  "a number such as 0",
	"shard":      "part I of N as I/N, counted from 0: for example 0/3, 1/3 and 2/3 for three exporters",
}

var envName = regexp.MustCompile(`[^A-Z0-9]`)
