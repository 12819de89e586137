package web

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Overview is what the landing page shows.
type Overview struct {
	Collectors []Collector
	Read       time.Time // when Groups were read; zero: not yet, and Groups is unknown
	Groups     Ranking
	Flink      *FlinkReview  // nil: no Flink is heard
	Binlog     *BinlogReview // nil: no MySQL server is read
	Off        []Off
}

// Collector is one source of samples.
type Collector struct {
	Name     string
	System   string        // which of several it reads; empty where there is only one
	Success  time.Time     // of the last run that succeeded; zero: none did
	Duration time.Duration // of the last run
	Err      error         // of the last run
}

// State is a word for how the collector does.
func (c Collector) State() string {
	switch {
	case c.Err != nil:
		return "failing"
	case c.Success.IsZero():
		return "unknown"
	default:
		return "ok"
	}
}

// Group is how far one group is behind on one topic. The counts are those of its lag's composition.
type Group struct {
	Cluster, Group, Topic string // Cluster is empty where there is only one

	Uncommitted bool // the group subscribes to the topic and has no committed offset on it

	Known     bool  // the counts mean something
	Offsets   int64 // raw lag
	Records   int64 // true lag; at most this many when some are unscanned
	Unscanned int64
	Blocked   int64
	Lost      int64
	BeyondEnd int64
}

// state is what a lag is. The order is that of the page: worst first.
type state int

const (
	broken      state = iota // offsets were lost, or the commit is beyond the end
	behind                   // records wait to be read
	blocked                  // an open transaction holds the group back
	unknown                  // nothing could be read
	uncommitted              // there is no lag
	phantom                  // caught up; what follows holds no record
	level                    // caught up; nothing follows
	states
)

func (s state) String() string {
	return [states]string{"broken", "behind", "blocked", "unknown", "uncommitted", "phantom", "level"}[s]
}

// Link explains the lag.
func (g *Group) Link() string {
	return Place{Cluster: g.Cluster, Group: g.Group, Topic: g.Topic, Scope: OneTopic}.Link()
}

// State is a word for what the lag is.
func (g *Group) State() string { return g.state().String() }

func (g *Group) state() state {
	switch {
	case g.Uncommitted:
		return uncommitted
	case !g.Known:
		return unknown
	case g.Lost > 0 || g.BeyondEnd > 0:
		return broken
	case g.Records > 0:
		return behind
	case g.Blocked > 0:
		return blocked
	case g.Offsets > 0:
		return phantom
	default:
		return level
	}
}

// compare puts the worse of two groups first.
func compare(a, b *Group) int {
	if c := cmp.Compare(a.state(), b.state()); c != 0 {
		return c
	}
	if c := cmp.Compare(b.Records, a.Records); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(b.Lost, a.Lost),
		cmp.Compare(b.Offsets, a.Offsets),
		strings.Compare(a.Cluster, b.Cluster),
		strings.Compare(a.Group, b.Group),
		strings.Compare(a.Topic, b.Topic),
	)
}

// Verdict says in one sentence whether the lag is real.
func (g *Group) Verdict() string { return g.verdict(g.state()) }

func (g *Group) verdict(s state) string {
	switch s {
	case unknown:
		return "Unknown: commits or end offsets could not be read."
	case uncommitted:
		return "Not committed: the group has no offset here, so there is no lag."
	case broken:
		if g.Lost > 0 {
			return fmt.Sprintf("Lost %s: deleted before the group read them.", count(g.Lost, "offset"))
		}
		return fmt.Sprintf("Commit is %s beyond the end: truncated, recreated or reset?", count(g.BeyondEnd, "offset"))
	case behind:
		if g.Unscanned > 0 {
			return fmt.Sprintf("Behind by at most %s: %s not looked at.", count(g.Records, "record"), count(g.Unscanned, "offset"))
		}
		return fmt.Sprintf("Behind by %s.", count(g.Records, "record"))
	case blocked:
		return fmt.Sprintf("Held back: %s behind an open transaction.", count(g.Blocked, "offset"))
	case phantom:
		if g.Offsets == 1 {
			return "Caught up: the 1 offset after the commit holds no record to read."
		}
		return fmt.Sprintf("Caught up: none of the %s after the commit holds a record to read.", count(g.Offsets, "offset"))
	default:
		return "Caught up: nothing follows the commit."
	}
}

// Off is something that the program could do and does not.
type Off struct {
	What string // is missing
	Why  string // it is off
	How  string // to switch it on
}
