//go:build e2e

package lab_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"truelag/kafka"
	"truelag/lab"
)

// toolRow is what kafka-consumer-groups prints of a partition; without a committed offset it prints none, and no lag.
type toolRow struct {
	committed, end, lag int64
	none                bool
}

// toolLag is what kafka-consumer-groups prints of a group, by topic and partition.
func toolLag(t *testing.T, c *lab.Cluster, group string) (rows map[string]map[int32]toolRow, err error) {
	t.Helper()
	rows = map[string]map[int32]toolRow{}
	var column map[string]int
	for _, line := range c.Tool(t, "consumer-groups", "--describe", "--group", group) {
		f := strings.Fields(line)
		if slices.Contains(f, "CURRENT-OFFSET") {
			column = map[string]int{}
			for i, name := range f {
				column[name] = i
			}
			continue
		}
		if column == nil || len(f) == 0 {
			continue
		}
		if len(f) < len(column) {
			return nil, fmt.Errorf("kafka-consumer-groups prints %q", line)
		}
		number := func(name string) int64 {
			n, wrong := strconv.ParseInt(f[column[name]], 10, 64)
			if wrong != nil {
				err = fmt.Errorf("kafka-consumer-groups: %s in %q: %w", name, line, wrong)
			}
			return n
		}
		row := toolRow{none: f[column["CURRENT-OFFSET"]] == "-", end: number("LOG-END-OFFSET")}
		if !row.none {
			row.committed, row.lag = number("CURRENT-OFFSET"), number("LAG")
		}
		topic := f[column["TOPIC"]]
		if rows[topic] == nil {
			rows[topic] = map[int32]toolRow{}
		}
		rows[topic][int32(number("PARTITION"))] = row
	}
	return rows, err
}

// sameAsTool reads until the raw lag of a group on a topic is what kafka-consumer-groups prints, partition by partition. The two look one
// after the other, and the marker of a transaction may come between.
func sameAsTool(t *testing.T, c *lab.Cluster, k *kafka.Cluster, group, topic string) {
	t.Helper()
	lab.Await(t, func() error {
		r := read(t, k)
		tool, err := toolLag(t, c, group)
		if err != nil {
			return err
		}
		if got := slices.Collect(maps.Keys(tool)); !slices.Equal(got, []string{topic}) {
			return fmt.Errorf("kafka-consumer-groups names the topics %q of group %s, want %q", got, group, topic)
		}
		return sameLag(lagOf(r, group, topic), tool[topic], len(c.Ends(t, topic)))
	})
}

// sameLag holds a lag against what kafka-consumer-groups prints of a topic of so many partitions.
func sameLag(lag *kafka.TopicLag, rows map[int32]toolRow, partitions int) error {
	if lag == nil {
		return errors.New("no lag")
	}
	var wrong []error
	differ := func(format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("group %s, topic %s: "+format, append([]any{lag.Group, lag.Topic}, args...)...))
	}
	got := map[int32]toolRow{}
	var beyond int64
	for _, p := range lag.Partitions {
		if !p.Known {
			differ("lag of partition %d not known", p.Partition)
		}
		got[p.Partition] = toolRow{committed: p.Committed, lag: p.Offsets}
	}
	for p, row := range rows {
		if row.none {
			if g, ok := got[p]; ok {
				differ("partition %d: %+v, want no row without a committed offset", p, g)
			}
			continue
		}
		beyond += max(0, -row.lag)
		if want := (toolRow{committed: row.committed, lag: max(0, row.lag)}); got[p] != want {
			differ("partition %d: committed %d, lag %d; kafka-consumer-groups prints %d, %d", p, got[p].committed, got[p].lag, row.committed, row.lag)
		}
	}
	if lag.BeyondEnd != beyond {
		differ("%d offsets beyond the end, kafka-consumer-groups prints %d in all", lag.BeyondEnd, beyond)
	}
	// The tool names a partition without a commit only when a member is assigned it.
	if n, want := lag.Conditions[kafka.Uncommitted], partitions-len(got); n != want {
		differ("%d partitions uncommitted, want %d", n, want)
	}
	return errors.Join(wrong...)
}

// Raw lag is what kafka-consumer-groups prints: for groups with members of either protocol, and for one without, whose
// commits are anywhere.
func TestRawLagIsTheTools(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "raw-lag"
	c.CreateTopic(t, topic, 12, nil)
	s := seed(t, 1)
	c.MakeLogs(t, topic, s, "partitions=12").End(t, "leave")
	c.Member(t, "classic", "raw-lag-classic", topic, 50)
	c.Member(t, "consumer", "raw-lag-consumer", topic, 50)

	random := rand.New(rand.NewPCG(uint64(s), 0))
	offsets := kadm.Offsets{}
	ends := c.Ends(t, topic)
	for p := range 9 { // not all
		offsets.AddOffset(topic, int32(p), random.Int64N(ends[p].HighWatermark), -1)
	}
	offsets.AddOffset(topic, 9, ends[9].HighWatermark+17, -1)
	c.Commit(t, "raw-lag-simple", offsets)

	k := exporter(t, c, "raw-lag-")
	for _, group := range []string{"raw-lag-classic", "raw-lag-consumer", "raw-lag-simple"} {
		sameAsTool(t, c, k, group, topic)
	}
}

// Groups of every type are listed with type, state and members; those that share records have no lag by offsets.
func TestGroupTypes(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "types"
	c.CreateTopic(t, topic, 4, nil)
	p := c.Producer(t, lab.ProducerOptions{TxnID: "types"})
	for i := range 4 {
		p.Batch(t, topic, int32(i), lab.Records(5)...)
	}
	p.End(t, true)

	c.Member(t, "classic", "types-classic", topic, 20)
	c.Member(t, "consumer", "types-consumer", topic, 20)
	c.Member(t, "consumer", "types-consumer", topic, 0) // a second one
	c.ShareMember(t, "types-share", topic, 20)
	c.StreamsMember(t, "types-streams", topic, 20)
	c.CommitOffset(t, "types-simple", topic, 0, 6)

	k := exporter(t, c, "types-")
	want := map[string]string{
		"types-classic":  "classic Stable 1",
		"types-consumer": "consumer Stable 2",
		"types-share":    "share Stable 1",
		"types-streams":  "streams Stable 1",
		"types-simple":   "classic Empty 0",
	}
	var r *kafka.Reading
	lab.Await(t, func() error { // a second member makes its group reconcile
		r = read(t, k)
		got := map[string]string{}
		for _, g := range r.Groups {
			if g.DescribeErr != nil || g.CommitsErr != nil {
				t.Errorf("group %s: %v, %v", g.Name, g.DescribeErr, g.CommitsErr)
			}
			got[g.Name] = fmt.Sprint(g.Type, " ", g.State, " ", g.Members)
		}
		if !maps.Equal(got, want) || !r.GroupsComplete {
			return fmt.Errorf("groups %v, complete: %t, want %v", got, r.GroupsComplete, want)
		}
		return nil
	})
	for _, group := range []string{"types-classic", "types-consumer", "types-streams"} {
		lab.Await(t, func() error { // a streams application commits by the clock
			lag := lagOf(read(t, k), group, topic)
			if lag == nil || lag.Known != 4 || lag.Composition.Records() != 0 {
				return fmt.Errorf("group %s: %+v, want nothing left to read in 4 partitions", group, lag)
			}
			return nil
		})
	}
	if lag := lagOf(r, "types-share", topic); lag != nil {
		t.Errorf("a share group is judged by offsets: %+v", lag)
	}
	if lag := lagOf(r, "types-simple", topic); lag == nil || lag.Partitions[0].Offsets != 0 || lag.Conditions[kafka.Uncommitted] != 3 {
		t.Errorf("the group without members: %+v, want a lag of 0 and 3 partitions without a commit", lag)
	}
}
