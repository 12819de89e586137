// Package lab starts a real Apache Kafka for tests, and a real Flink, MySQL, MariaDB and readers of their binlogs: each in processes
// of their own, from what install.sh brings, on ports of the loopback that no other run uses. Nothing it starts outlives the test
// binary.
//
// A test that may share a cluster takes it from a [Pool], one that stops nodes or sets options of its own starts one:
//
//	var pool lab.Pool
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		pool.Close()
//		os.Exit(code)
//	}
//
//	func TestSomething(t *testing.T) {
//		c := pool.Shared(t, lab.Options{})
//		c.CreateTopic(t, "orders", 3, nil)
//	}
//
// Helpers take the test and end it on an error, since a lab that does not work has no result.
package lab

import (
	"fmt"
	"time"
)

// Versions of Kafka that install.sh brings.
const (
	Current = "4.4.0"
	Old     = "2.8.2"    // OffsetFetch v7, message formats 0 to 2, ZooKeeper
	Oldest  = "0.11.0.3" // the first with transactions; no leader epochs, no topic IDs
)

// patience bounds every wait for something that normally takes a second or so, or twenty: a machine may be some times slower than usual,
// and whoever waits in vain has time.
const patience = 4 * time.Minute

// Options says which Kafka to start. The zero value is one node of the current version.
type Options struct {
	Brokers int    // 1 (also when 0), or 3; 3 only with the current version
	Version string // Current when empty

	// Secure adds listeners with SASL (PLAINTEXT and TLS) and an authorizer that allows nothing that no ACL allows.
	// Seeds are then a listener without SASL, whose clients are super users.
	Secure bool

	Features []string          // "transaction.version=1": feature levels to format with, for versions from 4 on
	Extra    map[string]string // server properties, which override those of the lab
}

func (o Options) normal() Options {
	if o.Brokers == 0 {
		o.Brokers = 1
	}
	if o.Version == "" {
		o.Version = Current
	}
	return o
}

// zookeeper says whether the version has no KRaft that the lab uses.
func (o Options) zookeeper() bool { return o.Version == Old || o.Version == Oldest }

func (o Options) check() error {
	switch {
	case o.Brokers != 1 && o.Brokers != 3:
		return fmt.Errorf("%d brokers; the lab starts 1 or 3", o.Brokers)
	case o.Secure && o.Brokers != 1:
		return fmt.Errorf("a secure cluster has 1 broker in the lab, not %d", o.Brokers)
	case o.zookeeper() && (o.Brokers != 1 || o.Secure || len(o.Features) > 0):
		return fmt.Errorf("Kafka %s in the lab is one broker without security and features", o.Version)
	}
	return nil
}
