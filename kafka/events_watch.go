package kafka

import (
	"cmp"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
)

// watch compares each Reading with what those before it have told, and says what has happened to topics and commits.
// What could not be read has not changed.
type watch struct {
	round    uint32
	topics   map[string]*watched
	standing map[finding]*standingEvent
}

// watched is what is known of a topic.
type watched struct {
	id    TopicID
	high  []int64 // high watermarks by partition; unread: never seen
	round uint32
}

// finding is where a condition of one kind stands.
type finding struct {
	kind         EventKind
	group, topic string
	partition    int32
}

// standingEvent is a condition that has begun and is not over.
type standingEvent struct {
	Event
	round uint32 // that saw it last
}

func newWatch() *watch {
	return &watch{topics: map[string]*watched{}, standing: map[finding]*standingEvent{}}
}

// next takes a Reading and returns what it tells that is new.
func (w *watch) next(r *Reading) []Event {
	w.round++
	found := w.logs(r)
	found = w.commits(r, found)
	found = w.over(r, found)
	return sample(found)
}

// logs compares topics. Those that are in the Reading only for groups of this shard are another one's to tell of.
func (w *watch) logs(r *Reading) (found []Event) {
	for i := range r.Topics {
		t := &r.Topics[i]
		known := w.topics[t.Name]
		if known == nil {
			known = &watched{id: t.ID}
			w.topics[t.Name] = known
		}
		known.round = w.round
		if t.Err != nil {
			continue
		}
		own := r.Shard.Owns(t.Name)
		if known.id != t.ID {
			if own && known.id != (TopicID{}) && t.ID != (TopicID{}) {
				found = append(found, Event{At: r.At, Kind: Recreated, Topic: t.Name, Partition: -1})
			}
			*known = watched{id: t.ID, round: w.round}
		}
		for len(known.high) < len(t.Partitions) {
			known.high = append(known.high, unread)
		}
		for n := range t.Partitions {
			p := &t.Partitions[n]
			if p.Err != nil {
				continue
			}
			if was := known.high[n]; own && p.HighWatermark < was {
				found = append(found, Event{
					At: r.At, Kind: Truncated, Topic: t.Name, Partition: int32(n),
					From: was, To: p.HighWatermark, Offsets: was - p.HighWatermark,
				})
			}
			known.high[n] = p.HighWatermark
		}
	}
	for name, known := range w.topics {
		if known.round != w.round { // gone, and no commit names it any more
			delete(w.topics, name)
		}
	}
	return found
}

// commits looks for commits outside their logs.
func (w *watch) commits(r *Reading, found []Event) []Event {
	for i := range r.Lags {
		l := &r.Lags[i]
		if l.Conditions[BeyondEnd]+l.Conditions[BelowStart] == 0 {
			continue
		}
		t := r.Topic(l.Topic)
		for n := range l.Partitions {
			row := &l.Partitions[n]
			if !row.Known {
				continue
			}
			e := Event{At: r.At, Group: l.Group, Topic: l.Topic, Partition: row.Partition}
			switch p := &t.Partitions[row.Partition]; {
			case row.Committed > p.HighWatermark:
				e.Kind, e.From, e.To = BeyondEndSeen, p.HighWatermark, row.Committed
			case row.Committed < p.LogStart:
				e.Kind, e.From, e.To = LostSeen, row.Committed, p.LogStart
			default:
				continue
			}
			e.Offsets = e.To - e.From
			key := finding{e.Kind, e.Group, e.Topic, e.Partition}
			s := w.standing[key]
			if s == nil {
				s = &standingEvent{}
				w.standing[key] = s
				found = append(found, e)
			}
			s.Event, s.round = e, w.round
		}
	}
	return found
}

// over looks which conditions stand no more.
func (w *watch) over(r *Reading, found []Event) []Event {
	for key, s := range w.standing {
		if s.round == w.round || unknownNow(r, key) {
			continue
		}
		delete(w.standing, key)
		e := s.Event
		e.At, e.Kind = r.At, e.Kind+1
		found = append(found, e)
	}
	return found
}

// unknownNow says that a Reading does not tell whether a condition still stands.
func unknownNow(r *Reading, at finding) bool {
	g, t := r.Group(at.group), r.Topic(at.topic)
	switch {
	case g == nil:
		return !r.GroupsComplete
	case g.CommitsErr != nil:
		return true
	case t == nil, errors.Is(t.Err, kerr.UnknownTopicOrPartition):
		return false
	case t.Err != nil:
		return true
	case int(at.partition) >= len(t.Partitions):
		return false
	case t.Partitions[at.partition].Err != nil:
		return true
	}
	for _, gt := range g.Topics { // a row of the answer may have an error of its own
		if i, ok := slices.BinarySearchFunc(gt.Commits, at.partition, func(c Commit, p int32) int { return cmp.Compare(c.Partition, p) }); ok && gt.Topic == at.topic {
			return gt.Commits[i].Code != 0
		}
	}
	return false
}

// sample keeps some findings of each kind, and lets the last one say how many more there were.
func sample(found []Event) []Event {
	slices.SortFunc(found, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	kept := found[:0]
	var last *Event
	n := 0
	for i := range found {
		if last == nil || found[i].Kind != last.Kind {
			n = 0
		}
		if n++; n > eventsARead {
			last.More++
			continue
		}
		kept = append(kept, found[i])
		last = &kept[len(kept)-1]
	}
	return kept
}
