//go:build e2e

package lab_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/go-kit/log"

	"truelag/kafka"
	"truelag/lab"
)

// exporter is the exporter's reader on a cluster. It looks at the groups whose names begin with the prefix, and scans
// without a budget that would matter.
func exporter(t *testing.T, c *lab.Cluster, prefix string, change ...func(*kafka.Config)) *kafka.Cluster {
	t.Helper()
	cfg := kafka.Config{
		Client: kafka.ClientConfig{Seeds: c.Seeds},
		Groups: kafka.Filter{Include: []*regexp.Regexp{regexp.MustCompile("^" + regexp.QuoteMeta(prefix))}},
		Isolation: []kafka.IsolationRule{
			{Groups: regexp.MustCompile(`-ru-\d+$`), Isolation: kafka.ReadUncommitted},
			{Groups: regexp.MustCompile(`-rc-\d+$`), Isolation: kafka.ReadCommitted},
		},
		Scan: kafka.ScanConfig{
			Enabled:           true,
			BytesPerScrape:    1 << 30,
			BytesPerPartition: 1 << 30,
			Recheck:           time.Nanosecond, // compacted topics are read again in every pass
			MaxRuns:           1 << 20,
		},
	}
	for _, f := range change {
		f(&cfg)
	}
	k, err := kafka.NewCluster(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// read makes one pass, which must succeed.
func read(t *testing.T, k *kafka.Cluster) *kafka.Reading {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := k.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// settled is a reading in which nothing is left of what was read while the logs changed, for a pass before it may have
// ended what was begun then. No Fetch has failed in it: one that does costs its partitions what they do not know yet,
// until the next pass.
func settled(t *testing.T, k *kafka.Cluster) *kafka.Reading {
	t.Helper()
	failed := int64(-1)
	for range 10 {
		r := read(t, k)
		now := int64(0)
		for f, n := range r.Ledger.Errors {
			if f.API == "Fetch" {
				now += n
			}
		}
		if now == failed {
			return r
		}
		failed = now
	}
	t.Fatalf("a Fetch fails in every pass, %d so far", failed)
	return nil
}

// lagOf finds the lag of a group on a topic; nil when there is none.
func lagOf(r *kafka.Reading, group, topic string) *kafka.TopicLag {
	for i := range r.Lags {
		if l := &r.Lags[i]; l.Group == group && l.Topic == topic {
			return l
		}
	}
	return nil
}
