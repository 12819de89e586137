//go:build e2e

package lab_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/kafka"
	"truelag/lab"
)

// follow is the exporter's reader on a cluster while it follows commits.
func follow(t *testing.T, c *lab.Cluster, prefix string, change ...func(*kafka.Config)) *kafka.Cluster {
	t.Helper()
	k := exporter(t, c, prefix, append(change, func(cfg *kafka.Config) { cfg.Follow = true })...)
	runs(t, k.Run)
	return k
}

// runs runs until the test ends, which must be without an error.
func runs(t *testing.T, run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// awaitState reads until the follower is in a state.
func awaitState(t *testing.T, k *kafka.Cluster, state kafka.FollowerState) {
	t.Helper()
	lab.Await(t, func() error {
		if got := read(t, k).Follower.State; got != state {
			return fmt.Errorf("the follower is %v, want %v", got, state)
		}
		return nil
	})
}

// moves is what has been seen of a group's commits on a topic.
type moves struct{ commits, rewinds, rewound, replayed int64 }

// awaitMoves reads until as many commits were seen as were made, and wants the rest to be right then and later.
func awaitMoves(t *testing.T, k *kafka.Cluster, group, topic string, want moves) {
	t.Helper()
	var got moves
	look := func() error {
		lag := lagOf(read(t, k), group, topic)
		if lag == nil {
			return fmt.Errorf("group %s has no lag", group)
		}
		got = moves{lag.Commits, 0, lag.Rewound, lag.Replayed}
		for _, p := range lag.Partitions {
			got.rewinds += p.Rewinds
		}
		if got.commits < want.commits {
			return fmt.Errorf("group %s: %+v, want %+v", group, got, want)
		}
		return nil
	}
	lab.Await(t, look)
	for range 2 {
		if err := look(); err != nil || got != want {
			t.Fatalf("group %s: %+v, want %+v (%v)", group, got, want, err)
		}
	}
}

// Commits of real clients: plain ones, in transactions that are committed, aborted, or hang, and what ends them.
func TestFollowedCommits(t *testing.T) {
	for _, version := range []string{lab.Current, lab.Old} {
		t.Run(version, func(t *testing.T) {
			c := pool.Shared(t, lab.Options{Version: version})
			const topic, group = "followed", "followed-rc-0"
			c.CreateTopic(t, topic, 2, nil)
			c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 1, lab.Records(10)...)
			c.CommitOffset(t, group, topic, 1, 8)
			k := follow(t, c, "followed")
			awaitState(t, k, kafka.FollowerFollowing)
			if !k.CaughtUp() {
				t.Error("commits are followed, and are not caught up with")
			}
			lab.Await(t, func() error { // what other tests have left may end only now
				if behind := read(t, k).Follower.Behind; behind != 0 {
					return fmt.Errorf("%d offsets behind on an idle cluster", behind)
				}
				return nil
			})
			awaitMoves(t, k, group, topic, moves{})

			// No scrape sees this one.
			c.CommitOffset(t, group, topic, 1, 3)
			c.CommitOffset(t, group, topic, 1, 8)
			awaitMoves(t, k, group, topic, moves{2, 1, 5, 5})

			tx := c.TxnCommit(t, "followed-a", group, topic, 1, 1)
			tx.Send(t, "abort")
			tx.Wait(t)
			c.CommitOffset(t, group, topic, 1, 8)
			awaitMoves(t, k, group, topic, moves{3, 1, 5, 5})

			tx = c.TxnCommit(t, "followed-b", group, topic, 1, 6)
			tx.Send(t, "commit")
			tx.Wait(t)
			awaitMoves(t, k, group, topic, moves{4, 2, 7, 7})

			// A transaction that hangs. Plain commits of the group go on, behind it in the same partition.
			tx = c.TxnCommit(t, "followed-c", group, topic, 1, 0)
			c.CommitOffset(t, group, topic, 1, 10)
			c.CommitOffset(t, group, topic, 1, 9)
			c.CommitOffset(t, group, topic, 1, 10)
			awaitMoves(t, k, group, topic, moves{7, 3, 8, 8})
			tx.Send(t, "leave")
			tx.Wait(t)
			awaitMoves(t, k, group, topic, moves{7, 3, 8, 8})
			// Its successor aborts it. What it commits itself is older than the plain commit that comes after it.
			tx = c.TxnCommit(t, "followed-c", group, topic, 1, 2)
			c.CommitOffset(t, group, topic, 1, 10)
			tx.Send(t, "commit")
			tx.Wait(t)
			awaitMoves(t, k, group, topic, moves{9, 3, 8, 8})
			if lag := lagOf(read(t, k), group, topic); lag == nil || lag.Partitions[0].Committed != 10 {
				t.Errorf("the broker says %+v, want the later commit", lag)
			}

			c.DeleteOffset(t, group, topic, 1)
			c.CommitOffset(t, group, topic, 1, 4)
			awaitMoves(t, k, group, topic, moves{10, 3, 8, 8})

			c.DeleteTopic(t, topic)
			c.RecreateTopic(t, topic, 2)
			c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 1, lab.Records(10)...)
			c.CommitOffset(t, group, topic, 1, 2)
			c.CommitOffset(t, group, topic, 1, 1)
			lab.Await(t, func() error {
				if lag := lagOf(read(t, k), group, topic); lag == nil || lag.Commits < 2 {
					return fmt.Errorf("%+v, want the commits on the new topic", lag)
				}
				return nil
			})
			// From 2 to 1 is a rewind, but need not count: without topic ids in the records, what was committed while the
			// topics changed is about either. The 8 offsets of before are forgotten if a scrape came between the topics.
			if lag := lagOf(read(t, k), group, topic); lag == nil || lag.Rewound%8 > 1 {
				t.Errorf("%+v, want no rewind from a topic to another", lag)
			}
			if records := read(t, k).Follower.Records; records[kafka.UndecodableRecord] > 0 || records[kafka.TombstoneRecord] == 0 {
				t.Errorf("records %v", records)
			}
		})
	}
}

// Without READ on __consumer_offsets commits are polled, and what is granted is used.
func TestFollowerPermissions(t *testing.T) {
	c := pool.Shared(t, lab.Options{Secure: true})
	const topic, group, user = "follower-denied", "follower-denied-rc-0", "follower"
	c.CreateTopic(t, topic, 1, nil)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, lab.Records(10)...)
	c.CommitOffset(t, group, topic, 0, 8)
	c.AddUser(t, user)
	c.Allow(t, user, kadm.NewACLs().Topics(topic), kadm.OpDescribe, kadm.OpRead)
	c.Allow(t, user, kadm.NewACLs().Topics("__consumer_offsets"), kadm.OpDescribe)
	c.Allow(t, user, kadm.NewACLs().Groups(group), kadm.OpDescribe)
	k := follow(t, c, group, as(c, "SCRAM-SHA-512", user, lab.Password(user)))
	awaitState(t, k, kafka.FollowerDenied)
	lab.Await(t, func() error {
		if lag := lagOf(read(t, k), group, topic); lag == nil || lag.Known != 1 {
			return errors.New("no lag yet")
		}
		return nil
	})
	c.CommitOffset(t, group, topic, 0, 3)
	r := read(t, k)
	if lag := lagOf(r, group, topic); lag == nil || lag.Followed || lag.Rewound != 5 {
		t.Errorf("%+v, want the rewind that is polled", lag)
	}
	if r.Ledger.Errors[kafka.Failure{API: "Fetch", Error: kerr.TopicAuthorizationFailed.Message}] == 0 {
		t.Error("the refusal is not counted")
	}
}

// A node that goes away and comes back costs no rewind and invents none, whoever leads and coordinates meanwhile.
func TestFollowerOverElections(t *testing.T) {
	c := pool.Start(t, lab.Options{Brokers: 3})
	const topic = "elections"
	c.CreateTopic(t, topic, 1, nil)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, lab.Records(100)...)
	groups := make([]string, 12) // each node coordinates some of them
	for i := range groups {
		groups[i] = fmt.Sprintf("elections-rc-%d", i)
		c.CommitOffset(t, groups[i], topic, 0, 50)
	}
	k := follow(t, c, topic)
	awaitState(t, k, kafka.FollowerFollowing)
	read(t, k)
	for round, how := range []func(testing.TB, int32){c.StopNode, c.KillNode} {
		node := int32(round + 1)
		how(t, node)
		for _, group := range groups {
			c.CommitOffset(t, group, topic, 0, 40)
			c.CommitOffset(t, group, topic, 0, 60)
		}
		read(t, k)
		c.StartNode(t, node)
		for _, group := range groups {
			c.CommitOffset(t, group, topic, 0, 50)
		}
	}
	for _, group := range groups {
		// 50, 40, 60, 50, 40, 60, 50. A commit that is tried again may be there twice, which makes no rewind more.
		lab.Await(t, func() error {
			lag := lagOf(read(t, k), group, topic)
			if lag == nil || lag.Rewound < 40 {
				return fmt.Errorf("group %s: %+v, want 40 offsets rewound", group, lag)
			}
			return nil
		})
		lag := lagOf(read(t, k), group, topic)
		if lag == nil || lag.Rewound != 40 || lag.Partitions[0].Rewinds != 4 {
			t.Errorf("group %s: %+v, want 4 rewinds of 40 offsets", group, lag)
		}
	}
	awaitState(t, k, kafka.FollowerFollowing)
}
