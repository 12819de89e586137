package web

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Lags is what the last scrapes have told, from memory.
type Lags struct {
	Read   time.Time // the oldest of the readings; zero: there is none
	Unread []string  // clusters that were not read yet
	Shard  string    // I/N: groups of other shards are not among the rows; empty: all are

	// Rows are one for each group and topic, the topics of a group one after the other; in the scope OneTopic one for
	// each of the topic's partitions.
	Rows iter.Seq[*Row]
}

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

// listed is how many rows a list shows.
const listed = 500

// Listing is a list of groups, of a group's topics, or of a topic's partitions, worst first.
type Listing struct {
	Place  Place
	Query  string // searched for; empty: everything
	Read   time.Time
	Unread []string
	Shard  string
	Rows   []*Row
	Total  int // rows before the list was cut
	All    int // rows before the search

	tally [states]int
}

// List ranks rows. A query leaves groups whose name, or the name of one of whose topics, holds it, in any case.
func List(p Place, query string, lags Lags) *Listing {
	l := &Listing{Place: p, Query: query, Read: lags.Read, Unread: lags.Unread, Shard: lags.Shard}
	match := matcher(query)
	var sum *Row
	hit := false
	flush := func() {
		if sum == nil {
			return
		}
		l.All++
		if hit {
			l.add(sum)
		}
		sum, hit = nil, false
	}
	for r := range lags.Rows {
		r.worst = r.state()
		if p.Scope != EveryGroup {
			l.All++
			l.add(r)
			continue
		}
		if sum != nil && (sum.Cluster != r.Cluster || sum.Group.Group != r.Group.Group) {
			flush()
		}
		if sum == nil {
			sum = &Row{Group: Group{Cluster: r.Cluster, Group: r.Group.Group}, Partition: -1, worst: r.worst}
			hit = match(r.Group.Group)
		}
		hit = hit || match(r.Topic)
		sum.take(r)
	}
	flush()
	slices.SortFunc(l.Rows, compareRows)
	l.Rows = l.Rows[:min(len(l.Rows), listed)]
	return l
}

func (l *Listing) add(r *Row) {
	l.Total++
	l.tally[r.worst]++
	if len(l.Rows) >= 4*listed { // nobody reads on, and there may be a million
		slices.SortFunc(l.Rows, compareRows)
		l.Rows = l.Rows[:listed]
	}
	l.Rows = append(l.Rows, r)
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

// matcher finds what people type: part of a name as it is, or as a page shows it, in any case.
func matcher(query string) func(string) bool {
	if query == "" {
		return func(string) bool { return true }
	}
	lower := strings.ToLower(query)
	return func(s string) bool {
		return strings.Contains(s, query) || strings.Contains(strings.ToLower(printable(s, len(s))), lower)
	}
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

// lasted is a duration in words: "3 s", "2 min".
func lasted(d time.Duration) string {
	return strings.TrimSuffix(age(time.Time{}.Add(d+time.Hour), time.Time{}.Add(time.Hour)), " ago")
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

// Tally is how many rows are in a state, and Tallies those in the order of the page.
type Tally struct {
	State, Title string
	N            int64
}

// Tallies count the rows that were found by their states.
func (l *Listing) Tallies() []Tally {
	titles := [states]string{"lost or beyond the end", "behind", "held back by a transaction", "unknown", "not committed", "caught up, but with raw lag", "caught up"}
	var out []Tally
	for s, n := range l.tally {
		if n > 0 {
			out = append(out, Tally{state(s).String(), titles[s], int64(n)})
		}
	}
	return out
}

// Unit is what the rows are.
func (l *Listing) Unit() string {
	return [...]string{"group", "topic", "partition", "partition"}[l.Place.Scope]
}

// Summary says what the list shows.
func (l *Listing) Summary(now time.Time) string {
	read := fmt.Sprintf("read %s", age(now, l.Read))
	unit := l.Unit()
	switch {
	case l.Total == 0 && l.Query != "" && l.Shard != "":
		return fmt.Sprintf("None of %s of this exporter (--shard=%s) holds this in its name or a topic's, %s. The groups of other shards are at other exporters.",
			count(int64(l.All), unit), l.Shard, read)
	case l.Total == 0 && l.Query != "":
		return fmt.Sprintf("None of %s holds this in its name or a topic's, %s.", count(int64(l.All), unit), read)
	case l.Total == 0:
		return fmt.Sprintf("There is no %s, %s.", unit, read)
	case l.Total > len(l.Rows):
		return fmt.Sprintf("The %d worst of %s, %s. Search by name for the others.", len(l.Rows), count(int64(l.Total), unit), read)
	case l.Query != "":
		return fmt.Sprintf("%s of %d found, worst first, %s.", leading(count(int64(l.Total), unit)), l.All, read)
	}
	return fmt.Sprintf("%s, worst first, %s.", leading(count(int64(l.Total), unit)), read)
}

// Exit is the exit code for the worst of the rows.
func (l *Listing) Exit() int {
	for s, n := range l.tally {
		if n > 0 {
			return Exit(state(s).String())
		}
	}
	return Exit(unknown.String())
}
