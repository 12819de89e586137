package lab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Compacted is the configuration of a topic that [Cluster.Compact] can compact: segments so short that a few records
// fill one, and a cleaner that is never content. Its policy contains delete, so that DeleteRecords is allowed.
func (c *Cluster) Compacted() map[string]string {
	config := map[string]string{
		"cleanup.policy":            "compact,delete",
		"retention.ms":              "-1",
		"min.cleanable.dirty.ratio": "0.0",
		"delete.retention.ms":       "0",
		"file.delete.delay.ms":      "100",
	}
	c.SegmentBytes(config, 4500)
	return config
}

// SegmentBytes sets how long a topic's segments are. Kafka 4 takes no segment.bytes below 1 MiB from users.
func (c *Cluster) SegmentBytes(config map[string]string, n int) {
	name := "internal.segment.bytes"
	if c.Options.zookeeper() {
		name = "segment.bytes"
	}
	config[name] = fmt.Sprint(n)
}

// Compact makes the cleaner go over all that a partition of a Compacted topic holds below its last stable offset, and
// waits until it has. The cleaner leaves the active segment alone, so it first closes that with records of its own
// (key "pad", nothing else uses it), which stay at the end of the log. It returns their offsets, from the first to
// beyond the last.
//
// Markers and tombstones outlive the pass that removes what they were for: call it twice to be rid of them.
func (c *Cluster) Compact(t testing.TB, topic string, partition int32) (from, to int64) {
	t.Helper()
	from = c.Ends(t, topic)[partition].HighWatermark
	p := c.Producer(t, ProducerOptions{Raw: true}) // the last batch of an idempotent producer is kept
	for range 3 {
		p.Batch(t, topic, partition, Record{Key: []byte("pad"), Value: bytes.Repeat([]byte("x"), 3000)})
	}
	c.AwaitCleaned(t, topic)
	return from, c.Ends(t, topic)[partition].HighWatermark
}

// AwaitCleaned waits until the cleaner has nothing left to do on the leader of any partition of a compacted topic. While
// nobody writes, what clients read does not change after that. Replicas are cleaned each by itself, and not alike.
func (c *Cluster) AwaitCleaned(t testing.TB, topic string) {
	t.Helper()
	Await(t, func() error {
		ends, err := c.ends(t.Context(), c.Admin(t), topic)
		if err != nil {
			return err
		}
		leaders, err := c.leaders(t.Context(), topic)
		if err != nil {
			return err
		}
		for p, e := range ends {
			n := c.node(t, leaders[int32(p)])
			cleaned, err := n.cleaned(topic, p)
			if err != nil {
				return err
			}
			goal, err := n.cleanable(topic, p, e.LastStable)
			if err != nil {
				return err
			}
			if max(cleaned, e.LogStart) < goal { // what lies below the log start is not cleaned, and not always noted as done
				return fmt.Errorf("node %d has cleaned %s-%d up to %d, want %d", n.id, topic, p, cleaned, goal)
			}
		}
		return nil
	})
}

// leaders are the leaders of a topic's partitions.
func (c *Cluster) leaders(ctx context.Context, topic string) (map[int32]int32, error) {
	m, err := c.metadata(ctx, []string{topic})
	if err != nil {
		return nil, err
	}
	leaders := map[int32]int32{}
	for _, p := range m.Topics[0].Partitions {
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			return nil, fmt.Errorf("%s-%d: %w", topic, p.Partition, err)
		}
		leaders[p.Partition] = p.Leader
	}
	return leaders, nil
}

// cleaned is how far the cleaner has come in a partition; 0 when it has not been there.
func (n *node) cleaned(topic string, partition int) (int64, error) {
	file, err := os.ReadFile(filepath.Join(n.data, "cleaner-offset-checkpoint"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(file)) { // version, number of rows, then: topic partition offset
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == topic && f[1] == fmt.Sprint(partition) {
			return strconv.ParseInt(f[2], 10, 64)
		}
	}
	return 0, nil
}

// cleanable is how far the cleaner goes: up to the segment that holds the last stable offset, or the active one.
func (n *node) cleanable(topic string, partition int, stable int64) (int64, error) {
	files, err := os.ReadDir(filepath.Join(n.data, fmt.Sprintf("%s-%d", topic, partition)))
	if err != nil {
		return 0, err
	}
	var last int64
	for _, f := range files { // named by base offset, of equal length: sorted
		name, ok := strings.CutSuffix(f.Name(), ".log")
		if !ok {
			continue
		}
		base, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return 0, err
		}
		if base <= stable {
			last = base
		}
	}
	return last, nil
}
