//go:build e2e

package lab_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"truelag/kafka"
	"truelag/lab"
)

// trial compares the exporter with the Java consumer on logs that nobody writes to any more.
type trial struct {
	cluster *lab.Cluster
	oracle  *lab.Oracle
	name    string // of the groups
	topics  []string
	commits map[string]kadm.Offsets // by group
}

// commit commits random offsets on every partition of the topics, for two groups of each isolation level. They lie
// from a bit below the log start to a bit beyond the end.
func (tr *trial) commit(t *testing.T, random *rand.Rand) {
	t.Helper()
	tr.commits = map[string]kadm.Offsets{}
	for _, topic := range tr.topics {
		ends := tr.cluster.Ends(t, topic)
		for _, isolation := range []string{"rc", "ru"} {
			for n := range 2 {
				group := fmt.Sprintf("%s-%s-%d", tr.name, isolation, n)
				offsets := tr.commits[group]
				for p, e := range ends {
					low := max(0, e.LogStart-5)
					offsets.AddOffset(topic, int32(p), low+random.Int64N(e.HighWatermark+3-low), -1)
				}
				tr.commits[group] = offsets
			}
		}
	}
	for group, offsets := range tr.commits {
		tr.cluster.Commit(t, group, offsets)
	}
}

// truth is what the consumers are handed from every commit on, for both isolation levels.
type truth struct {
	rc, ru map[place]lab.Answer
}

type place struct {
	group, topic string
	partition    int32
}

func (tr *trial) ask(t *testing.T) truth {
	t.Helper()
	var places []place
	var questions []lab.Question
	for group, offsets := range tr.commits {
		offsets.Each(func(o kadm.Offset) {
			places = append(places, place{group, o.Topic, o.Partition})
			q := lab.Question{Topic: o.Topic, Partition: o.Partition, Offset: o.At}
			questions = append(questions, q)
			q.ReadCommitted = true
			questions = append(questions, q)
		})
	}
	answers := tr.oracle.Ask(t, questions)
	tell := truth{rc: map[place]lab.Answer{}, ru: map[place]lab.Answer{}}
	for i, p := range places {
		tell.ru[p], tell.rc[p] = answers[2*i], answers[2*i+1]
	}
	return tell
}

// handed is the number of an answer's records below an offset.
func handed(t *testing.T, a lab.Answer, below int64) (n int64) {
	t.Helper()
	if a.Offsets == "" {
		return 0
	}
	for r := range strings.SplitSeq(a.Offsets, ",") {
		from, to, isRange := strings.Cut(r, "-")
		if !isRange {
			to = from
		}
		lo, err := strconv.ParseInt(from, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		hi, err := strconv.ParseInt(to, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		n += max(0, min(hi+1, below)-lo)
	}
	return n
}

// compare holds one reading against the truth: every partition's lag in offsets, in records and in time, and every topic's
// composition. The consumer cannot tell markers from holes; their sum is what is left.
func (tr *trial) compare(t *testing.T, r *kafka.Reading, tell truth) (comparisons int, differences []string) {
	t.Helper()
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	for group, offsets := range tr.commits {
		for topic, partitions := range offsets {
			lag := lagOf(r, group, topic)
			if lag == nil {
				differ("group %s, topic %s: no lag", group, topic)
				continue
			}
			if got, want := lag.Isolation == kafka.ReadUncommitted, strings.Contains(group, "-ru-"); got != want {
				differ("group %s, topic %s: judged as %s", group, topic, lag.Isolation)
			}
			if lag.Known != len(partitions) {
				differ("group %s, topic %s: lag of %d partitions known, want %d", group, topic, lag.Known, len(partitions))
			}
			want, raw := map[kafka.Kind]int64{}, int64(0)
			for _, row := range lag.Partitions {
				at := place{group, topic, row.Partition}
				commit := partitions[row.Partition].At
				rc, ru := tell.rc[at], tell.ru[at]
				start, stable, high := rc.Begin, rc.End, ru.End
				readable := max(commit, start)
				offsets, records, first := max(0, high-commit), ru.Records, ru.First
				want[kafka.Lost] += max(0, min(start, high)-commit)
				if lag.Isolation == kafka.ReadCommitted {
					records, first = rc.Records, rc.First
					want[kafka.Blocked] += max(0, high-max(readable, stable))
					want[kafka.Aborted] += handed(t, ru, stable) - rc.Records
				}
				want[kafka.Record] += records
				raw += offsets
				comparisons++
				if row.Committed != commit || row.Offsets != offsets || row.Records != records {
					differ("group %s, %s-%d, commit %d (log start %d, last stable %d, high watermark %d): %d offsets and %d records "+
						"from commit %d, want %d and %d: rc %s, ru %s", group, topic, row.Partition, commit, start, stable, high,
						row.Offsets, row.Records, row.Committed, offsets, records, rc.Offsets, ru.Offsets)
				}
				if age := ageOf(first, r); row.Age != age {
					differ("group %s, %s-%d, commit %d: age %d ms, want %d: rc %s, ru %s", group, topic, row.Partition, commit,
						row.Age, age, rc.Offsets, ru.Offsets)
				}
			}
			c := lag.Composition
			if got := c.Offsets(); got != raw {
				differ("group %s, topic %s: the kinds sum to %d, raw lag is %d", group, topic, got, raw)
			}
			for _, k := range kafka.Kinds() {
				if k != kafka.Control && k != kafka.Gap && c[k] != want[k] {
					differ("group %s, topic %s: %d offsets %s, want %d", group, topic, c[k], k, want[k])
				}
			}
		}
	}
	return comparisons, differences
}

// watch reads over and over while the logs change, and checks what must hold whatever happens to them, until it is
// stopped, or the test ends.
func (tr *trial) watch(t *testing.T, k *kafka.Cluster) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n := 0
		for tick := time.Tick(200 * time.Millisecond); ctx.Err() == nil; <-tick {
			ctx, cancel := context.WithTimeout(t.Context(), passTime)
			r, err := k.Read(ctx)
			cancel()
			if t.Context().Err() != nil {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			tr.sane(t, r)
			n++
		}
		t.Logf("%s: read %d times while the logs changed", tr.name, n)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

func (tr *trial) sane(t *testing.T, r *kafka.Reading) {
	for group, offsets := range tr.commits {
		for topic := range offsets {
			lag := lagOf(r, group, topic)
			if lag == nil || lag.Known != len(lag.Partitions) || lag.Known != len(offsets[topic]) {
				t.Errorf("group %s, topic %s: %+v, want a lag for each of %d partitions", group, topic, lag, len(offsets[topic]))
				continue
			}
			var offsets, records int64
			for _, p := range lag.Partitions {
				offsets, records = offsets+p.Offsets, records+p.Records
				if p.Records < 0 || p.Records > p.Offsets {
					t.Errorf("group %s, topic %s: %+v", group, topic, p)
				}
			}
			if c := lag.Composition; c.Offsets() != offsets || c.Records() != records {
				t.Errorf("group %s, topic %s: composition %v of %d offsets and %d records", group, topic, c, offsets, records)
			}
		}
	}
}

// run compares until it has compared while the logs stood still: two equal truths around the readings.
func (tr *trial) run(t *testing.T, k *kafka.Cluster) {
	t.Helper()
	before := tr.ask(t)
	for range 10 {
		n, differences := tr.compare(t, settled(t, k), before)
		if after := tr.ask(t); !same(before, after) {
			before = after
			continue
		}
		for _, d := range differences {
			t.Error(d)
		}
		t.Logf("%s: %d comparisons on %s", tr.name, n, strings.Join(tr.topics, " "))
		return
	}
	t.Fatal("the logs do not come to rest")
}

func same(a, b truth) bool {
	for p := range b.rc {
		if a.rc[p] != b.rc[p] || a.ru[p] != b.ru[p] {
			return false
		}
	}
	return slices.Equal([]int{len(a.rc), len(a.ru)}, []int{len(b.rc), len(b.ru)})
}
