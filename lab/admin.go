package lab

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Admin is a client of a super user, which lives as long as the cluster.
func (c *Cluster) Admin(t testing.TB) *kadm.Client {
	t.Helper()
	cl, err := c.superUser()
	if err != nil {
		t.Fatal(err)
	}
	adm := kadm.NewClient(cl)
	adm.SetTimeoutMillis(int32((patience / 2).Milliseconds())) // a topic of many partitions takes a slow machine a while
	return adm
}

func (c *Cluster) superUser() (*kgo.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds...), kgo.MetadataMinAge(50*time.Millisecond))
		if err != nil {
			return nil, err
		}
		c.client = cl
	}
	return c.client, nil
}

// Client is a new client of a super user, closed when the test ends.
func (c *Cluster) Client(t testing.TB, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.Seeds...), kgo.MetadataMinAge(50 * time.Millisecond)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// CreateTopic creates a topic with a replica on each node, and waits until every partition has a leader.
func (c *Cluster) CreateTopic(t testing.TB, topic string, partitions int, config map[string]string) {
	t.Helper()
	c.CreateReplicated(t, topic, partitions, len(c.nodes), config)
}

// CreateReplicated is CreateTopic with a number of replicas.
func (c *Cluster) CreateReplicated(t testing.TB, topic string, partitions, replicas int, config map[string]string) {
	t.Helper()
	adm := c.Admin(t)
	values := map[string]*string{}
	for k, v := range config {
		values[k] = &v
	}
	made, err := adm.CreateTopic(t.Context(), int32(partitions), int16(replicas), values, topic)
	if err != nil {
		t.Fatalf("create topic %s: %v", topic, err)
	}
	c.awaitPartitions(t, topic, made.ID, partitions)
}

// RecreateTopic creates a topic that has just been deleted: a broker with ZooKeeper takes its time for that.
func (c *Cluster) RecreateTopic(t testing.TB, topic string, partitions int) {
	t.Helper()
	var made kadm.CreateTopicResponse
	Await(t, func() (err error) {
		made, err = c.Admin(t).CreateTopic(t.Context(), int32(partitions), int16(len(c.nodes)), nil, topic)
		return err
	})
	c.awaitPartitions(t, topic, made.ID, partitions)
}

// awaitPartitions waits until a topic has so many partitions with leaders, and every node knows: any may be asked next, and one is later
// than the others. The id is zero where it is not known.
func (c *Cluster) awaitPartitions(t testing.TB, topic string, id kadm.TopicID, n int) {
	t.Helper()
	Await(t, func() error {
		views, err := c.metadataOfAll(t.Context(), []string{topic})
		if err != nil {
			return err
		}
		for node, view := range views {
			m := view.Topics[0]
			if id == (kadm.TopicID{}) {
				id = m.TopicID
			}
			if len(m.Partitions) != n || m.TopicID != id {
				return fmt.Errorf("node %d says that topic %s has the id %x and %d partitions so far, want %x and %d", node, topic, m.TopicID,
					len(m.Partitions), id, n)
			}
		}
		ends, err := c.ends(t.Context(), c.Admin(t), topic)
		if err == nil && len(ends) != n {
			err = fmt.Errorf("topic %s has %d partitions so far, want %d", topic, len(ends), n)
		}
		return err
	})
}

// DeleteTopic deletes a topic; the broker drops its commits as well.
func (c *Cluster) DeleteTopic(t testing.TB, topic string) {
	t.Helper()
	if _, err := c.Admin(t).DeleteTopic(t.Context(), topic); err != nil {
		t.Fatalf("delete topic %s: %v", topic, err)
	}
}

// SetTopic sets an entry of a topic's configuration.
func (c *Cluster) SetTopic(t testing.TB, topic, entry, value string) {
	t.Helper()
	change := []kadm.AlterConfig{{Name: entry, Value: &value}}
	done, err := c.Admin(t).AlterTopicConfigs(t.Context(), change, topic)
	if err == nil {
		_, err = done.On(topic, func(r *kadm.AlterConfigsResponse) error { return r.Err })
	}
	if err != nil {
		t.Fatalf("set %s of topic %s: %v", entry, topic, err)
	}
}

// AddPartitions makes a topic have more partitions.
func (c *Cluster) AddPartitions(t testing.TB, topic string, total int) {
	t.Helper()
	if _, err := c.Admin(t).UpdatePartitions(t.Context(), total, topic); err != nil {
		t.Fatalf("give topic %s %d partitions: %v", topic, total, err)
	}
	c.awaitPartitions(t, topic, kadm.TopicID{}, total)
}

// DeleteRecords moves the log start offset up. The topic's cleanup.policy must contain delete.
func (c *Cluster) DeleteRecords(t testing.TB, topic string, partition int32, before int64) {
	t.Helper()
	offsets := kadm.Offsets{}
	offsets.AddOffset(topic, partition, before, -1)
	done, err := c.Admin(t).DeleteRecords(t.Context(), offsets)
	if err == nil {
		err = done.Error()
	}
	if err != nil {
		t.Fatalf("delete records of %s-%d before %d: %v", topic, partition, before, err)
	}
}

// Commit commits offsets for a group without members, all in one request. It is tried again while the group's coordinator changes, or a broker
// has not heard of a topic yet: if an answer got lost, the same offsets are committed twice.
func (c *Cluster) Commit(t testing.TB, group string, offsets kadm.Offsets) {
	t.Helper()
	Await(t, func() error {
		if err := c.Admin(t).CommitAllOffsets(t.Context(), group, offsets); err != nil {
			return fmt.Errorf("commit offsets of group %s: %w", group, err)
		}
		return nil
	})
}

// CommitOffset commits one offset for a group without members.
func (c *Cluster) CommitOffset(t testing.TB, group, topic string, partition int32, offset int64) {
	t.Helper()
	offsets := kadm.Offsets{}
	offsets.AddOffset(topic, partition, offset, -1)
	c.Commit(t, group, offsets)
}

// DeleteOffset removes a group's committed offset of one partition.
func (c *Cluster) DeleteOffset(t testing.TB, group, topic string, partition int32) {
	t.Helper()
	set := kadm.TopicsSet{}
	set.Add(topic, partition)
	done, err := c.Admin(t).DeleteOffsets(t.Context(), group, set)
	if err == nil {
		err = done.Error()
	}
	if err != nil {
		t.Fatalf("delete the offset of group %s on %s-%d: %v", group, topic, partition, err)
	}
}

// Ends are a partition's log start offset, last stable offset and high watermark.
type Ends struct {
	LogStart, LastStable, HighWatermark int64
}

// Ends reads the ends of all partitions of a topic, by partition.
func (c *Cluster) Ends(t testing.TB, topic string) []Ends {
	t.Helper()
	var ends []Ends
	Await(t, func() (err error) { // a leader that has just begun does not tell them at once
		if ends, err = c.ends(t.Context(), c.Admin(t), topic); err != nil {
			return fmt.Errorf("ends of topic %s: %w", topic, err)
		}
		return nil
	})
	return ends
}

func (c *Cluster) ends(ctx context.Context, adm *kadm.Client, topic string) ([]Ends, error) {
	var lists [3]kadm.ListedOffsets
	for i, list := range []func(context.Context, ...string) (kadm.ListedOffsets, error){
		adm.ListStartOffsets, adm.ListCommittedOffsets, adm.ListEndOffsets,
	} {
		l, err := list(ctx, topic)
		if err == nil {
			err = l.Error()
		}
		if err != nil {
			return nil, err
		}
		lists[i] = l
	}
	ends := make([]Ends, len(lists[0][topic]))
	for p := range ends {
		at := func(i int) int64 { return lists[i][topic][int32(p)].Offset }
		ends[p] = Ends{LogStart: at(0), LastStable: at(1), HighWatermark: at(2)}
	}
	return ends, nil
}
