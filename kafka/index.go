package kafka

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// index holds the tails of a cluster's partitions from scrape to scrape.
type index struct {
	scan   ScanConfig
	topics map[string]*topicTails

	// partial says that some group's commits are not known in this scrape, and were not long ago. What only that group
	// wants is kept then: it will want it again when its coordinator has moved or is back.
	partial bool
	since   time.Time // when that began; zero: all is known
}

type topicTails struct {
	id    TopicID
	parts []tail // the index is the partition's number

	// A topic that is not compacted keeps each offset as it is until retention deletes it. Of one that is, or may be
	// because its configuration could not be read, the maps are read again after a while.
	policy cleanupPolicy
	asked  time.Time
	wanted bool // some group wants something of it in this scrape
}

type cleanupPolicy uint8

const (
	policyUnknown cleanupPolicy = iota
	policyDelete
	policyCompact
)

func newIndex(scan ScanConfig) *index {
	return &index{scan: scan, topics: map[string]*topicTails{}}
}

// fits says that the tails are of this topic, and not of one that it has replaced.
func (tt *topicTails) fits(t *Topic) bool { return tt.id == t.ID && len(tt.parts) <= len(t.Partitions) }

// known is the tail of a partition; nil without one, and while it is doubted.
func (tt *topicTails) known(partition int32) *tail {
	if tt == nil || tt.parts[partition].doubted {
		return nil
	}
	return &tt.parts[partition]
}

// topic is the place for a topic's tails. One of another identity than the snapshot's is forgotten first.
func (x *index) topic(t *Topic) *topicTails {
	tt := x.topics[t.Name]
	if tt == nil || !tt.fits(t) {
		tt = &topicTails{id: t.ID}
		x.topics[t.Name] = tt
	}
	if more := len(t.Partitions) - len(tt.parts); more > 0 {
		tt.parts = append(tt.parts, make([]tail, more)...)
	}
	tt.wanted = true
	return tt
}

// begin drops the last scrape's wants. partial says that not all groups' commits are known in this one.
func (x *index) begin(now time.Time, partial bool) {
	switch {
	case !partial:
		x.since = time.Time{}
	case x.since.IsZero():
		x.since = now
	}
	x.partial = partial && now.Sub(x.since) < partialFor
	for _, tt := range x.topics {
		tt.wanted = false
	}
	for t := range x.tails() {
		t.wants, t.doubted = t.wants[:0], false
	}
}

// movedTail is a partition whose leader epoch is not the one under which its tail was read.
type movedTail struct {
	topic     *Topic
	partition int32
	tail      *tail
}

// settle forgets tails that nobody wants and those whose log's end moved back, and lists those under a new leader
// epoch, whose log may have been cut.
func (x *index) settle(s *Snapshot) (moved []movedTail) {
	for name, tt := range x.topics {
		topic := s.Topic(name)
		if topic == nil || topic.Err != nil || !tt.wanted && !x.partial || !tt.fits(topic) {
			delete(x.topics, name)
			continue
		}
		for i := range tt.parts {
			t, p := &tt.parts[i], &topic.Partitions[i]
			if p.Err != nil {
				continue // its leader may be back at the next scrape
			}
			if len(t.wants) == 0 {
				if !x.partial {
					t.forget()
					t.denied = time.Time{}
				}
				continue
			}
			if p.HighWatermark < t.high {
				t.forget()
			}
			if t.mapped() && p.LeaderEpoch != t.epoch && t.epoch >= 0 {
				moved = append(moved, movedTail{topic, int32(i), t})
				continue
			}
			t.epoch = p.LeaderEpoch
		}
	}
	return moved
}

// plan lists what is to be read. Of topics that are or may be compacted, maps past their age are read again.
func (x *index) plan(s *Snapshot) []*job {
	x.shed(s.At)
	var jobs []*job
	for name, tt := range x.topics {
		topic := s.Topic(name)
		for i := range tt.parts {
			t, p := &tt.parts[i], &topic.Partitions[i]
			if p.Err != nil || t.doubted || len(t.wants) == 0 || s.At.Sub(t.denied) < deniedFor {
				continue
			}
			t.high = p.HighWatermark
			stable, open, renewal := t.plan(p, x.partial)
			if x.scan.Recheck > 0 && tt.policy != policyDelete && t.renew(s.At, x.scan.Recheck, renewal) {
				stable, open, renewal = t.plan(p, x.partial)
			}
			if t.stable.len() == 0 {
				t.begun, t.calm = s.At, 0
			}
			if len(stable)+len(open)+len(renewal) == 0 {
				continue
			}
			j := job{topic: topic, partition: int32(i), tail: t, leader: p.Leader, epoch: p.LeaderEpoch, cuts: t.cuts(), moved: t.moved(), left: x.scan.BytesPerPartition}
			jobs = j.add(jobs, intoStable, &t.stable, stable)
			jobs = j.add(jobs, intoOpen, &t.open, open)
			jobs = j.add(jobs, intoRenewal, t.renewal, renewal)
		}
	}
	return jobs
}

// renewed puts the maps in place that were read again to the end in this scrape.
func (x *index) renewed(s *Snapshot) {
	for name, tt := range x.topics {
		topic := s.Topic(name)
		for i := range tt.parts {
			t, p := &tt.parts[i], &topic.Partitions[i]
			if t.renewal == nil || p.Err != nil || len(t.wants) == 0 {
				continue
			}
			_, _, renewal := t.plan(p, x.partial)
			t.renew(s.At, x.scan.Recheck, renewal)
		}
	}
}

// unsure lists topics whose maps are old enough to be read again unless the topic is not compacted, which is not known
// or was learned long ago.
func (x *index) unsure(s *Snapshot) (names []string) {
	if x.scan.Recheck <= 0 {
		return nil
	}
	for name, tt := range x.topics {
		if !tt.asked.IsZero() && s.At.Sub(tt.asked) < policyFor {
			continue
		}
		for i := range tt.parts {
			if tt.parts[i].due(s.At, x.scan.Recheck) {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// learn takes the policies of the topics that were asked about. One without an answer is taken as compacted.
func (x *index) learn(now time.Time, names []string, policies map[string]cleanupPolicy) {
	for _, name := range names {
		x.topics[name].policy, x.topics[name].asked = policies[name], now
	}
}

// partialFor is how long maps are kept for groups that cannot be seen: a rolling restart is over by then, and what only
// they want must not grow for ever.
const partialFor = 10 * time.Minute

// policyFor is how long a topic's cleanup policy is believed: people change it.
const policyFor = 30 * time.Minute

// shed makes room when the index is full: the longest maps forget their lowest offsets, which a group far behind wants,
// until a quarter of the index is free. Such a group must not leave the others without, be they on its partition or not.
// What was forgotten is read again once half of the index is free.
func (x *index) shed(now time.Time) {
	total := 0
	for t := range x.tails() {
		total += t.len()
	}
	if total < x.scan.MaxRuns/2 {
		for t := range x.tails() {
			t.floor = 0
		}
	}
	if total < x.scan.MaxRuns {
		return
	}
	tails := slices.SortedFunc(x.tails(), func(a, b *tail) int { return cmp.Compare(a.len(), b.len()) })
	left := x.scan.MaxRuns * 3 / 4
	for i, t := range tails { // what a short map leaves of its share is there for the longer ones
		t.shed(left/(len(tails)-i), now)
		left -= t.len()
	}
}

func (x *index) tails() iter.Seq[*tail] {
	return func(yield func(*tail) bool) {
		for _, tt := range x.topics {
			for i := range tt.parts {
				if !yield(&tt.parts[i]) {
					return
				}
			}
		}
	}
}
