//go:build e2e

package lab_test

import (
	"fmt"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
	"truelag/mysql/consumer"
)

// debezium is a connector on a server of its own, and the exporter's ways to read its place.
type debezium struct {
	*lab.Connector
	m       *lab.MySQL
	worker  *lab.Connect
	reader  *mysql.Server
	records int64 // that the topic of table a should have at least
}

// ways to read a connector's place: two to what it has noted down, and two to what it has read.
const (
	byConnect = "REST"
	byOffsets = "topic"
	byPage    = "page"
	byJolokia = "Jolokia"

	byCaptured = "REST, and what it captures"
)

var (
	byNotes   = []string{byConnect, byOffsets}
	byMetrics = []string{byPage, byJolokia}
)

// stageDebezium makes a database with the tables a and b, and what reads it. No record of b gets into its topic for now.
func stageDebezium(t *testing.T, version string) *debezium {
	t.Helper()
	m := pool.MySQL(t, lab.MySQLOptions{Version: version, LogBin: "captured"})
	m.Alone(t)
	d := &debezium{m: m, worker: pool.Connect(t)}
	d.compress(t, "OFF") // as whoever had the server before may not have left it
	m.Exec(t, "DROP DATABASE IF EXISTS shop", "CREATE DATABASE shop",
		"CREATE DATABASE IF NOT EXISTS elsewhere", "CREATE TABLE IF NOT EXISTS elsewhere.t(id int)",
		"CREATE TABLE shop.a(id int AUTO_INCREMENT PRIMARY KEY, v text)", "CREATE TABLE shop.b LIKE shop.a",
		"INSERT INTO shop.a(v) VALUES ('one'),('two')", "INSERT INTO shop.b(v) VALUES ('three')")
	d.records = 2
	name := fmt.Sprintf("debezium-%s-%d", version, time.Now().UnixMilli()) // a name that no run before has left an offset of
	d.worker.Kafka.CreateTopic(t, name+".shop.b", 1, map[string]string{"max.message.bytes": fmt.Sprint(tooSmall)})
	d.follow(t, name, name)
	d.Connector = d.worker.Debezium(t, name, m, "shop")
	return d
}

// follow reads the place of a connector that has a topic prefix.
func (d *debezium) follow(t *testing.T, name, prefix string) {
	t.Helper()
	rest, err := consumer.NewConnect(consumer.ConnectConfig{Name: byConnect, URL: d.worker.REST, Connector: name})
	if err != nil {
		t.Fatal(err)
	}
	topic, err := consumer.NewTopic(consumer.TopicConfig{Topic: d.worker.Offsets, Client: d.worker.Kafka.Client(t)})
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := topic.Consumer(consumer.TopicConsumerConfig{Name: byOffsets, Connector: name})
	if err != nil {
		t.Fatal(err)
	}
	few, err := consumer.NewConnect(consumer.ConnectConfig{Name: byCaptured, URL: d.worker.REST, Connector: name})
	if err != nil {
		t.Fatal(err)
	}
	all := append(metricsOf(t, d.worker, prefix), rest, offsets, consumer.WithCaptures(few, "shop"))
	d.reader = mysqlReader(t, d.m, lab.Monitor, newScanner(t, d.m), all...)
}

// metricsOf are the ways to what a connector says of itself. An empty prefix is that of the only connector.
func metricsOf(t *testing.T, worker *lab.Connect, prefix string) []mysql.Consumer {
	t.Helper()
	page, err := consumer.NewDebeziumPage(consumer.DebeziumConfig{Name: byPage, URLs: []string{worker.Page}, Server: prefix})
	if err != nil {
		t.Fatal(err)
	}
	jolokia, err := consumer.NewJolokia(consumer.DebeziumConfig{Name: byJolokia, URLs: []string{worker.Jolokia}, Server: prefix})
	if err != nil {
		t.Fatal(err)
	}
	return []mysql.Consumer{page, jolokia}
}

// in bytes of a batch.
const (
	tooSmall = 100
	enough   = 1 << 20
)

// hold makes the connector's task fail at the next record of table b; release lets it read on.
func (d *debezium) hold(t *testing.T) {
	t.Helper()
	d.worker.Kafka.LimitMessages(t, d.Name+".shop.b", tooSmall)
}

func (d *debezium) release(t *testing.T) {
	t.Helper()
	d.worker.Kafka.LimitMessages(t, d.Name+".shop.b", enough)
	d.Restart(t)
	d.AwaitRunning(t)
}

// awaitFailed waits until the connector's task has failed, in these words.
func (d *debezium) awaitFailed(t *testing.T, words string) {
	t.Helper()
	d.AwaitStatus(t, lab.ConnectorStatus{Connector: "RUNNING", Task: "FAILED", Trace: words})
}

// read is a reading in which every way has told all that it has to. A worker that is busy, or plans anew, may refuse an answer for a moment,
// and so may an agent while a task starts; the server, and the scan of its events, never.
func (d *debezium) read(t *testing.T) *mysql.Reading {
	t.Helper()
	var r *mysql.Reading
	lab.Await(t, func() error {
		if r = readOnce(t, d.reader); r.Err != nil {
			t.Fatal(r.Err)
		}
		for _, c := range r.Consumers {
			if c.ScanErr != nil {
				t.Fatalf("%s by %s: scan: %v: %s", d.Name, c.Name, c.ScanErr, brief(c))
			}
			if c.Err != nil || c.Note.LeftOut != "" {
				return fmt.Errorf("%s by %s: %w, left out: %s", d.Name, c.Name, c.Err, c.Note.LeftOut)
			}
		}
		return nil
	})
	return r
}

// says is what the exporter says by each way.
func (d *debezium) says(t *testing.T) map[string]mysql.ConsumerReading {
	t.Helper()
	all := map[string]mysql.ConsumerReading{}
	for _, c := range d.read(t).Consumers {
		all[c.Name] = c
	}
	return all
}

// await reads until some ways say what is wanted, and returns what all said.
func (d *debezium) await(t *testing.T, ways []string, what string, is func(mysql.ConsumerReading) bool) map[string]mysql.ConsumerReading {
	t.Helper()
	var all map[string]mysql.ConsumerReading
	lab.Await(t, func() error {
		all = d.says(t)
		for _, way := range ways {
			if c := all[way]; !is(c) {
				return fmt.Errorf("%s by %s: %s, want it to be %s", d.Name, way, brief(c), what)
			}
		}
		return nil
	})
	return all
}

// awaitCaughtUp waits until all is read, as far as the exporter can tell, and holds that against the topic of table a.
func (d *debezium) awaitCaughtUp(t *testing.T) {
	t.Helper()
	d.await(t, byNotes, "caught up", atEnd)
	d.await(t, byMetrics, "caught up, and to report a lag", func(c mysql.ConsumerReading) bool {
		r := c.Note.Reported
		return atEnd(c) && c.Note.State == "running" && len(r) == 1 && r[0].Source == "MilliSecondsBehindSource" && r[0].Value >= 0
	})
	got := d.worker.Kafka.Ends(t, d.Name+".shop.a")[0].HighWatermark
	if got < d.records {
		t.Errorf("%s is said to have caught up, its topic has %d records, want %d", d.Name, got, d.records)
	}
	d.records = got // a connector that started anew before all was noted down has delivered some twice
}

// awaitSilent waits until no metrics tell of the connector: it has no task that runs.
func (d *debezium) awaitSilent(t *testing.T) {
	t.Helper()
	d.await(t, byMetrics, "missing", func(c mysql.ConsumerReading) bool {
		return c.Note.State == "missing" && c.Note.Reported == nil && c.Distance.State == mysql.NoPosition
	})
}

func atEnd(c mysql.ConsumerReading) bool {
	d := c.Distance
	return d.State == mysql.CaughtUp && d.Effective == known(0) && d.Transactions == known(0) && d.Seconds.Known && d.Seconds.D == 0
}

// behind says whether something is left to read, and all is known of it.
func behind(c mysql.ConsumerReading) bool {
	d := c.Distance
	return d.State == mysql.OK && d.Bytes.N > 0 && d.Effective == d.Bytes && d.Transactions.Known && d.Transactions.N > 0 && d.Seconds.Known
}

func brief(c mysql.ConsumerReading) string {
	scan := "none"
	if c.Scan != nil {
		scan = fmt.Sprintf("%+v", *c.Scan)
	}
	return fmt.Sprintf("%s %q at %+v: %+v, scan %s", c.Note.State, c.Note.Reason, c.Note.Position, c.Distance, scan)
}
