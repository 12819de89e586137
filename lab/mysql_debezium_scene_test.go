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

// debezium is a connector on a server of its own, and the exporter's two ways to read its place.
type debezium struct {
	*lab.Connector
	m       *lab.MySQL
	worker  *lab.Connect
	reader  *mysql.Server
	records int64 // that the topic of table a should have
}

// ways to read a connector's place.
const (
	byConnect = "REST"
	byOffsets = "topic"
)

// stageDebezium makes a database with the tables a and b, and what reads it. No record of b gets into its topic for now.
func stageDebezium(t *testing.T, version string) *debezium {
	t.Helper()
	m := pool.MySQL(t, lab.MySQLOptions{Version: version, LogBin: "captured"})
	m.Alone(t)
	d := &debezium{m: m, worker: pool.Connect(t)}
	m.Exec(t, "DROP DATABASE IF EXISTS shop", "CREATE DATABASE shop",
		"CREATE TABLE shop.a(id int AUTO_INCREMENT PRIMARY KEY, v text)", "CREATE TABLE shop.b LIKE shop.a",
		"INSERT INTO shop.a(v) VALUES ('one'),('two')", "INSERT INTO shop.b(v) VALUES ('three')")
	d.records = 2
	name := fmt.Sprintf("debezium-%s-%d", version, time.Now().UnixMilli()) // a name that no run before has left an offset of
	d.worker.Kafka.CreateTopic(t, name+".shop.b", 1, map[string]string{"max.message.bytes": tooSmall})

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
	d.reader = mysqlReader(t, m, lab.Monitor, newScanner(t, m), rest, offsets)
	d.Connector = d.worker.Debezium(t, name, m, "shop")
	return d
}

const tooSmall = "100"

// hold makes the connector's task fail at the next record of table b; release lets it read on.
func (d *debezium) hold(t *testing.T) {
	t.Helper()
	d.worker.Kafka.SetTopic(t, d.Name+".shop.b", "max.message.bytes", tooSmall)
}

func (d *debezium) release(t *testing.T) {
	t.Helper()
	d.worker.Kafka.SetTopic(t, d.Name+".shop.b", "max.message.bytes", "1048588")
	d.Restart(t)
	d.AwaitRunning(t)
}

// awaitFailed waits until the connector's task has failed, in these words.
func (d *debezium) awaitFailed(t *testing.T, words string) {
	t.Helper()
	d.AwaitStatus(t, lab.ConnectorStatus{Connector: "RUNNING", Task: "FAILED", Trace: words})
}

// told is what the exporter says by each way.
func (d *debezium) told(t *testing.T) map[string]mysql.ConsumerReading {
	t.Helper()
	all := map[string]mysql.ConsumerReading{}
	for _, c := range readServer(t, d.reader).Consumers {
		all[c.Name] = c
	}
	return all
}

// await reads until each way says what is wanted, and returns what they said.
func (d *debezium) await(t *testing.T, what string, is func(mysql.ConsumerReading) bool) map[string]mysql.ConsumerReading {
	t.Helper()
	var all map[string]mysql.ConsumerReading
	lab.Await(t, func() error {
		all = d.told(t)
		for name, c := range all {
			if !is(c) {
				return fmt.Errorf("%s by %s: %s, want it to be %s", d.Name, name, brief(c), what)
			}
		}
		return nil
	})
	return all
}

// awaitCaughtUp waits until all is read, as far as the exporter can tell, and holds that against the topic of table a.
func (d *debezium) awaitCaughtUp(t *testing.T) {
	t.Helper()
	d.await(t, "caught up", atEnd)
	if got := d.worker.Kafka.Ends(t, d.Name+".shop.a")[0].HighWatermark; got != d.records {
		t.Errorf("%s is said to have caught up, its topic has %d records, want %d", d.Name, got, d.records)
	}
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
