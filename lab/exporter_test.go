//go:build e2e

package lab_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
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

// passTime is what a pass has in which every broker must have answered every question: a small part of it is left for each of them.
const passTime = 4 * time.Minute

// read makes one pass, which must succeed.
func read(t *testing.T, k *kafka.Cluster) *kafka.Reading {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), passTime)
	defer cancel()
	r, err := k.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// settled is a reading of all groups in which no Fetch failed, and which knows every partition and every age. A coordinator
// may be loading, a leader that has just begun may answer a Fetch with nothing for a moment, and an answer that is cut, or
// the batches that one pass may decode, leave some to the next.
func settled(t *testing.T, k *kafka.Cluster) (r *kafka.Reading) {
	t.Helper()
	failed := int64(-1)
	lab.Await(t, func() error {
		r = read(t, k)
		failures, before := int64(0), failed
		var unknown []string
		for f, n := range r.Ledger.Errors {
			if f.API == "Fetch" {
				failures += n
			}
		}
		for i := range r.Lags {
			l := &r.Lags[i]
			for _, p := range l.Partitions {
				if !p.Known || p.Age < 0 {
					unknown = append(unknown, fmt.Sprintf("group %s, topic %s: %+v", l.Group, l.Topic, p))
				}
			}
		}
		if failed = failures; !r.GroupsComplete || failures != before || len(unknown) > 0 {
			return fmt.Errorf("groups complete: %t; %d Fetches have failed, %d before; not all is known of %s",
				r.GroupsComplete, failures, before, strings.Join(unknown, ", "))
		}
		return nil
	})
	return r
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
