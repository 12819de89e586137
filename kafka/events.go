package kafka

import (
	"slices"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
)

// EventKind says what has happened.
type EventKind uint8

// The kinds of events. A group's offsets are lost, or its commit beyond the end, for as long as nobody does anything:
// there is an event when that begins, at the first sight at the latest, and one when it is over.
const (
	Rewound       EventKind = iota // a commit lower than the one before: offsets [From, To) backwards
	Recreated                      // a topic of another identity took the place of one of the same name
	Truncated                      // a high watermark moved back from From to To
	BeyondEndSeen                  // a commit stands at To, beyond the high watermark From
	BeyondEndOver
	LostSeen // the offsets from the commit From to the log start To were deleted before the group read them
	LostOver
	eventKinds
)

// EventKinds lists every kind in the order of their values.
func EventKinds() []EventKind {
	return []EventKind{Rewound, Recreated, Truncated, BeyondEndSeen, BeyondEndOver, LostSeen, LostOver}
}

func (k EventKind) String() string {
	return [eventKinds]string{"rewind", "recreated", "truncated", "beyond_end", "beyond_end_over", "lost", "lost_over"}[k]
}

// Event is a finding about a partition, or about a whole topic.
type Event struct {
	At        time.Time // of the read that found it, or of the commit where commits are followed
	Kind      EventKind
	Group     string // empty for what happens to a topic
	Topic     string
	Partition int32 // -1: the whole topic
	From, To  int64 // offsets; of what is over, those when it was last seen
	Offsets   int64 // between them
	Records   int64 // of a rewind: records that are read again
	More      int64 // further findings of the kind in the same read, which are counted and not kept
}

const (
	eventsKept   = 1000
	eventsARead  = 100 // of one kind: a recreated topic must not push everything else out
	eventLines   = 10  // logged of one kind
	eventsPeriod = time.Minute
)

// events keeps the newest findings, counts all, and logs some.
type events struct {
	logger log.Logger

	mu      sync.Mutex
	ring    []Event // oldest first, from next on once it is full
	next    int
	counts  [eventKinds]int64
	allowed [eventKinds]allowance
}

// allowance is how many more lines the log takes.
type allowance struct {
	since  time.Time
	logged int
	held   int64
}

func newEvents(logger log.Logger) *events { return &events{logger: logger} }

// rewound enters a confirmed rewind.
func (v *events) rewound(at time.Time, r *Rewind, records int64) {
	v.add(at, Event{
		At: r.at(at), Kind: Rewound, Group: r.Group, Topic: r.Topic, Partition: r.Partition,
		From: r.From, To: r.To, Offsets: r.From - r.To, Records: records, More: r.More,
	})
}

// at is when the lower commit was made, or when it was found.
func (r *Rewind) at(found time.Time) time.Time {
	if r.Time <= 0 {
		return found
	}
	return time.UnixMilli(r.Time)
}

// add enters findings. Without any it only tells the log what it has kept from it, when the time has come.
func (v *events) add(at time.Time, found ...Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range found {
		e := &found[i]
		v.counts[e.Kind] += 1 + e.More
		if len(v.ring) < eventsKept {
			v.ring = append(v.ring, *e)
		} else {
			v.ring[v.next] = *e
			v.next = (v.next + 1) % eventsKept
		}
	}
	v.log(at, found)
}

// log writes a line for each finding, and of many of one kind only how many there were.
func (v *events) log(at time.Time, found []Event) {
	for k := range v.allowed {
		a := &v.allowed[k]
		if at.Sub(a.since) < eventsPeriod {
			continue
		}
		if a.held > 0 {
			level.Warn(v.logger).Log("msg", "Findings that were not logged one by one", "kind", EventKind(k), "count", a.held, "since", a.since.UTC().Format(time.RFC3339))
		}
		*a = allowance{since: at}
	}
	for i := range found {
		e := &found[i]
		a := &v.allowed[e.Kind]
		if a.logged == eventLines {
			a.held += 1 + e.More
			continue
		}
		a.logged++
		a.held += e.More
		l := level.Warn(v.logger)
		if e.Kind == BeyondEndOver || e.Kind == LostOver {
			l = level.Info(v.logger)
		}
		l.Log("msg", "Finding", "kind", e.Kind, "group", e.Group, "topic", e.Topic, "partition", e.Partition,
			"from", e.From, "to", e.To, "offsets", e.Offsets, "records", e.Records)
	}
}

// newest are the findings that are kept and wanted, newest first.
func (v *events) newest(want func(*Event) bool) []Event {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []Event
	for i := range v.ring {
		if e := &v.ring[(v.next+i)%len(v.ring)]; want(e) {
			all = append(all, *e)
		}
	}
	slices.Reverse(all)
	return all
}

func (v *events) rewindsOf(group, topic string, partition int32) []Event {
	return v.newest(func(e *Event) bool {
		return e.Kind == Rewound && e.Group == group && e.Topic == topic && e.Partition == partition
	})
}

func (v *events) counted() [eventKinds]int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts
}

// Events are the last findings, newest first, a thousand at the most.
func (c *Cluster) Events() []Event { return c.events.newest(func(*Event) bool { return true }) }
