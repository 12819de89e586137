//go:build e2e

package lab_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"truelag/lab"
)

var seedFlag = flag.Int64("seed", 0, "seed of what is random; 0: the one that is usual for a test")

// seed is the run's seed, with one that is usual for a test. Others are for people: what they find may be a fault of the program that is
// watched, and takes a look.
func seed(t *testing.T, usual int64) int64 {
	t.Helper()
	s := *seedFlag
	if s == 0 {
		s = usual
	}
	t.Logf("to have these logs again: go test -tags e2e ./lab -run '^%s$' -count=1 -args -seed %d", t.Name(), s)
	return s
}

// logs is one kind of random log.
type logs struct {
	name    string
	policy  string // cleanup.policy, with short segments; empty: segments as they are by default
	options []string
	end     string // of the transactions that are open at last
}

// short are segments of which every log has many: the batches must be smaller.
const short = 1000

func kinds() []logs {
	small := func(more ...string) []string { return append(more, "batch=900", "keys=6") }
	return []logs{
		{"left-open", "", nil, "leave"},
		{"committed", "", nil, "commit"},
		{"aborted", "", []string{"batch=300"}, "abort"},
		{"tiny-batches", "", []string{"batch=250"}, "leave"},
		{"deleted", "delete", small("deletes=60"), "commit"},
		{"deleted-open", "delete", small("deletes=60"), "leave"},
		{"compacted", "compact", small(), "commit"},
		{"compacted-open", "compact", small(), "leave"},
		{"compacted-aborted", "compact", small("steps=45"), "abort"},
		{"compacted-deleted", "compact,delete", small("deletes=60"), "leave"},
	}
}

func (l logs) config(c *lab.Cluster) map[string]string {
	if l.policy == "" {
		return nil
	}
	config := c.Compacted()
	config["cleanup.policy"] = l.policy
	c.SegmentBytes(config, short)
	return config
}

// differ has random logs made, of 32 partitions each, and compares. While they are written, and the cleaner works inside
// them, the exporter reads over and over: what it learned of offsets that the cleaner then took away must not survive.
func differ(t *testing.T, c *lab.Cluster, kinds []logs, options ...string) {
	t.Helper()
	s := seed(t, 1)
	random := rand.New(rand.NewPCG(uint64(s), 0))
	tr := &trial{cluster: c, oracle: c.Oracle(t), name: fmt.Sprintf("differential-%d", s)}
	var making []*lab.Logs
	for i, l := range kinds {
		topic := fmt.Sprintf("%s-%d", l.name, s)
		c.CreateTopic(t, topic, 32, l.config(c))
		tr.topics = append(tr.topics, topic)
		making = append(making, c.StartLogs(t, topic, s+int64(i), append(options, l.options...)...))
	}
	k := exporter(t, c, tr.name)
	tr.commit(t, random)
	stop := tr.watch(t, k)
	for i, l := range making {
		l.Ready(t)
		l.End(t, kinds[i].end)
	}
	stop()
	for i, l := range kinds {
		if strings.HasPrefix(l.policy, "compact") {
			c.AwaitCleaned(t, tr.topics[i])
		}
	}
	tr.commit(t, random)
	tr.run(t, k)
}

// The exporter's numbers are what Kafka's own consumer is handed, on random logs of every kind.
func TestDifferential(t *testing.T) {
	t.Run("transactions v2", func(t *testing.T) { differ(t, pool.Shared(t, lab.Options{}), kinds()) })
	t.Run("transactions v1", func(t *testing.T) {
		c := pool.Start(t, lab.Options{Features: []string{"transaction.version=1"}})
		differ(t, c, []logs{kinds()[0], kinds()[7]})
	})
}
