//go:build e2e

package lab_test

import (
	"fmt"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// A connector on a server without GTIDs, as MySQL is by default, notes down none. At rest it has nothing left to read, and how many
// transactions are left elsewhere nobody knows.
func TestDebeziumWithoutGTIDs(t *testing.T) {
	t.Parallel()
	m := pool.StartMySQL(t, lab.MySQLOptions{Version: lab.MySQL80, LogBin: "nameless"})
	m.Change(t, "gtid_mode=OFF", "enforce_gtid_consistency=OFF")
	d := &debezium{m: m, worker: pool.Connect(t)}
	m.Exec(t, "CREATE DATABASE shop", "CREATE TABLE shop.a(id int AUTO_INCREMENT PRIMARY KEY, v text)", "CREATE TABLE shop.b LIKE shop.a",
		"INSERT INTO shop.a(v) VALUES ('one'),('two')", "INSERT INTO shop.b(v) VALUES ('three')")
	d.records = 2
	name := fmt.Sprintf("nameless-%d", time.Now().UnixMilli()) // no run before has left an offset of it
	d.worker.Kafka.CreateTopic(t, name+".shop.b", 1, nil)
	d.follow(t, name, name)
	d.Connector = d.worker.Debezium(t, name, m, "shop")
	d.awaitCaughtUp(t)
	d.restsAtEnd(t)

	left := func(after mysql.After) func(mysql.ConsumerReading) bool {
		return func(c mysql.ConsumerReading) bool {
			d := c.Distance
			return d.State == mysql.OK && d.Bytes.N > 0 && d.Effective == d.Bytes && d.Seconds.Known && !d.Transactions.Known &&
				c.Note.Position.GTIDs == "" && c.Scan != nil && c.Scan.After == after
		}
	}
	d.hold(t)
	m.Exec(t, "BEGIN", "INSERT INTO shop.a(v) VALUES ('1'),('2')", "INSERT INTO shop.a(v) VALUES ('3')", "INSERT INTO shop.b(v) VALUES ('4')", "COMMIT")
	d.records += 3
	d.awaitFailed(t, "producer")
	d.await(t, byNotes, "within a transaction", left(mysql.Rest))
	d.release(t)
	d.awaitCaughtUp(t)

	d.Stop(t)
	m.Exec(t, "INSERT INTO shop.a(v) VALUES ('unread')")
	d.await(t, byNotes, "before a transaction", left(mysql.Transaction))
}
