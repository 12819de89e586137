//go:build e2e

package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/kafka"
	"truelag/lab"
)

// real is a world on a real cluster, in a topic and groups of its own.
type real struct {
	t         *testing.T
	cluster   *lab.Cluster
	prefix    string
	user      string // as whom the exporter comes; empty: nobody is asked
	config    map[string]string
	compacted bool

	life      int // of the topic
	plain     *lab.Producer
	producers map[string]*lab.Producer
	open      map[string]map[int32]int64 // first offset of each open transaction on each partition
	commits   map[string]map[int32]int64
	parts     []realPart
}

type realPart struct {
	end     int64 // where the case's log ends; the surplus follows
	surplus int64
	gone    []span // compacted
}

func newReal(t *testing.T, c *Case, prefix string) *real {
	w := &real{
		t: t, prefix: prefix, compacted: FakeFor(c, false).Compacted,
		producers: map[string]*lab.Producer{}, open: map[string]map[int32]int64{}, commits: map[string]map[int32]int64{},
		parts: make([]realPart, 1),
	}
	denies := slices.ContainsFunc(c.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Do, func(a Act) bool { return a.Name == "deny" })
	})
	// A group whose last commit goes stays while a case lasts. Brokers forget it at their next check, and may then do so between any two
	// actions; the exporter remembers it for a minute, since it may be on its way to another coordinator.
	keep := map[string]string{"offsets.retention.check.interval.ms": "600000"}
	if !denies {
		w.cluster = pool.Shared(t, lab.Options{Brokers: 3, Extra: keep})
	} else {
		w.cluster = pool.Shared(t, lab.Options{Secure: true, Extra: keep})
		w.user = prefix + "user"
		w.cluster.AddUser(t, w.user)
		w.cluster.Allow(t, w.user, kadm.NewACLs().Clusters(), kadm.OpDescribe)
		w.cluster.Allow(t, w.user, kadm.NewACLs().Groups("*"), kadm.OpDescribe)
		w.cluster.Allow(t, w.user, kadm.NewACLs().Topics(w.Topic()), kadm.OpDescribe, kadm.OpRead, kadm.OpDescribeConfigs)
	}
	if w.compacted {
		w.config = w.cluster.Compacted()
	}
	w.cluster.CreateTopic(t, w.Topic(), 1, w.config)
	return w
}

func cannot(why string, args ...any) error {
	return fmt.Errorf("%w: "+why, append([]any{ErrCannot}, args...)...)
}

func (w *real) Client() kafka.ClientConfig {
	if w.user == "" {
		return kafka.ClientConfig{Seeds: w.cluster.Seeds}
	}
	always := func(s string) kafka.Secret { return func() (string, error) { return s, nil } }
	return kafka.ClientConfig{
		Seeds: []string{w.cluster.SASL},
		SASL:  kafka.Scram{User: always(w.user), Password: always(lab.Password(w.user))},
	}
}

func (w *real) Topic() string            { return w.prefix + "t" }
func (w *real) Group(name string) string { return w.prefix + name }
func (w *real) Surplus(p int32) int64    { return w.parts[p].surplus }

// part is a partition whose log still ends where the case says.
func (w *real) part(partition int32) (*realPart, error) {
	if int(partition) >= len(w.parts) {
		return nil, fmt.Errorf("no partition %d", partition)
	}
	p := &w.parts[partition]
	if p.surplus > 0 {
		return nil, cannot("partition %d goes on with records that the cleaner needed", partition)
	}
	return p, nil
}

func (w *real) Partitions(_ context.Context, a Partitions) error {
	if more := int(a.Count) - len(w.parts); more > 0 {
		w.cluster.AddPartitions(w.t, w.Topic(), int(a.Count))
		w.parts = append(w.parts, make([]realPart, more)...)
		w.plain = nil // it would learn of them too late
	}
	return nil
}

// write appends one batch. Each record has a key of its own, by which it can be compacted away.
func (w *real) write(by *lab.Producer, partition int32, p *realPart, records int) {
	batch := lab.Records(records)
	if w.compacted {
		for i := range batch {
			batch[i].Key = key(p.end + int64(i))
		}
	}
	by.Batch(w.t, w.Topic(), partition, batch...)
	p.end += int64(records)
}

func key(offset int64) []byte { return fmt.Append(nil, "offset ", offset) }

func (w *real) plainProducer() *lab.Producer {
	if w.plain == nil {
		w.plain = w.cluster.Producer(w.t, lab.ProducerOptions{Raw: true}) // the last batch of an idempotent one is kept
	}
	return w.plain
}

func (w *real) Append(_ context.Context, a Append) error {
	p, err := w.part(a.Partition)
	if err != nil {
		return err
	}
	if a.Txn == "" {
		w.write(w.plainProducer(), a.Partition, p, a.Records)
		return nil
	}
	by := w.producers[a.Txn]
	if by == nil {
		by = w.cluster.Producer(w.t, lab.ProducerOptions{TxnID: fmt.Sprintf("%s%s-%d", w.prefix, a.Txn, w.life)})
		w.producers[a.Txn] = by
	}
	if w.open[a.Txn] == nil {
		w.open[a.Txn] = map[int32]int64{}
	}
	if _, ok := w.open[a.Txn][a.Partition]; !ok {
		w.open[a.Txn][a.Partition] = p.end
	}
	w.write(by, a.Partition, p, a.Records)
	return nil
}

func (w *real) End(_ context.Context, a End) error {
	if w.open[a.Txn] == nil {
		return fmt.Errorf("transaction %s is not open", a.Txn)
	}
	touched := w.open[a.Txn]
	for partition := range touched {
		p, err := w.part(partition)
		if err != nil {
			return err
		}
		p.end++
	}
	w.producers[a.Txn].End(w.t, a.Commit)
	delete(w.open, a.Txn)
	lab.Await(w.t, func() error { // the markers are there, but not yet on every replica
		ends := w.cluster.Ends(w.t, w.Topic())
		for partition := range touched {
			if got, want := ends[partition].LastStable, w.lastStable(partition); got != want {
				return fmt.Errorf("partition %d is stable up to %d, want %d", partition, got, want)
			}
		}
		return nil
	})
	return nil
}

func (w *real) lastStable(partition int32) int64 {
	stable := w.parts[partition].end
	for _, firsts := range w.open {
		if first, ok := firsts[partition]; ok {
			stable = min(stable, first)
		}
	}
	return stable
}

func (w *real) SkipTo(_ context.Context, a SkipTo) error {
	const most = 20_000
	p, err := w.part(a.Partition)
	if err != nil {
		return err
	}
	if a.Offset-p.end > most {
		return cannot("%d records take too long", a.Offset-p.end)
	}
	for p.end < a.Offset {
		w.write(w.plainProducer(), a.Partition, p, int(min(100, a.Offset-p.end)))
	}
	return nil
}

func (w *real) Commit(_ context.Context, a Commit) error {
	if int(a.Partition) >= len(w.parts) {
		return fmt.Errorf("no partition %d", a.Partition)
	}
	if p := w.parts[a.Partition]; p.surplus > 0 && a.Offset > p.end {
		return cannot("the log goes on beyond its end")
	}
	w.cluster.CommitOffset(w.t, w.Group(a.Group), w.Topic(), a.Partition, a.Offset)
	if w.commits[a.Group] == nil {
		w.commits[a.Group] = map[int32]int64{}
	}
	w.commits[a.Group][a.Partition] = a.Offset
	return nil
}

func (w *real) Uncommit(_ context.Context, a Uncommit) error {
	if _, ok := w.commits[a.Group][a.Partition]; ok {
		w.cluster.DeleteOffset(w.t, w.Group(a.Group), w.Topic(), a.Partition)
		delete(w.commits[a.Group], a.Partition)
	}
	return nil
}

func (w *real) DeleteBefore(_ context.Context, a DeleteBefore) error {
	if int(a.Partition) >= len(w.parts) {
		return fmt.Errorf("no partition %d", a.Partition)
	}
	w.cluster.DeleteRecords(w.t, w.Topic(), a.Partition, a.Offset)
	return nil
}

// Recreate commits anew what the broker has deleted with the topic.
func (w *real) Recreate(ctx context.Context, a Recreate) error {
	for group, commits := range w.commits {
		for p := range commits {
			if p >= a.Partitions {
				return cannot("group %s cannot commit on partition %d, which does not exist", group, p)
			}
		}
	}
	adm := w.cluster.Admin(w.t)
	w.cluster.DeleteTopic(w.t, w.Topic())
	lab.Await(w.t, func() error {
		topics, err := adm.ListTopics(ctx, w.Topic())
		if err == nil && !errors.Is(topics[w.Topic()].Err, kerr.UnknownTopicOrPartition) {
			err = fmt.Errorf("topic %s is still there", w.Topic())
		}
		return err
	})
	for group := range w.commits {
		lab.Await(w.t, func() error {
			left, err := adm.FetchOffsets(ctx, w.Group(group))
			if err == nil && len(left[w.Topic()]) > 0 {
				err = fmt.Errorf("the commits of group %s are still there", group)
			}
			return err
		})
	}
	w.life++
	w.plain, w.producers, w.open = nil, map[string]*lab.Producer{}, map[string]map[int32]int64{}
	w.parts = make([]realPart, a.Partitions)
	w.cluster.CreateTopic(w.t, w.Topic(), int(a.Partitions), w.config)
	for group, commits := range w.commits {
		for _, p := range slices.Sorted(maps.Keys(commits)) {
			w.cluster.CommitOffset(w.t, w.Group(group), w.Topic(), p, commits[p])
		}
	}
	return nil
}

func (w *real) DeleteTopic(context.Context) error {
	return cannot("brokers delete a topic's commits with it")
}

func (w *real) Truncate(context.Context, Truncate) error {
	return cannot("no client makes an unclean election lose records at a given offset")
}

func (w *real) Leaderless(context.Context, Leaderless) error {
	return cannot("the cluster is shared")
}

func (w *real) OldFormat(context.Context, OldFormat) error {
	return cannot("brokers write no old formats any more")
}
