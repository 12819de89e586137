package kafka

import (
	"cmp"
	"errors"
	"math"
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
	absent map[string]bool                // groups that the last complete listing lacked
	scrape uint32

	trails trails // what a follower saw and no scrape could use yet
	live   []bool // by partition of __consumer_offsets: the follower keeps up
}

func newTracker() *tracker {
	return &tracker{groups: map[string]map[string]*history{}, absent: map[string]bool{}, trails: trails{}}
}

// history is what is remembered of one group on one topic.
type history struct {
	id       TopicID
	parts    []past // the index is the partition's number
	commits  int64  // that a follower saw
	rewound  int64
	replayed int64
	missing  bool // the last scrape found commits, but no topic
	settled  bool // two commits of one partition, at different times, where no read_committed consumer gets
}

// past is the last commit on one partition, seen while the partition's ends were known.
type past struct {
	offset   int64 // as last polled
	floor    int64 // where a lower commit begins to be a rewind: the last one, or where the log was cut below it; or noCommit
	mark     int64 // the offset in __consumer_offsets up to which commits are in the history; noFence: not known
	high     int64 // high watermark beside it
	proof    int64 // the last commit that stood above the last stable offset
	time     int64 // of the last commit, in milliseconds since 1970; 0: none was seen
	rewinds  int64
	epoch    int32  // leader epoch beside it
	at       uint32 // the scrape that saw it last; 0: none did
	entered  uint32 // the scrape in which a trail has last moved it on; what it polled is older, or as good
	known    bool   // floor and mark mean something
	proven   bool   // proof means something
	moved    bool   // the last scrape saw it move
	lapsed   bool   // a scrape saw no commit since
	leftover bool   // offset is of a topic that this one has replaced, and no commit is known to be about this one
}

const (
	noFence  = math.MaxInt64 // stands above every record
	noCommit = -1            // and this below every commit
)

// Rewind is a commit lower than the one before it, of the same group on the same topic and partition.
type Rewind struct {
	Group, Topic string
	Partition    int32
	From, To     int64 // the offsets of [To, From) will be read again
	Time         int64 // of the lower commit, in milliseconds since 1970; 0: it was polled, so it is not known
	More         int64 // further ones, which were too many to be told one by one
}

// rewind is a Rewind that is to be confirmed.
type rewind struct {
	Rewind
	more    int64 // the offsets of the further ones
	topic   *Topic
	history *history
	epoch   int32 // the leader epoch when From was seen
	at      int   // where its standing is
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

// forget notes that nothing is committed any more. The mark stays: a commit that was counted before must not count again
// when a follower comes to it. One that keeps up will come to the commit's end, and to what was before: for it the floor
// stays, too, but not for polls.
func (p *past) forget(followed bool) {
	*p = past{offset: p.offset, rewinds: p.rewinds, mark: p.mark, known: p.known, floor: p.floor, lapsed: true, leftover: p.leftover}
	if !followed {
		p.floor = noCommit
	}
}

// stays says whether a commit is still, for all that is known, about a topic that this one has replaced: brokers keep such
// commits, and consumers that have not noticed make them. It is where the last one about that topic was, or where the new
// one has never been.
func (p *past) stays(offset int64, now *Partition) bool {
	return p.leftover && (offset == p.offset || offset > now.HighWatermark)
}

// cut lowers the floor to where the log was cut: what lay above is not there to be read again.
func (p *past) cut(now *Partition) {
	if p.known && p.at != 0 && now.HighWatermark < p.high {
		p.floor = min(p.floor, now.HighWatermark)
	}
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

// prove notes a commit that no read_committed consumer gets to by reading: above the last stable offset, which was read
// after it, and above the log start. --reset-offsets --to-latest writes one too, so a single one counts only while it
// stands. A second one of the same partition settles it.
func (h *history) prove(was *past, p *Partition) {
	if was.leftover || !p.above(was.offset) {
		return
	}
	if was.proven && was.proof != was.offset {
		h.settled = true
	}
	was.proof, was.proven = was.offset, true
}

// above says that an offset lies where an open transaction holds read_committed consumers back.
func (p *Partition) above(offset int64) bool {
	return p.Err == nil && offset > p.LastStable && offset > p.LogStart && offset <= p.HighWatermark
}

// isolation is what a group's commits on a topic show.
func (t *tracker) isolation(h *history, topic *Topic) (Isolation, IsolationSource) {
	if h.settled {
		return ReadUncommitted, Observed
	}
	for i := range topic.Partitions {
		if was := &h.parts[i]; was.at == t.scrape && !was.leftover && topic.Partitions[i].above(was.offset) {
			return ReadUncommitted, Observed
		}
	}
	return ReadCommitted, Assumed
}

// count enters a confirmed rewind, and how many records were found in it. Of further ones all offsets may be records.
func (r *rewind) count(replayed int64) {
	r.history.parts[r.Partition].rewinds += 1 + r.More
	r.history.rewound = sum(r.history.rewound, sum(r.From-r.To, r.more))
	r.history.replayed = sum(r.history.replayed, sum(replayed, r.more))
}

// end closes a scrape: partitions without a commit, topics and groups that are gone are forgotten. What could not be
// read is not gone.
func (t *tracker) end(s *Snapshot) {
	for name, topics := range t.groups {
		group := s.Group(name)
		if group == nil {
			if s.GroupsComplete {
				t.missing(name)
			}
			continue
		}
		delete(t.absent, name)
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

// missing forgets a group that two listings in a row lack. One alone may have been made while it moved from one
// coordinator to another.
func (t *tracker) missing(group string) {
	if t.absent[group] {
		delete(t.groups, group)
		delete(t.trails, group)
		delete(t.absent, group)
		return
	}
	t.absent[group] = true
}
