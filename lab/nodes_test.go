//go:build e2e

package lab_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"truelag/kafka"
	"truelag/lab"
)

// standing is what a cluster of three told when all was well.
type standing struct {
	cluster *lab.Cluster
	reader  *kafka.Cluster
	trial   *trial
	rows    map[place]kafka.PartitionLag
	by      map[string]int32           // the coordinator of each group
	leader  map[string]map[int32]int32 // of each partition
	loading int64                      // how often a node has answered that it loads groups
	scrapes <-chan time.Time
}

// stand makes a cluster with two topics, one of which has one replica of each partition, and with some groups that
// every node coordinates a share of.
func stand(t *testing.T) *standing {
	t.Helper()
	c := pool.Start(t, lab.Options{Brokers: 3})
	st := &standing{cluster: c, scrapes: time.Tick(time.Second), trial: &trial{cluster: c, oracle: c.Oracle(t), name: "nodes", topics: []string{"three", "one"}}}
	c.CreateTopic(t, "three", 12, nil)
	c.CreateReplicated(t, "one", 12, 1, nil)
	s := seed(t, 1)
	for _, topic := range st.trial.topics {
		c.MakeLogs(t, topic, s, "partitions=12", "steps=15").End(t, "commit")
		st.still(t, topic, 12)
	}
	random := rand.New(rand.NewPCG(uint64(s), 0))
	st.trial.commits = map[string]kadm.Offsets{}
	for n := range 12 {
		offsets := kadm.Offsets{}
		for _, topic := range st.trial.topics {
			for p, e := range c.Ends(t, topic) {
				offsets.AddOffset(topic, int32(p), random.Int64N(e.HighWatermark), -1)
			}
		}
		group := fmt.Sprintf("nodes-rc-%d", n)
		st.trial.commits[group] = offsets
		c.Commit(t, group, offsets)
	}
	st.reader = exporter(t, c, "nodes-", func(cfg *kafka.Config) { cfg.Scan.Recheck = time.Hour })
	st.trial.run(t, st.reader)

	r := settled(t, st.reader)
	st.rows = rowsOf(r)
	st.settle(r)
	return st
}

// still waits until nothing moves in the logs of a topic any more: the markers of ended transactions, and what its leader has acknowledged
// before the replicas had it. A record that all replicas have acknowledged is above all that.
func (st *standing) still(t *testing.T, topic string, partitions int) {
	t.Helper()
	p := st.cluster.Producer(t, lab.ProducerOptions{})
	for n := range partitions {
		p.Batch(t, topic, int32(n), lab.Records(1)...)
	}
	st.cluster.AwaitEnded(t, topic)
}

// settle notes who leads and coordinates what.
func (st *standing) settle(r *kafka.Reading) {
	st.by, st.leader = map[string]int32{}, map[string]map[int32]int32{}
	for _, g := range r.Groups {
		st.by[g.Name] = g.Coordinator
	}
	for _, topic := range st.trial.topics {
		st.leader[topic] = map[int32]int32{}
		for p, row := range r.Topic(topic).Partitions {
			st.leader[topic][int32(p)] = row.Leader
		}
	}
}

func rowsOf(r *kafka.Reading) map[place]kafka.PartitionLag {
	rows := map[place]kafka.PartitionLag{}
	for _, lag := range r.Lags {
		for _, row := range lag.Partitions {
			if row.Known {
				row.Age = 0 // grows by itself
				rows[place{lag.Group, lag.Topic, row.Partition}] = row
			}
		}
	}
	return rows
}

// lookTime is what a look has. Though a node hangs, one that lives has some seconds to answer each question.
const lookTime = time.Minute

// look makes one pass, in which nothing may be wrong, and nothing missing that does not depend on the node.
func (st *standing) look(t *testing.T, without int32) *kafka.Reading {
	t.Helper()
	<-st.scrapes
	ctx, cancel := context.WithTimeout(t.Context(), lookTime)
	defer cancel()
	r, err := st.reader.Read(ctx)
	if err != nil || ctx.Err() != nil {
		t.Fatalf("without node %d: %v, %v", without, err, ctx.Err())
	}
	// While a node loads the groups that it takes over, it lists none of its groups at all.
	loading := r.Ledger.Errors[kafka.Failure{API: "ListGroups", Error: "COORDINATOR_LOAD_IN_PROGRESS"}]
	listed := loading == st.loading
	st.loading = loading
	got := rowsOf(r)
	var wrong []string
	for at, want := range st.rows {
		row, ok := got[at]
		if !listed && r.Group(at.group) == nil {
			continue
		}
		if ok && row != want && !above(row, want) || !ok && st.by[at.group] != without && st.leader[at.topic][at.partition] != without {
			wrong = append(wrong, fmt.Sprintf("%v, led by %d: %+v (%t), want %+v; %+v", at, st.leader[at.topic][at.partition], row, ok, want,
				r.Topic(at.topic).Partitions[at.partition]))
		}
	}
	if len(wrong) > 0 {
		for f, n := range r.Ledger.Errors {
			if n > 0 {
				t.Logf("%s %s: %d", f.API, f.Error, n)
			}
		}
		t.Fatalf("without node %d: %d wrong rows, among them\n%s", without, len(wrong), strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
	return r
}

// above says that a row claims too much and says so: its log may have been cut, and a leader that has just come back does
// not know its epoch yet.
func above(row, want kafka.PartitionLag) bool {
	claims := row.Unscanned > 0 && row.Records >= want.Records
	row.Records, row.Unscanned = want.Records, want.Unscanned
	return claims && row == want
}

// await looks until the rows are all there, but for those of partitions that an absent node alone could tell: these are
// counted.
func (st *standing) await(t *testing.T, node int32, absent bool) *kafka.Reading {
	t.Helper()
	var r *kafka.Reading
	lab.Await(t, func() error {
		r = st.look(t, node)
		got := rowsOf(r)
		for at := range st.rows {
			lost := absent && at.topic == "one" && st.leader[at.topic][at.partition] == node
			row, ok := got[at]
			if ok == lost || ok && row.Unscanned > 0 {
				return fmt.Errorf("node %d, absent %t: the row of %v is there: %t, with %d offsets unscanned", node, absent, at, ok, row.Unscanned)
			}
		}
		lost := 0
		for _, leader := range st.leader["one"] {
			if absent && leader == node {
				lost++
			}
		}
		for group := range st.by {
			lag := lagOf(r, group, "one")
			if lag == nil {
				return fmt.Errorf("node %d, absent %t: group %s has no lag", node, absent, group)
			}
			if n := lag.Conditions[kafka.NoLeader]; n != lost || lag.Known != 12-lost {
				return fmt.Errorf("node %d, absent %t: group %s: %d partitions without leader, %d known, want %d and %d",
					node, absent, group, n, lag.Known, lost, 12-lost)
			}
		}
		return nil
	})
	return r
}

// back waits until a node's rows are there again, and notes who leads and coordinates what now.
func (st *standing) back(t *testing.T, node int32) *kafka.Reading {
	t.Helper()
	r := st.await(t, node, false)
	st.settle(r)
	return r
}

// A node that dies, or hangs, takes its own rows with it, for as long as nobody has taken its place, and no others. What
// comes back is what it was. Logs are not read again, since what is known of them outlives an absence of their leader
// and of the groups that want it; unless that lasts so long that a group counts as gone.
func TestNodeLost(t *testing.T) {
	st := stand(t)
	c := st.cluster
	var before kafka.Ledger
	lab.Await(t, func() error { // a pass looks up a bounded number of times
		last := before.ScanFetches
		before = read(t, st.reader).Ledger
		if before.ScanFetches != last {
			return fmt.Errorf("the scan goes on: %d requests", before.ScanFetches)
		}
		return nil
	})
	const outages = 5

	c.KillNode(t, 2)
	st.await(t, 2, true)
	lab.Await(t, func() error { // the rows are back sooner: groups are asked for by name while a node still loads others
		if r := st.look(t, 2); !r.GroupsComplete {
			return errors.New("the list of groups is not complete although the live nodes coordinate all groups")
		}
		return nil
	})
	c.StartNode(t, 2)
	st.back(t, 2)

	c.FreezeNode(t, 3)
	st.await(t, 3, true)
	c.ThawNode(t, 3)
	c.AwaitReplicas(t)
	st.back(t, 3)

	for id := range int32(3) {
		c.StopNode(t, id+1)
		st.await(t, id+1, true)
		c.StartNode(t, id+1)
		st.back(t, id+1)
	}

	after := read(t, st.reader)
	if n := after.Ledger.ScanFetches - before.ScanFetches; n > outages {
		t.Errorf("%d Fetch requests of the scan in %d outages, while no log has changed", n, outages)
	}
	for _, lag := range after.Lags {
		for _, p := range lag.Partitions {
			if p.Rewinds != 0 {
				t.Errorf("group %s, %s-%d: %d rewinds", lag.Group, lag.Topic, p.Partition, p.Rewinds)
			}
		}
	}
}

// Leaders die while logs are written and cleaned: what an election cut off, and what the producers then wrote in its
// place, must not be taken for what was there before.
func TestDifferentialWithKills(t *testing.T) {
	c := pool.Start(t, lab.Options{Brokers: 3})
	s := seed(t, 1)
	tr := &trial{cluster: c, oracle: c.Oracle(t), name: fmt.Sprintf("kills-%d", s)}
	k := exporter(t, c, tr.name)
	all := kinds()
	var making []*lab.Logs
	for i, l := range []logs{all[0], all[7]} {
		topic := fmt.Sprintf("%s-%d", l.name, s)
		c.CreateTopic(t, topic, 16, l.config(c))
		tr.topics = append(tr.topics, topic)
		making = append(making, c.StartLogs(t, topic, s+int64(i), append(l.options, "partitions=16", "steps=0", "retry=true")...))
	}
	random := rand.New(rand.NewPCG(uint64(s), 0))
	for _, id := range []int32{1, 3} {
		c.KillNode(t, id)
		c.AwaitNodes(t)
		read(t, k)
		c.StartNode(t, id)
		tr.commit(t, random)
		read(t, k)
	}
	for _, l := range making {
		l.Send(t, "stop")
		l.Ready(t)
		l.End(t, "leave")
	}
	c.AwaitCleaned(t, tr.topics[1])
	tr.commit(t, random)
	tr.run(t, k)
}
