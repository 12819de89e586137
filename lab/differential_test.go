//go:build e2e

package lab_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"truelag/lab"
)

var seedFlag = flag.Int64("seed", 0, "seed of the random logs and commits; 0: by the time")

// seed is the run's seed, which a failure shows.
func seed(t *testing.T) int64 {
	t.Helper()
	s := *seedFlag
	if s == 0 {
		s = time.Now().UnixNano() % 1e6
	}
	t.Logf("to have these logs again: go test -tags e2e ./lab -run '^%s$' -count=1 -args -seed %d", t.Name(), s)
	return s
}

// logs is one kind of random log.
type logs struct {
	name    string
	config  map[string]string
	options []string
	end     string // of the transactions that are open at last
}

// short are segments so short that every log has many of them: logs that the cleaner may work on have about 1,000 bytes
// to a segment, and batches that fit.
func short(policy string) map[string]string {
	c := lab.Compacted()
	c["cleanup.policy"] = policy
	c["internal.segment.bytes"] = "1000"
	return c
}

func kinds() []logs {
	small := []string{"batch=900", "keys=6"}
	with := func(more ...string) []string { return append(more, small...) }
	return []logs{
		{"left-open", nil, nil, "leave"},
		{"committed", nil, nil, "commit"},
		{"aborted", nil, []string{"batch=300"}, "abort"},
		{"append-time", map[string]string{"message.timestamp.type": "LogAppendTime", "compression.type": "zstd"}, nil, "leave"},
		{"deleted", short("delete"), with("deletes=60"), "commit"},
		{"deleted-open", short("delete"), with("deletes=60"), "leave"},
		{"compacted", short("compact"), small, "commit"},
		{"compacted-open", short("compact"), small, "leave"},
		{"compacted-aborted", short("compact"), with("steps=45"), "abort"},
		{"compacted-deleted", short("compact,delete"), with("deletes=60"), "leave"},
	}
}

// The exporter's numbers are what Kafka's own consumer is handed, on random logs of every kind. While the logs are
// written, and the cleaner works inside them, the exporter reads them over and over: what it has learned of offsets that
// the cleaner then takes away must not survive.
func TestDifferential(t *testing.T) {
	for _, setup := range []struct {
		name    string
		options lab.Options
		logs    []logs
	}{
		{"transactions-2", lab.Options{}, kinds()},
		{"transactions-1", lab.Options{Features: []string{"transaction.version=1"}}, []logs{kinds()[0], kinds()[7]}},
	} {
		t.Run(setup.name, func(t *testing.T) {
			s := seed(t)
			random := rand.New(rand.NewPCG(uint64(s), 1))
			c := pool.Shared(t, setup.options)
			tr := &trial{cluster: c, oracle: c.Oracle(t), name: fmt.Sprintf("differential-%d", s)}
			var making []*lab.Logs
			for i, l := range setup.logs {
				topic := fmt.Sprintf("%s-%d", l.name, s)
				c.CreateTopic(t, topic, 32, maps.Clone(l.config))
				tr.topics = append(tr.topics, topic)
				making = append(making, c.StartLogs(t, topic, s+int64(i), l.options...))
			}
			k := exporter(t, c, tr.name)
			tr.commit(t, random)
			stop := tr.watch(t, k)
			for i, l := range making {
				l.Ready(t)
				l.End(t, setup.logs[i].end)
			}
			stop()
			tr.commit(t, random)
			tr.run(t, k)
		})
	}
}
