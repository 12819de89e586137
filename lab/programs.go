package lab

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// tools are the main classes of Kafka's scripts, by the script's name without kafka-: since 4.0, and before.
var tools = map[string][2]string{
	"acls":             {"org.apache.kafka.tools.AclCommand", "kafka.admin.AclCommand"},
	"configs":          {"org.apache.kafka.tools.ConfigCommand", "kafka.admin.ConfigCommand"},
	"consumer-groups":  {"org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "kafka.admin.ConsumerGroupCommand"},
	"share-groups":     {"org.apache.kafka.tools.consumer.group.ShareGroupCommand", ""},
	"streams-groups":   {"org.apache.kafka.tools.streams.StreamsGroupCommand", ""},
	"groups":           {"org.apache.kafka.tools.GroupsCommand", ""},
	"topics":           {"org.apache.kafka.tools.TopicCommand", "kafka.admin.TopicCommand"},
	"transactions":     {"org.apache.kafka.tools.TransactionsCommand", ""},
	"get-offsets":      {"org.apache.kafka.tools.GetOffsetShell", "kafka.tools.GetOffsetShell"},
	"delete-records":   {"org.apache.kafka.tools.DeleteRecordsCommand", "kafka.admin.DeleteRecordsCommand"},
	"leader-election":  {"org.apache.kafka.tools.LeaderElectionCommand", "kafka.admin.LeaderElectionCommand"},
	"metadata-quorum":  {"org.apache.kafka.tools.MetadataQuorumCommand", ""},
	"features":         {"org.apache.kafka.tools.FeatureCommand", ""},
	"dump-log":         {"org.apache.kafka.tools.DumpLogSegments", "kafka.tools.DumpLogSegments"},
	"console-consumer": {"org.apache.kafka.tools.consumer.ConsoleConsumer", "kafka.tools.ConsoleConsumer"},
}

// Tool runs one of Kafka's command-line tools as a super user ("consumer-groups", "--describe", ...) and returns the
// lines that it prints. The bootstrap server is added.
func (c *Cluster) Tool(t testing.TB, name string, args ...string) []string {
	t.Helper()
	class := tools[name][0]
	if c.Options.zookeeper() {
		class = tools[name][1]
	}
	if class == "" {
		t.Fatalf("no tool %q in Kafka %s, as far as the lab knows", name, c.Options.Version)
	}
	if name != "dump-log" {
		args = append([]string{"--bootstrap-server", strings.Join(c.Seeds, ",")}, args...)
	}
	return c.jvm(t).run(t, class, args...).Wait(t)
}

// Member joins a group with Kafka's own consumer: protocol "classic" or "consumer" (KIP-848). It returns when the
// member has read that many records (read_committed) and committed; the member stays until the test ends, or Close.
func (c *Cluster) Member(t testing.TB, protocol, group, topic string, records int) *Job {
	t.Helper()
	return c.client4(t, "member", group, topic, protocol, "rc", fmt.Sprint(records))
}

// ShareMember joins a share group; like Member.
func (c *Cluster) ShareMember(t testing.TB, group, topic string, records int) *Job {
	t.Helper()
	return c.client4(t, "share", group, topic, fmt.Sprint(records))
}

// StreamsMember runs a Kafka Streams application under the streams protocol (KIP-1071); like Member.
func (c *Cluster) StreamsMember(t testing.TB, group, topic string, records int) *Job {
	t.Helper()
	return c.client4(t, "streams", group, topic, fmt.Sprint(records))
}

// TxnCommit commits an offset in a transaction, which a line then ends: "commit", "abort" or "leave".
func (c *Cluster) TxnCommit(t testing.TB, id, group, topic string, partition int32, offset int64) *Job {
	t.Helper()
	return c.client4(t, "offsets", id, group, topic, fmt.Sprint(partition), fmt.Sprint(offset))
}

// client4 runs java/Clients.java, which needs the clients of Kafka 4.
func (c *Cluster) client4(t testing.TB, command string, args ...string) *Job {
	t.Helper()
	job := c.jvm(t).run(t, "Clients", append([]string{strings.Join(c.Seeds, ","), command}, args...)...)
	if line := job.Line(t); line != "ready" {
		t.Fatalf("%s said %q, not ready", command, line)
	}
	return job
}

// Logs are random logs in the making, or made.
type Logs struct {
	*Job
	Open string // what transactions it left open: ID@PARTITION,PARTITION;...
}

// MakeLogs fills a topic with random logs (java/LogMaker.java has the options, "steps=30"). It returns when they are
// written; End then ends the open transactions.
func (c *Cluster) MakeLogs(t testing.TB, topic string, seed int64, options ...string) *Logs {
	t.Helper()
	l := c.StartLogs(t, topic, seed, options...)
	l.Ready(t)
	return l
}

// StartLogs is MakeLogs without the wait.
func (c *Cluster) StartLogs(t testing.TB, topic string, seed int64, options ...string) *Logs {
	t.Helper()
	args := append([]string{strings.Join(c.Seeds, ","), topic, fmt.Sprint(seed)}, options...)
	return &Logs{Job: c.jvm(t).run(t, "LogMaker", args...)}
}

// workTime is what thousands of batches may take to be written, or read, while nothing is said: a minute where nobody is in the way.
const workTime = 20 * time.Minute

// Ready waits until the logs are written.
func (l *Logs) Ready(t testing.TB) {
	t.Helper()
	line := l.lineWithin(t, workTime)
	open, ok := strings.CutPrefix(line, "ready open=")
	if !ok {
		t.Fatalf("LogMaker said %q, not ready", line)
	}
	l.Open = open
}

// End ends the open transactions: "commit", "abort", or "leave" (as a client that died).
func (l *Logs) End(t testing.TB, how string) {
	t.Helper()
	l.Send(t, how)
	l.Wait(t)
}
