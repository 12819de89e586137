package web

import (
	"cmp"
	"strings"
	"time"
)

// Row is one line of a list.
type Row struct {
	Group
	Partition int32  // -1: all of the topic
	Why       string // a partition's lag is not known

	// Of a partition whose lag is known, and of one that has no commit (Committed -1).
	Committed, Start, Stable, End int64
	EndsKnown                     bool
	Age                           time.Duration // time lag; negative: not known

	topics int // of a group's row
	worst  state
}

// take adds a topic to a group's row.
func (r *Row) take(t *Row) {
	r.topics++
	r.worst = min(r.worst, t.worst)
	r.Known = r.Known || t.Known
	r.Offsets += t.Offsets
	r.Records += t.Records
	r.Unscanned += t.Unscanned
	r.Blocked += t.Blocked
	r.Lost += t.Lost
	r.BeyondEnd += t.BeyondEnd
	r.Uncommitted = r.worst == uncommitted
}

func compareRows(a, b *Row) int {
	return cmp.Or(
		cmp.Compare(a.worst, b.worst),
		cmp.Compare(b.Records, a.Records),
		cmp.Compare(b.Lost, a.Lost),
		cmp.Compare(b.BeyondEnd, a.BeyondEnd),
		cmp.Compare(b.Offsets, a.Offsets),
		strings.Compare(a.Cluster, b.Cluster),
		strings.Compare(a.Group.Group, b.Group.Group),
		strings.Compare(a.Topic, b.Topic),
		cmp.Compare(a.Partition, b.Partition),
	)
}

// State is a word for the worst of what the row stands for.
func (r *Row) State() string { return r.worst.String() }

// Verdict says in one sentence whether the lag is real.
func (r *Row) Verdict() string {
	switch {
	case r.Why != "":
		return r.Why
	case r.worst == unknown && r.Known:
		return "Unknown in part: some commits or end offsets could not be read."
	}
	return r.verdict(r.worst)
}

// Phantom says that there is a raw lag without a record in it.
func (r *Row) Phantom() bool { return r.Known && r.worst == phantom }

// Topics is how many topics a group's row sums up.
func (r *Row) Topics() int { return r.topics }

// Link explains the row.
func (r *Row) Link() string { return r.place().Link() }

func (r *Row) place() Place {
	p := Place{Cluster: r.Cluster, Group: r.Group.Group, Topic: r.Topic, Partition: r.Partition}
	switch {
	case r.topics > 0:
		p.Scope = OneGroup
	case r.Partition < 0:
		p.Scope = OneTopic
	default:
		p.Scope = OnePartition
	}
	return p
}

// TimeLag is how old the first record left is.
func (r *Row) TimeLag() string {
	switch {
	case !r.Known || r.Age < 0:
		return "unknown"
	case r.Records == 0:
		return "0 s"
	}
	return lasted(r.Age)
}

// Segment is a part of a small strip, in twentieths of its length.
type Segment struct {
	Kind string
	N    int
}

// Letter is the kind's.
func (s Segment) Letter() string {
	if s.Kind == "none" {
		return "N"
	}
	return letters[s.Kind]
}

// Strip is the partition's lag as a small bar; empty without one.
func (r *Row) Strip() []Segment {
	if !r.Known || r.Offsets == 0 {
		return nil
	}
	var out []Segment
	for _, c := range []Count{
		{"lost", r.Lost}, {"record", r.Records - r.Unscanned}, {"unscanned", r.Unscanned},
		{"none", r.Offsets - r.Lost - r.Records - r.Blocked}, {"blocked", r.Blocked},
	} {
		if c.N > 0 {
			out = append(out, Segment{c.Kind, max(int(c.N*20/r.Offsets), 1)})
		}
	}
	return out
}
