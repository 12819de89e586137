// Package fake is a Kafka cluster that costs its clients next to nothing: it speaks the handful of requests that reading
// lag needs, from answers encoded beforehand. It holds no records; logs are patterns that are written out when fetched.
package fake

import (
	"fmt"
	"sync"
)

// Layout says how large a cluster is and what its logs look like.
type Layout struct {
	Brokers    int
	Topics     int
	Partitions int // of each topic
	Groups     int
	GroupSpan  int // topics on which each group has commits, on all their partitions

	// TailBytes other than 0 makes every log transactional, with batches of 16 KiB, and puts every commit this many
	// bytes below the end. With 0, of 20 topics 16 are plain with every commit at the end, 3 are transactional with every
	// commit before the last marker (raw lag 1, true lag 0), and one has commits 0 to 201 offsets below the end.
	TailBytes int64
}

// Wide is the cluster on which a scrape is measured: 10,000 partitions, 500 groups, 250,000 commits.
func Wide() Layout {
	return Layout{Brokers: 3, Topics: 100, Partitions: 100, Groups: 500, GroupSpan: 5}
}

// Tail is the cluster on which a scan is measured: one group, each of 6 partitions with a tail of so many bytes.
func Tail(bytes int64) Layout {
	return Layout{Brokers: 3, Topics: 1, Partitions: 6, Groups: 1, GroupSpan: 1, TailBytes: bytes}
}

// Truth is what a right answer sums to.
type Truth struct {
	Commits int64 // committed offsets of all groups
	Offsets int64 // their raw lag
	Records int64 // their true lag, for read_committed
}

// Tails is how many bytes of log lie between the lowest commit and the end, over all partitions: what must be fetched to
// know every lag.
func (c *Cluster) Tails() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	type place struct{ topic, partition int }
	low := map[place]int64{}
	for g := range c.groups {
		for _, t := range c.groups[g].topics {
			for n := range c.topics[t].ends {
				at := place{t, n}
				if commit, ok := low[at]; !ok || c.commit(g, t, n) < commit {
					low[at] = c.commit(g, t, n)
				}
			}
		}
	}
	var sum int64
	for at, commit := range low {
		t := &c.topics[at.topic]
		if end := t.ends[at.partition]; commit < end {
			_, _, size := t.pattern.read(nil, nil, commit, end, 1<<62, true)
			sum += size
		}
	}
	return sum
}

type topic struct {
	name    string
	id      [16]byte
	pattern *pattern
	starts  []int64
	ends    []int64 // high watermark and last stable offset: no transaction is open
}

type group struct {
	name        string
	coordinator int // index of a broker
	consumer    bool
	members     int
	topics      []int
}

// Cluster is the state that all brokers share.
type Cluster struct {
	layout  Layout
	brokers []address
	byID    map[[16]byte]int
	byName  map[string]int
	group   map[string]int

	mu     sync.RWMutex
	topics []topic
	groups []group
	moves  int
	cache  map[rendering][][]byte // encoded answers: one for each group, or one for all
}

type address struct {
	host string
	port int32
}

// NewCluster lays a cluster out. Every tenth group speaks the protocol of KIP-848; of the others half have two members
// and half none, as Flink's have.
func NewCluster(l Layout) *Cluster {
	c := &Cluster{layout: l, byID: map[[16]byte]int{}, byName: map[string]int{}, group: map[string]int{}}
	plain, phantom := newPattern(10, 100, false, 0), newPattern(1, 100, true, 0)
	behind := newPattern(100, 155, true, 8)
	for t := range l.Topics {
		p := plain
		switch {
		case l.TailBytes > 0 || t%20 == 19:
			p = behind
		case t%20 >= 16:
			p = phantom
		}
		id := [16]byte{0: 0xbe, 14: byte(t >> 8), 15: byte(t)}
		topic := topic{name: fmt.Sprintf("shop.orders.events-%03d", t), id: id, pattern: p}
		for n := range l.Partitions {
			turns := int64(1000 + (t*7919+n*104729)%5000)
			start := int64(100)
			if l.TailBytes > 0 {
				start, turns = 0, l.TailBytes/p.bytes()+2
			}
			topic.starts = append(topic.starts, start*p.segment())
			topic.ends = append(topic.ends, turns*p.segment())
		}
		c.byID[topic.id], c.byName[topic.name] = t, t
		c.topics = append(c.topics, topic)
	}
	for g := range l.Groups {
		group := group{name: fmt.Sprintf("consumers-of-shop-%03d", g), coordinator: g % l.Brokers, consumer: g%10 == 9}
		if g%2 == 1 {
			group.members = 2
		}
		for i := range l.GroupSpan {
			group.topics = append(group.topics, (g*l.GroupSpan+i)%l.Topics)
		}
		c.group[group.name] = g
		c.groups = append(c.groups, group)
	}
	c.cache = map[rendering][][]byte{}
	return c
}

func (c *Cluster) leader(topic, partition int) int { return (topic + partition) % c.layout.Brokers }

// commit is the committed offset of a group. It keeps its distance from the end when the end moves.
func (c *Cluster) commit(g, t, partition int) int64 {
	p, end := c.topics[t].pattern, c.topics[t].ends[partition]
	switch {
	case c.layout.TailBytes > 0:
		return end - c.layout.TailBytes/p.bytes()*p.segment()
	case p.abortEvery > 0:
		return end - int64(g*31+t*17+partition*13)%(2*p.segment())
	case p.transactional():
		return end - 1
	}
	return end
}

// Move is ordinary progress between two scrapes: one partition in a hundred of every topic gets one more batch, and all
// commits on it follow.
func (c *Cluster) Move() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for t := range c.topics {
		for n := range c.topics[t].ends {
			if n%100 == c.moves%100 {
				c.topics[t].ends[n] += c.topics[t].pattern.segment()
			}
		}
	}
	c.moves++
	c.renderAgain()
}

// Truth sums over all commits.
func (c *Cluster) Truth() Truth {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var sum Truth
	for g := range c.groups {
		for _, t := range c.groups[g].topics {
			for n, end := range c.topics[t].ends {
				commit := c.commit(g, t, n)
				sum.Commits++
				sum.Offsets += end - commit
				sum.Records += c.topics[t].pattern.deliverable(commit, end)
			}
		}
	}
	return sum
}
