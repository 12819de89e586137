package web

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// BinlogPlace is what an explanation of binlogs is asked for. Without a consumer it is all of a server's, and without a server all
// of all servers'.
type BinlogPlace struct{ Server, Consumer string }

const (
	keyServer   = "server"
	keyConsumer = "consumer"
)

// ParseBinlogPlace reads a place from a query.
func ParseBinlogPlace(q url.Values) (BinlogPlace, error) {
	p := BinlogPlace{q.Get(keyServer), q.Get(keyConsumer)}
	if q.Has(keyConsumer) && p.Consumer == "" {
		return p, errors.New("consumer=... needs a name; leave it out for a list")
	}
	return p, nil
}

// Link is where the place is explained, relative to the landing page.
func (p BinlogPlace) Link() string {
	q := url.Values{}
	for key, value := range map[string]string{keyServer: p.Server, keyConsumer: p.Consumer} {
		if value != "" {
			q.Set(key, value)
		}
	}
	if len(q) == 0 {
		return "explain/binlog"
	}
	return "explain/binlog?" + q.Encode()
}

// BinlogExplanation is how far a consumer of a binlog is from its end, and how that is known: one round's readings, and what
// the numbers were reckoned from. Numbers that are negative are not known.
type BinlogExplanation struct {
	BinlogConsumer

	Read    time.Time // when the round began
	Version string    // of the server; empty: not known
	Unread  string    // why nothing of the server could be read; empty: something was
	Lacking []BinlogLack

	// The consumer.
	Kept     string    // where it keeps its place
	ReadAt   time.Time // when that was read
	Failure  string    // why it could not be; empty: it was
	Position *BinlogPosition
	Since    time.Time // when the place was first read as it is
	Which    string    // of several places, and why; without one, what is noted down in place of it
	LeftOut  string    // what could not be read beside the place; empty: nothing
	Captures []string  // what it reads; none: everything
	Reported []BinlogReport

	// The server.
	ServerID   string
	Files      []BinlogFile // in their order; nil: not known; empty: there is no binlog
	FilesAt    time.Time    // when the server was asked for them
	FilesAsked time.Time    // when it was asked for a list that it has not answered with; zero: none
	SetsAt     time.Time    // when it was asked for sets and clock
	Clock      time.Time    // its own then; zero: not known
	Expire     time.Duration
	ExpireBy   string // the exporter's setting that says after which time files are purged; empty: the server's own say it

	// What the numbers were reckoned from.
	Place               string // "ok", or why the place does not tell
	File                int    // index of the position's file; -1: none
	At                  int64  // the place in it
	Rest, Later, Before int64  // bytes of the position's file from there on, and of the files after and before it
	LagFiles            int64
	HeadroomBytes       int64
	HeadroomFiles       int64
	Ambiguous           bool // the position can mean several places; it is taken for the first
	Executed, Consumed  *BinlogSet
	Lacked, Gone        *BinlogSet // of Executed: what Consumed lacks, and what of that is purged
	Passed              bool       // one of Lacked is the transaction at the place, which is handled whole
	Preceded            bool       // one of Consumed is the transaction at the place, which is left to read
	Extra               *BinlogSet // what Consumed has, and Executed lacks
	SetError            string     // why Consumed could not be read

	Scans     bool   // the event scan is switched on
	ScanBy    string // the setting that switches it on
	Scan      *BinlogScan
	ScanError string

	Statements []BinlogStatement
}

// BinlogLack is a part of the readings that is missing by itself.
type BinlogLack struct{ Name, Why string }

// BinlogPosition is a place as the consumer has noted it down.
type BinlogPosition struct {
	File       string // empty: it goes on by GTIDs
	Pos        int64
	GTIDs      string
	Event, Row int64
	Snapshot   string
	Server     string // whose place it says that is
}

// BinlogReport is a lag that the consumer reports, by its own name and in its own unit.
type BinlogReport struct {
	Source string
	Value  float64
}

// BinlogFile is a file of a binlog. End is the position after its last event.
type BinlogFile struct {
	Name      string
	End       int64
	Encrypted bool
}

// BinlogSet is a set of transactions.
type BinlogSet struct {
	N    uint64
	Text string
}

// BinlogScan is what the event scan has found. After is none, rest, transaction, unread or no_event.
type BinlogScan struct {
	After                                string
	First                                time.Time
	Kind, GTID                           string
	Events, Bytes, Transactions, Skipped int64
	File                                 string
	Pos                                  int64
	Stopped                              string
	Cached                               bool
}

// BinlogStatement is something that was sent for the readings. Consumer is whom it was for; empty: all.
type BinlogStatement struct {
	Consumer, Text string
	At             time.Time
	Took           time.Duration
	Err            string
}

// Heading names the consumer.
func (e *BinlogExplanation) Heading() string { return name(e.Server) + " · " + name(e.Consumer) }

// Place in words: file:position as servers take it.
func spot(file string, pos int64) string { return fmt.Sprintf("%s:%d", name(file), pos) }

// Spot is the place that the consumer has noted down.
func (p *BinlogPosition) Spot() string {
	if p.File == "" {
		return "by its GTID set alone"
	}
	return spot(p.File, p.Pos)
}

// last is the binlog's last file; nil: not known.
func (e *BinlogExplanation) last() *BinlogFile {
	if len(e.Files) == 0 {
		return nil
	}
	return &e.Files[len(e.Files)-1]
}

// lack is why a part of the readings is missing; empty: it is not.
func (e *BinlogExplanation) lack(feature string) string {
	for _, l := range e.Lacking {
		if l.Name == feature {
			return l.Why
		}
	}
	return ""
}

// count is how many transactions a set has; 0 for one that is not known.
func (s *BinlogSet) count() uint64 {
	if s == nil {
		return 0
	}
	return s.N
}

// Count is the number in words.
func (s *BinlogSet) Count() string { return bigNumber(s.N) }

// setShown is how much of a set is shown before it is unfolded, and setWhole how much at all.
const (
	setShown = 160
	setWhole = 64 << 10
)

// Short is the set, folded when it is long.
func (s *BinlogSet) Short() string { return oneLineSet(s.Text, setShown) }

// Whole is the set.
func (s *BinlogSet) Whole() string { return oneLineSet(s.Text, setWhole) }

// Long says that Short is folded.
func (s *BinlogSet) Long() bool { return s.Short() != s.Whole() }
