package kafka

import (
	"strings"
	"unicode/utf8"
)

// trail is what a follower saw of the commits of one group on one partition since the last pass took it. It is compact:
// all that is kept of the commits between the first and the last are those that were lower than the one before.
type trail struct {
	first, firstAt int64 // the first commit and its record's offset; they mean something when begun
	last, lastAt   int64 // the last commit, unless gone, and its record's offset, or the tombstone's; lastAt is -1 at first
	firstTime      int64 // of the commits, in milliseconds since 1970
	time           int64
	commits        int64
	steps          []step  // back, in their order
	more           stepSum // of steps that came when there were too many
	id             TopicID // of the last commit; zero: its record told none
	begun          bool    // no tombstone came before first, and no topic of another identity
	gone           bool    // the last thing seen was a tombstone
}

// step is a commit lower than the one before it.
type step struct {
	from, to int64
	at       int64 // the record's offset
	time     int64 // of the lower commit
}

// stepSum stands for steps that were not kept one by one.
type stepSum struct{ times, offsets int64 }

// maxSteps bounds the steps that are kept of one trail.
const maxSteps = 16

// add takes the next commit or tombstone. A commit whose record is older than that of the last one came with a
// transaction that ended later; the broker drops it, too.
func (t *trail) add(c *seenCommit) {
	if !c.gone {
		t.commits++
	}
	if c.at <= t.lastAt {
		return
	}
	if t.differs(c.id) {
		t.cut()
	}
	switch {
	case c.gone:
		t.gone, t.lastAt = true, c.at
		return
	case t.lastAt < 0:
		t.begun, t.first, t.firstAt, t.firstTime = true, c.offset, c.at, c.time
	case !t.gone && c.offset < t.last:
		t.step(step{t.last, c.offset, c.at, c.time})
	}
	t.last, t.lastAt, t.time, t.gone = c.offset, c.at, c.time, false
	t.id = c.id
}

// differs says that an identity is another than the one seen before, both being told.
func (t *trail) differs(id TopicID) bool {
	return id != (TopicID{}) && t.id != (TopicID{}) && id != t.id
}

// cut forgets what was seen of a topic that another of the same name has replaced.
func (t *trail) cut() { *t = trail{commits: t.commits, lastAt: t.lastAt, gone: true} }

func (t *trail) step(s step) {
	if len(t.steps) < maxSteps {
		t.steps = append(t.steps, s)
		return
	}
	t.more.times++
	t.more.offsets += s.from - s.to
}

// join appends what was seen later.
func (t *trail) join(n *trail) {
	t.commits += n.commits
	if n.lastAt <= t.lastAt {
		return
	}
	if t.differs(n.id) {
		t.cut()
	}
	if n.begun && !t.gone && n.firstAt > t.lastAt && n.first < t.last {
		t.step(step{t.last, n.first, n.firstAt, n.firstTime})
	}
	for _, s := range n.steps {
		t.step(s)
	}
	t.more.times += n.more.times
	t.more.offsets += n.more.offsets
	t.last, t.lastAt, t.time, t.gone, t.id = n.last, n.lastAt, n.time, n.gone, n.id
}

// trails are the trails of many groups, by group, topic and partition.
type trails map[string]*groupTrails

type groupTrails struct {
	log    int // partition of __consumer_offsets
	topics places[trail]
}

// on is the trail of a commit; new ones are made.
func (g *groupTrails) on(c *seenCommit) *trail { return g.topics.of(c, trail{lastAt: -1}) }

// places has something for each topic and partition that a group commits on.
type places[T any] map[string]map[int32]*T

// of is what there is for the place of a commit; at a new one it begins as first.
func (ps places[T]) of(c *seenCommit, first T) *T {
	parts := ps[c.topic]
	if parts == nil {
		parts = map[int32]*T{}
		ps[strings.Clone(c.topic)] = parts
	}
	if parts[c.partition] == nil {
		parts[c.partition] = new(first)
	}
	return parts[c.partition]
}

// of are the trails of a commit's group; nil where the group is not filed in the partition of __consumer_offsets that its
// name hashes to.
func (ts trails) of(c *seenCommit, log, logs int) *groupTrails {
	g := ts[c.group]
	if g == nil {
		if logPartition(c.group, logs) != log && utf8.ValidString(c.group) {
			return nil
		}
		g = &groupTrails{log: log, topics: places[trail]{}}
		ts[strings.Clone(c.group)] = g
	}
	return g
}

// join appends what was seen later. Nothing in later may be used afterwards.
func (ts trails) join(later trails) {
	for name, n := range later {
		g := ts[name]
		if g == nil {
			ts[name] = n
			continue
		}
		for topic, parts := range n.topics {
			was := g.topics[topic]
			if was == nil {
				g.topics[topic] = parts
				continue
			}
			for p, t := range parts {
				if was[p] == nil {
					was[p] = t
				} else {
					was[p].join(t)
				}
			}
		}
	}
}

// drop forgets the groups that are filed in a partition of __consumer_offsets.
func (ts trails) drop(log int) {
	for name, g := range ts {
		if g.log == log {
			delete(ts, name)
		}
	}
}

// sieve is a filter that remembers what it has said of the names that come by.
type sieve struct {
	filter Filter
	said   map[string]bool
}

// sieveNames bounds what a sieve remembers.
const sieveNames = 1 << 14

func newSieve(f Filter) *sieve { return &sieve{filter: f, said: map[string]bool{}} }

func (s *sieve) lets(name string) bool {
	if lets, ok := s.said[name]; ok {
		return lets
	}
	if len(s.said) >= sieveNames {
		clear(s.said)
	}
	lets := s.filter.Match(name)
	s.said[strings.Clone(name)] = lets
	return lets
}
