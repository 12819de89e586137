package lab

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
)

// node is the node with an id, from 1 on.
func (c *Cluster) node(t testing.TB, id int32) *node {
	t.Helper()
	if id < 1 || int(id) > len(c.nodes) {
		t.Fatalf("no node %d in a cluster of %d", id, len(c.nodes))
	}
	return c.nodes[id-1]
}

// KillNode ends a node at once, as kill -9 does. Ids start at 1.
func (c *Cluster) KillNode(t testing.TB, id int32) {
	t.Helper()
	c.node(t, id).kill()
}

// StopNode ends a node in good order: it hands its leaderships over first.
func (c *Cluster) StopNode(t testing.TB, id int32) {
	t.Helper()
	if err := c.node(t, id).stop(); err != nil {
		t.Fatal(err)
	}
}

// FreezeNode makes a node hang, until ThawNode: its connections stay open, and nothing is answered.
func (c *Cluster) FreezeNode(t testing.TB, id int32) {
	t.Helper()
	c.node(t, id).signal(t, syscall.SIGSTOP)
}

// ThawNode lets a frozen node go on.
func (c *Cluster) ThawNode(t testing.TB, id int32) {
	t.Helper()
	c.node(t, id).signal(t, syscall.SIGCONT)
}

// StartNode starts a node that was ended, and waits until it has joined again and its replicas have caught up.
func (c *Cluster) StartNode(t testing.TB, id int32) {
	t.Helper()
	if err := c.node(t, id).start(false); err != nil {
		t.Fatal(err)
	}
	c.AwaitNodes(t)
	c.AwaitReplicas(t)
}

// AwaitReplicas waits until all replicas of all partitions are in sync, and all nodes that run agree who leads them: else the next node
// that goes may take the last one with it, or an answer may be that of a node which does not know yet what has happened.
func (c *Cluster) AwaitReplicas(t testing.TB) {
	t.Helper()
	type leader struct{ node, epoch int32 }
	Await(t, func() error {
		views, err := c.metadataOfAll(t.Context(), nil)
		if err != nil {
			return err
		}
		led := map[string]leader{}
		for id, view := range views {
			for _, topic := range view.Topics {
				for _, p := range topic.Partitions {
					at := fmt.Sprint(*topic.Topic, "-", p.Partition)
					if len(p.ISR) != len(p.Replicas) {
						return fmt.Errorf("node %d: %s: replicas %v, in sync %v", id, at, p.Replicas, p.ISR)
					}
					now := leader{p.Leader, p.LeaderEpoch}
					if was, ok := led[at]; ok && was != now {
						return fmt.Errorf("node %d says that %s is led by %+v, another one by %+v", id, at, now, was)
					}
					led[at] = now
				}
			}
		}
		return nil
	})
}

// AwaitNodes waits until all nodes that run know which do: a killed one stays in the metadata for some seconds.
func (c *Cluster) AwaitNodes(t testing.TB) {
	t.Helper()
	within(t, patience, c.awaitNodes)
}

// awaitNodes waits until the metadata of each node names all that run, and no others.
func (c *Cluster) awaitNodes(ctx context.Context) error {
	var want []int32
	for _, n := range c.nodes {
		if n.running() {
			want = append(want, n.id)
		}
	}
	return await(ctx, func() error {
		for _, n := range c.nodes {
			if n.died() {
				return fmt.Errorf("%w: node %d ended by itself", errHopeless, n.id)
			}
		}
		views, err := c.metadataOfAll(ctx, []string{})
		if err != nil {
			return err
		}
		for id, view := range views {
			var got []int32
			for _, b := range view.Brokers {
				got = append(got, b.NodeID)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				return fmt.Errorf("the metadata of node %d names the nodes %v, want %v", id, got, want)
			}
		}
		return nil
	})
}
