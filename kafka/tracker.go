package kafka

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// tracker remembers the last commit of each group on each partition, and what commits have shown since the group was
// first seen. First sight, a topic of a new identity and a truncated log are no rewinds. What vanishes is forgotten.
//
// Commits come to it in two ways: polled by each scrape, and as trails of what a follower of __consumer_offsets saw since
// the last one. Both may tell the same commit, in either order, so each history has one line of time: the offsets of the
// records in __consumer_offsets. All that was committed below past.mark is in the history, and nothing from there on.
//
//   - A followed commit counts if its record stands at or above the mark. The mark then moves behind it.
//   - A polled commit is the one that stood at some moment before its fence: the end of __consumer_offsets, read after the
//     commit from the same broker. If it counts, the mark becomes the fence. What is followed later and lies below it may
//     be what was polled, and does not count. Without a fence nothing that is followed counts until there is one.
//   - While the follower keeps up, polled commits do not count, but for the first one, with which a history begins. It
//     keeps up with a group if it has read as far as a pass has seen the group's part of __consumer_offsets reach half a
//     minute ago. When it does not, because it may not read, a leader is down, or it catches up, they count.
//
// So no decline is counted twice, and every one that is counted has happened: of two commits that are compared, the
// second one is later. At a change from one way to the other, what lies between the two views of a moment may be missed.
type tracker struct {
	groups map[string]map[string]*history // by group, then topic
	absent map[string]time.Time           // groups that complete listings lack, and since when
	scrape uint32

	trails trails // what a follower saw and no scrape could use yet
	live   []bool // by partition of __consumer_offsets: the follower keeps up
}

func newTracker() *tracker {
	return &tracker{groups: map[string]map[string]*history{}, absent: map[string]time.Time{}, trails: trails{}}
}

// sight is how a scrape sees the commits of a group.
type sight struct {
	live  bool // a follower keeps up with them
	fence int64
	now   time.Time
}

// on is the history of a group on a topic. One of another topic of that name is forgotten, but for its counters; anew
// says so.
func (t *tracker) on(group string, topic *Topic) (h *history, anew bool) {
	topics := t.groups[group]
	if topics == nil {
		topics = map[string]*history{}
		t.groups[group] = topics
	}
	h = topics[topic.Name]
	if h == nil {
		h = &history{id: topic.ID}
		topics[topic.Name] = h
	}
	if h.id != topic.ID || h.missing && topic.ID == (TopicID{}) {
		anew = true
		h.id, h.settled = topic.ID, false
		for i := range h.parts {
			h.parts[i].forget(false)
			h.parts[i].leftover = true
		}
	}
	h.missing = false
	if more := len(topic.Partitions) - len(h.parts); more > 0 {
		h.parts = append(h.parts, make([]past, more)...)
	}
	return h, anew
}

// observe takes one group's commits on a topic whose partitions are known, what a follower saw of them first, and returns
// those that are lower than the ones before. Commits on partitions whose ends are unknown are left for a later scrape.
func (t *tracker) observe(group string, topic *Topic, commits []Commit, by sight) (h *history, lower []*rewind) {
	h, anew := t.on(group, topic)
	lower = h.follow(t, group, topic, anew)
	for _, c := range commits {
		if int(c.Partition) >= len(topic.Partitions) {
			continue
		}
		was, p := &h.parts[c.Partition], &topic.Partitions[c.Partition]
		first := was.at == 0
		if c.Code != 0 || p.Err != nil {
			if !first || was.leftover {
				was.at, was.moved = t.scrape, false
			}
			continue
		}
		was.cut(p)
		was.moved = !first && c.Offset != was.offset
		was.leftover = was.stays(c.Offset, p)
		counts := !was.leftover && (!was.known || was.mark == noFence || !by.live)
		if counts && was.entered != t.scrape {
			switch {
			case was.known && c.Offset < was.floor && !was.lapsed:
				lower = append(lower, &rewind{
					Rewind: Rewind{Group: group, Topic: topic.Name, Partition: c.Partition, From: was.floor, To: c.Offset},
					topic:  topic, history: h, epoch: was.epoch,
				})
				was.floor = c.Offset
			case !was.known || was.moved || was.lapsed || was.floor == noCommit:
				was.floor = c.Offset
			}
			was.known, was.lapsed, was.mark = true, false, by.fence
			if was.moved {
				was.time = by.now.UnixMilli()
			}
		}
		was.offset, was.high, was.epoch, was.at = c.Offset, p.HighWatermark, p.LeaderEpoch, t.scrape
		h.prove(was, p)
	}
	return h, lower
}

// end closes a scrape: partitions without a commit, topics and groups that are gone are forgotten. What could not be
// read is not gone.
func (t *tracker) end(s *Snapshot) {
	for name := range t.absent {
		if s.Group(name) != nil || t.groups[name] == nil && t.trails[name] == nil {
			delete(t.absent, name)
		}
	}
	for name, topics := range t.groups {
		group := s.Group(name)
		if group == nil {
			if s.GroupsComplete {
				t.missing(name, s.At)
			}
			continue
		}
		if group.CommitsErr != nil {
			continue
		}
		for topicName, h := range topics {
			topic := s.Topic(topicName)
			switch {
			case topic == nil || errors.Is(topic.Err, kerr.UnknownTopicOrPartition):
				if h.missing = group.committed(topicName); !h.missing {
					delete(topics, topicName)
				}
				continue
			case topic.Err != nil:
				continue
			}
			for i := range h.parts {
				if h.parts[i].at != t.scrape {
					h.parts[i].forget(t.sees(name))
				}
			}
		}
	}
	t.endTrails(s)
}

// committed says whether the group has commits on a topic, be there such a topic or not.
func (g *Group) committed(topic string) bool {
	i, ok := slices.BinarySearchFunc(g.Topics, topic, func(t GroupTopic, name string) int { return cmp.Compare(t.Topic, name) })
	return ok && len(g.Topics[i].Commits) > 0
}

// goneAfter is how long all complete listings must lack a group for it to be gone. It may be moving from one coordinator
// to another, however many scrapes that takes: several Prometheus servers may scrape within a second.
const goneAfter = time.Minute

// missing forgets a group that is gone.
func (t *tracker) missing(group string, now time.Time) {
	since, ok := t.absent[group]
	switch {
	case !ok:
		t.absent[group] = now
	case now.Sub(since) >= goneAfter:
		delete(t.groups, group)
		delete(t.trails, group)
		delete(t.absent, group)
	}
}
