package web

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Explanation is how far a group is behind on one partition, and how that is known. What a count means stands at Group.
type Explanation struct {
	Place Place
	At    time.Time // when the read began
	Took  time.Duration

	Lag   Group // Records is the least upper bound that is known
	Exact bool  // Lag.Records is exact
	Kinds Kinds // of the raw lag, as this read has found them

	Why   string // there is no lag; empty: there is one, or no commit
	Lacks string // the permission that would tell more; empty: none

	Isolation, IsolationSource string

	Committed     int64 // -1: none
	EndsKnown     bool  // the three ends mean something
	Start, Stable int64
	End           int64
	Leader, Epoch int32 // -1: none
	Coordinator   int32 // -1: not found

	First    time.Time // of the first record left; zero: none is, or its time is not known
	Log      []Stretch
	Blocker  *Blocker // nil: not known, or the last stable offset waits for nothing
	Scraped  *Scraped // nil: nothing
	Rewinds  []Event  // newest first
	Flink    []FlinkWord
	Unheard  []string // why what Flink says is missing
	Requests []Request
}

// Stretch is a piece of the log between commit and end.
type Stretch struct {
	From, To int64
	Kind     string
	Kinds    Kinds
	Batches  int // 0: a hole; more than 1: what the list leaves out here
	Bytes    int64
	Producer int64 // -1: none
	Epoch    int16
	Marker   string
	Open     bool // part of the open transaction that is waited for
	First    time.Time
}

// block is the stretch as the strip draws it.
func (s *Stretch) block() *block {
	return &block{From: s.From, To: s.To, Kind: s.Kind, Kinds: s.Kinds, Marker: s.Marker, Cut: s.Left()}
}

// Left says that the list leaves out several batches here.
func (s *Stretch) Left() bool { return s.Batches > 1 }

// Range is the stretch's offsets: "0 – 5", or "6".
func (s *Stretch) Range() string { return s.block().Range() }

// Letter is the kind's.
func (s *Stretch) Letter() string { return s.block().Letter() }

// What says what the stretch is.
func (s *Stretch) What() string {
	switch {
	case s.Left():
		return fmt.Sprintf("%s left out here: %s", count(int64(s.Batches), "batch"), s.block().Parts())
	case s.Marker != "" && s.Kind == "blocked":
		return s.Marker + " marker, held back"
	case s.Marker != "":
		return s.Marker + " marker"
	case s.Kind == "control":
		return "marker"
	case s.Kind == "unscanned" && s.Batches == 0:
		return "not looked at"
	case s.Kind == "unscanned":
		return "cannot be counted"
	case s.Open:
		return "open transaction"
	case s.Kind == "blocked":
		return "held back"
	}
	return s.Kind
}

// RecordsText is how many records the batch holds, aborted and held back ones included; empty where there are none.
func (s *Stretch) RecordsText() string {
	if n := s.records(); n > 0 {
		return number(n)
	}
	return ""
}

// RecordsUnit is the unit of RecordsText.
func (s *Stretch) RecordsUnit() string { return plural(s.records(), "record") }

func (s *Stretch) records() int64 {
	if s.Marker != "" {
		return 0
	}
	return s.Kinds.of("record") + s.Kinds.of("aborted") + s.Kinds.of("blocked")
}

// rows are the stretches that are shown, of many the first and the last: the one between them sums up the others.
func (e *Explanation) rows(most int) []Stretch {
	if len(e.Log) <= most {
		return e.Log
	}
	head := most / 2
	tail := most - 1 - head
	middle := e.Log[head : len(e.Log)-tail]
	sum := Stretch{From: middle[0].From, To: middle[len(middle)-1].To, Producer: -1}
	for i := range middle {
		sum.Kinds = sum.Kinds.plus(middle[i].Kinds)
		sum.Batches += middle[i].Batches
		sum.Bytes += middle[i].Bytes
	}
	sum.Batches = max(sum.Batches, 2)
	return slices.Concat(e.Log[:head], []Stretch{sum}, e.Log[len(e.Log)-tail:])
}

// Scraped is what the last scrape exported of the partition.
type Scraped struct {
	At               time.Time
	Known            bool
	Offsets, Records int64
	CommitAt         time.Time // of the last commit; zero: not known
	Polled           bool      // CommitAt is when a scrape first saw the commit
}

// Request is one request to a broker.
type Request struct {
	API     string
	Version int16 // -1: no answer
	Broker  int32 // negative: not known
	At      time.Time
	Took    time.Duration
	About   string
	Err     error
}

// Count is how many offsets are of a kind.
type Count struct {
	Kind string
	N    int64
}

// Kinds are counts of offsets, those above 0.
type Kinds []Count

func (k Kinds) of(kind string) int64 {
	for _, c := range k {
		if c.Kind == kind {
			return c.N
		}
	}
	return 0
}

func (k Kinds) plus(o Kinds) Kinds {
	sum := append(Kinds(nil), k...)
next:
	for _, c := range o {
		for i := range sum {
			if sum[i].Kind == c.Kind {
				sum[i].N += c.N
				continue next
			}
		}
		sum = append(sum, c)
	}
	return sum
}

// Pages that cannot be made say why by one of these.
var (
	ErrNoSuch = errors.New("not found")
	ErrVague  = errors.New("not clear")
)

// timeLag is the age of the first record left: 0 when there is none, false when it is not known.
func (e *Explanation) timeLag() (time.Duration, bool) {
	switch {
	case !e.Lag.Known:
		return 0, false
	case e.Lag.Records == 0:
		return 0, true
	case e.First.IsZero():
		return 0, false
	}
	return max(e.At.Sub(e.First), 0), true
}
