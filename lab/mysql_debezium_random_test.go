//go:build e2e

package lab_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/lab"
	"truelag/mysql"
)

// unnoted is how many records a worker may have sent, and not noted down, when it pauses or fails: it waits for no answer in between.
const unnoted = 500

var stepsFlag = flag.Int("steps", 6, "steps in the random life of a connector of Debezium")

// written is a transaction that the test has written.
type written struct {
	what    string   // its statements
	records []string // that it makes, as life.deliver names them
	apart   bool     // it ends with changes that are not captured
	schema  bool     // it changes the definition of a table or a database
	from    time.Time
	to      time.Time // by the server's clock, it was committed in between
}

// life is a connector's, with all that was written and all that was delivered.
type life struct {
	*debezium
	random *rand.Rand
	client *kgo.Client
	topics map[string]int64 // how far they were read

	written   []written
	delivered map[string]bool
	rows      map[string][][2]int // of a table, in order: number, and the statement that has written it last
	numbers   int
	copies    int
	made      []string // the records of the transaction that is being made; elsewhere: not captured
}

// A random life of a connector: whenever it stands still, what the exporter says is held against what was written and what was
// delivered. What a connector has handed to Kafka it tells by its topics alone.
func TestDebeziumRandom(t *testing.T) {
	t.Parallel()
	s := seed(t, 11)
	for i, version := range []string{lab.MySQL80, lab.MariaDB10} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			l := beginLife(t, version, rand.New(rand.NewPCG(uint64(s), uint64(i))))
			for range *stepsFlag {
				l.step(t)
			}
		})
	}
}

func beginLife(t *testing.T, version string, random *rand.Rand) *life {
	t.Helper()
	m := pool.StartMySQL(t, lab.MySQLOptions{Version: version, LogBin: "lived"})
	l := &life{
		debezium: &debezium{m: m, worker: pool.Connect(t)}, random: random, topics: map[string]int64{},
		delivered: map[string]bool{}, rows: map[string][][2]int{},
	}
	m.Exec(t, "CREATE DATABASE shop", "CREATE DATABASE elsewhere", "CREATE TABLE elsewhere.t(id int AUTO_INCREMENT PRIMARY KEY, v text)",
		"CREATE TABLE shop.a(id int AUTO_INCREMENT PRIMARY KEY, n int, g int, v mediumtext)", "CREATE TABLE shop.b LIKE shop.a")
	name := fmt.Sprintf("random-%s-%d", version, time.Now().UnixMilli())
	topics := []string{"", ".shop.a", ".shop.b"}
	for i := range copies {
		topics = append(topics, fmt.Sprintf(".shop.copy%d", i))
	}
	for _, topic := range topics {
		l.worker.Kafka.CreateTopic(t, name+topic, 1, nil)
		l.topics[name+topic] = 0
	}
	start := map[string]map[int32]kgo.Offset{}
	for topic := range l.topics {
		start[topic] = map[int32]kgo.Offset{0: kgo.NewOffset().At(0)}
	}
	l.client = l.worker.Kafka.Client(t, kgo.ConsumePartitions(start))
	l.follow(t, name, name)
	l.Connector = l.worker.Debezium(t, name, m, "shop")
	l.await(t, slices.Concat(byNotes, byMetrics), "caught up", atEnd)
	l.configure(t)
	return l
}

// configure gives the connector random properties.
func (l *life) configure(t *testing.T) {
	t.Helper()
	more := map[string]string{}
	if l.random.IntN(3) == 0 {
		more["include.query"] = "true"
		if !l.m.Options.MariaDB() {
			l.m.Exec(t, "SET GLOBAL binlog_rows_query_log_events=ON")
		}
	}
	switch l.random.IntN(4) {
	case 0:
		more["heartbeat.interval.ms"] = "300"
	case 1:
		more["provide.transaction.metadata"] = "true"
		l.worker.Kafka.CreateTopic(t, l.Name+".transaction", 1, nil)
	default:
	}
	t.Logf("%s: %v", l.Name, more)
	l.Change(more)
	l.Create(t)
	l.AwaitRunning(t)
}

// step writes something while the connector does something.
func (l *life) step(t *testing.T) {
	t.Helper()
	switch l.random.IntN(10) {
	case 0, 1:
		l.write(t, 8)
		l.look(t, "running")
	case 2, 3:
		l.write(t, 8)
		l.Pause(t)
		l.write(t, 1+l.random.IntN(30))
		l.stands(t, "paused", unnoted)
		l.Resume(t)
	case 4, 5:
		l.write(t, 8)
		l.Stop(t)
		l.stands(t, "stopped at once", 0)
		l.write(t, 1+l.random.IntN(15))
		l.stands(t, "stopped", 0)
		l.Resume(t)
	case 6:
		l.Pause(t)
		l.write(t, 8)
		l.look(t, "paused")
		l.Stop(t)
		l.stands(t, "stopped after a pause", 0)
		l.Resume(t)
	case 7:
		l.write(t, 8)
		l.Restart(t)
		l.look(t, "restarted")
	default:
		l.rest(t)
		l.hold(t)
		l.write(t, 5)
		l.transaction(t, []func() string{l.insert("a"), l.change("a"), l.insert("b"), l.insert("a")})
		l.write(t, 3)
		l.awaitFailed(t, "producer")
		l.awaitSilent(t)
		l.stands(t, "failed", unnoted)
		l.release(t)
	}
	switch l.random.IntN(4) {
	case 0:
		l.m.Rotate(t)
	case 1:
		if at := l.says(t)[byConnect].Note.Position; at != nil {
			l.m.Exec(t, fmt.Sprintf("PURGE BINARY LOGS TO '%s'", at.File))
		}
	default:
	}
	if l.random.IntN(2) == 0 {
		l.AwaitRunning(t)
		l.rest(t)
	}
}

// rest: with everything delivered, and something captured as the last that was written, nothing is left.
func (l *life) rest(t *testing.T) {
	t.Helper()
	if l.random.IntN(2) == 0 {
		l.transaction(t, []func() string{l.insert("a")})
	}
	lab.Await(t, func() error {
		r := l.look(t, "at rest")
		if n, all := l.prefix(), l.records(); n < all {
			return fmt.Errorf("%s: %d records are delivered, want %d", l.Name, n, all)
		}
		for _, c := range r.Consumers {
			if slices.Contains(byMetrics, c.Name) && !atEnd(c) { // all is read, whosever it is
				return fmt.Errorf("at rest, %s by %s: %s, want it caught up", l.Name, c.Name, brief(c))
			}
			if err := l.differs(c, r.Inventory.Clock, 0); err != nil {
				return fmt.Errorf("at rest, %w", err)
			}
		}
		return nil
	})
}

// stands holds the notes of a connector that does not run to the truth. Where it was not stopped, Kafka Connect may not have noted down
// the last records that were delivered.
func (l *life) stands(t *testing.T, state string, unnoted int) {
	t.Helper()
	l.m.End(t)
	lab.Await(t, func() error {
		r := l.look(t, state)
		for _, c := range r.Consumers {
			if p := c.Note.Position; p == nil || p.File == "" { // no task, no metrics; one that has read nothing yet, no place
				continue
			}
			// a page tells file and position one after the other, and a connector that is paused reads on for a while
			if d := c.Distance; d.State != mysql.OK && d.State != mysql.CaughtUp || c.Scan == nil || c.Scan.After == mysql.NoEvent {
				return fmt.Errorf("%s, %s by %s: %s, want a place at which an event begins", state, l.Name, c.Name, brief(c))
			}
			want := l.m.Left(t, c.Note.Position.File, c.Note.Position.Pos)
			if got := c.Distance; got.Bytes != known(want.Bytes) || got.Files != known(want.Files) {
				return fmt.Errorf("%s, %s by %s: %s, want %+v", state, l.Name, c.Name, brief(c), want)
			}
			if err := l.differs(c, r.Inventory.Clock, unnoted); err != nil {
				return fmt.Errorf("%s, %w", state, err)
			}
			if n, most := c.Distance.Transactions.N, want.Transactions+1; n > most || c.Distance.State != mysql.CaughtUp && n < most-2 {
				return fmt.Errorf("%s, %s by %s: %s, want at most two less than %d transactions", state, l.Name, c.Name, brief(c), most)
			}
		}
		return nil
	})
}
