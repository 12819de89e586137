package web

import (
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
