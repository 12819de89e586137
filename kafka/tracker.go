package kafka

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
)

// tracker remembers the last commit of each group on each partition, and what commits have shown since the group was
// first seen. First sight, a topic of a new identity and a truncated log are no rewinds. What vanishes is forgotten.
type tracker struct {
	groups map[string]map[string]*history // by group, then topic
	absent map[string]bool                // groups that the last complete listing lacked
	scrape uint32
}

func newTracker() *tracker { return &tracker{groups: map[string]map[string]*history{}, absent: map[string]bool{}} }

// history is what is remembered of one group on one topic.
type history struct {
	id       TopicID
	parts    []past // the index is the partition's number
	rewound  int64
	replayed int64
	settled  bool // two commits of one partition, at different times, where no read_committed consumer gets
}

// past is the last commit on one partition, seen while the partition's ends were known.
type past struct {
	offset  int64
	floor   int64 // where a lower commit begins to be a rewind: offset, or where the log was cut below it
	high    int64 // high watermark beside it
	proof   int64 // the last commit that stood above the last stable offset
	rewinds int64
	epoch   int32  // leader epoch beside it
	at      uint32 // the scrape that saw it last; 0: none did, and nothing above but rewinds means anything
	proven  bool   // proof means something
	moved   bool   // the last scrape saw it move
}

// Rewind is a commit lower than the one before it, of the same group on the same topic and partition.
type Rewind struct {
	Group, Topic string
	Partition    int32
	From, To     int64 // the offsets of [To, From) will be read again
}

// rewind is a Rewind that is to be confirmed.
type rewind struct {
	Rewind
	topic   *Topic
	history *history
	epoch   int32 // the leader epoch when From was seen
	at      int   // where its standing is
}

// on is the history of a group on a topic. One of another topic of that name is forgotten, but for its counters.
func (t *tracker) on(group string, topic *Topic) *history {
	topics := t.groups[group]
	if topics == nil {
		topics = map[string]*history{}
		t.groups[group] = topics
	}
	h := topics[topic.Name]
	if h == nil {
		h = &history{id: topic.ID}
		topics[topic.Name] = h
	}
	if h.id != topic.ID {
		h.id, h.settled = topic.ID, false
		for i := range h.parts {
			h.parts[i].forget()
		}
	}
	if more := len(topic.Partitions) - len(h.parts); more > 0 {
		h.parts = append(h.parts, make([]past, more)...)
	}
	return h
}

func (p *past) forget() { *p = past{rewinds: p.rewinds} }

// observe takes one group's commits on a topic whose partitions are known, and returns those that are lower than the
// ones before. Commits on partitions whose ends are unknown are left for a later scrape.
func (t *tracker) observe(group string, topic *Topic, commits []Commit) (h *history, lower []*rewind) {
	h = t.on(group, topic)
	for _, c := range commits {
		if int(c.Partition) >= len(topic.Partitions) {
			continue
		}
		was, p := &h.parts[c.Partition], &topic.Partitions[c.Partition]
		first := was.at == 0
		if c.Code != 0 || p.Err != nil {
			if !first {
				was.at, was.moved = t.scrape, false
			}
			continue
		}
		if !first && p.HighWatermark < was.high {
			was.floor = min(was.floor, p.HighWatermark) // the log was cut: what lay above is not there to be read again
		}
		if !first && c.Offset < was.floor {
			lower = append(lower, &rewind{
				Rewind: Rewind{group, topic.Name, c.Partition, was.floor, c.Offset},
				topic:  topic, history: h, epoch: was.epoch,
			})
		}
		was.moved = !first && c.Offset != was.offset
		if first || was.moved {
			was.offset, was.floor = c.Offset, c.Offset
		}
		was.high, was.epoch, was.at = p.HighWatermark, p.LeaderEpoch, t.scrape
		h.prove(was, p)
	}
	return h, lower
}

// prove notes a commit that no read_committed consumer gets to by reading: above the last stable offset, which was read
// after it, and above the log start. --reset-offsets --to-latest writes one too, so a single one counts only while it
// stands. A second one of the same partition settles it.
func (h *history) prove(was *past, p *Partition) {
	if !p.above(was.offset) {
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
		if was := &h.parts[i]; was.at == t.scrape && topic.Partitions[i].above(was.offset) {
			return ReadUncommitted, Observed
		}
	}
	return ReadCommitted, Assumed
}

// count enters a confirmed rewind.
func (r *rewind) count(replayed int64) {
	r.history.parts[r.Partition].rewinds++
	r.history.rewound += r.From - r.To
	r.history.replayed += replayed
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
				delete(topics, topicName)
				continue
			case topic.Err != nil:
				continue
			}
			for i := range h.parts {
				if h.parts[i].at != t.scrape {
					h.parts[i].forget()
				}
			}
		}
	}
}

// missing forgets a group that two listings in a row lack. One alone may have been made while it moved from one
// coordinator to another.
func (t *tracker) missing(group string) {
	if t.absent[group] {
		delete(t.groups, group)
		delete(t.absent, group)
		return
	}
	t.absent[group] = true
}
