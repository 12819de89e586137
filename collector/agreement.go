package collector

import "time"

// Agreement says how what a Flink source believes to be committed on a partition compares with the broker's commit.
type Agreement uint8

// The agreements.
const (
	// Unknown: the source has acknowledged no commit in this attempt, or the broker's commit could not be read.
	Unknown Agreement = iota
	// Match: the source's offset is one that the group has or had committed.
	Match
	// Pending: it is not, but that may be the waiting for a commit or its acknowledgement.
	Pending
	// BrokerAhead: the source has said a lower offset for longer than waiting explains.
	BrokerAhead
	// BrokerBehind: the source has said a higher offset for longer than waiting explains.
	BrokerBehind

	agreements
)

// Agreements lists every agreement in the order of their values.
func Agreements() []Agreement { return []Agreement{Unknown, Match, Pending, BrokerAhead, BrokerBehind} }

var agreementNames = [agreements]string{"unknown", "match", "pending", "broker_ahead", "broker_behind"}

func (a Agreement) String() string { return agreementNames[a] }

// CommitSample is what a source and the broker say of the commit of one partition. The source is heard first.
type CommitSample struct {
	At     time.Time // when Broker was read
	Known  bool      // whether it could be
	Broker int64     // the group's committed offset; -1: none

	// Followed has each commit that a follower of __consumer_offsets saw since the sample before, in their order, -1 for
	// one that was deleted; it may be empty. Nil: none follows the group now, and commits between two samples are not seen.
	Followed []int64

	// What the source says was so at some time of [After, Before]. Zero: at At.
	After, Before time.Time

	Committed int64 // Flink's committedOffset; negative: none is acknowledged
	Emitted   int64 // Flink's currentOffset, of the last record emitted; negative: none
	Commits   int64 // commitsSucceeded of the instance that reads the partition; -1: not told
	Attempt   int64 // of that instance; -1: not told

	// Legacy sources set Committed when they ask for the commit, not when it is acknowledged: it may be ahead of the broker
	// until the request is through.
	Legacy bool
}

// Offsets are those of [From, To); none where they are not Known.
type Offsets struct {
	From, To int64
	Known    bool
}

// Len is how many offsets there are.
func (o Offsets) Len() int64 { return max(o.To-o.From, 0) }

// Judgement is what a sample and those before it show.
type Judgement struct {
	Agreement Agreement

	// Replay is what the source has emitted and the group has not committed: what a start from the group's offsets would
	// read again. It is a lower bound, since the source goes on. Not known without an emitted offset or a commit.
	Replay Offsets

	// Skip is what the source had not emitted although a commit of this attempt's time covered it already: such records would
	// be lost by a start from the group's offsets. Not known without an emitted offset.
	Skip Offsets
}

// CommitLine compares a source with the broker over time: one source's partition and one group. A topic of another
// identity needs a new one. The zero value has seen nothing.
type CommitLine struct {
	begun    bool
	last     CommitSample // whose Flink part is the newest
	patience patience
	held     held
	commits  knownCommits

	// The disagreement that goes on; no side: none.
	side  Agreement
	since time.Time
	from  int64 // the count of commits when it began; -1: not known
	claim int64 // the source's offset when it began
}

// Observe takes the next sample, not earlier than those before.
func (l *CommitLine) Observe(s CommitSample) Judgement {
	if s.After.IsZero() {
		s.After, s.Before = s.At, s.At
	}
	if l.begun && l.older(&s) {
		// Another interface with an older answer. Its lower count would look like a new attempt.
		s.After, s.Before = l.last.After, l.last.Before
		s.Committed, s.Emitted, s.Commits, s.Attempt = l.last.Committed, l.last.Emitted, l.last.Commits, l.last.Attempt
	}
	if !l.begun || l.renewed(&s) {
		*l = CommitLine{begun: true, patience: newPatience(s.At)}
	}
	if s.Emitted < l.last.Emitted {
		l.commits = knownCommits{} // an attempt that began before any commit was acknowledged
	}
	if s.Commits < 0 {
		s.Commits = l.patience.count
	}
	l.last = s
	l.last.Followed = nil
	l.patience.observe(s.At, s.Commits)
	if l.hold(&s); !s.Known {
		return Judgement{}
	}
	l.held.forget(s.After.Add(-l.patience.reach(s.At)))
	return Judgement{Agreement: l.compare(&s), Replay: replay(&s), Skip: l.commits.skip(&s)}
}

// Miss takes what a sample says of the broker, where nothing was heard of the source as it is now. Commits that are followed
// are handed over once, and the source may be heard again and say one of them.
func (l *CommitLine) Miss(s CommitSample) {
	if l.begun {
		l.hold(&s)
	}
}

// hold notes which offsets the group has had.
func (l *CommitLine) hold(s *CommitSample) {
	switch {
	case !s.Known && l.held.begun:
		l.held.follow(s.At, s.Followed, l.held.now)
	case !s.Known:
	case s.Followed == nil:
		l.held.poll(s.At, s.Broker)
	default:
		l.held.follow(s.At, s.Followed, s.Broker)
	}
}

// older says that the source was heard before, though the sample may come later: it ended before the last one began, or the
// two may be of one time and fewer commits are counted.
func (l *CommitLine) older(s *CommitSample) bool {
	was := &l.last
	return s.Before.Before(was.After) ||
		s.After.Before(was.Before) && s.Attempt == was.Attempt && s.Commits >= 0 && s.Commits < was.Commits
}

// renewed says that the sample is of another attempt than the last one: counters and offsets begin anew with each.
func (l *CommitLine) renewed(s *CommitSample) bool {
	was := &l.last
	return s.Commits >= 0 && s.Commits < was.Commits ||
		s.Attempt >= 0 && was.Attempt >= 0 && s.Attempt != was.Attempt ||
		s.Committed < 0 && was.Committed >= 0
}

func (l *CommitLine) compare(s *CommitSample) Agreement {
	patience := l.patience.span()
	switch {
	case s.Committed < 0:
		l.side = Unknown
		return Unknown
	case l.held.admits(s.Committed, s.After.Add(-patience)):
		l.side = Match
		return Match
	}
	side := BrokerAhead
	if s.Committed > s.Broker {
		side = BrokerBehind
	}
	if side != l.side || s.Legacy && side == BrokerBehind && s.Broker >= l.claim {
		l.side, l.since, l.from, l.claim = side, s.At, s.Commits, s.Committed
	}
	if l.from < 0 {
		l.from = s.Commits
	}
	if s.At.Sub(l.since) < patience || s.Commits-l.from < 2 {
		return Pending
	}
	return side
}

func replay(s *CommitSample) Offsets {
	if s.Emitted < 0 || s.Broker < 0 {
		return Offsets{}
	}
	return Offsets{From: s.Broker, To: max(s.Broker, next(s.Emitted)), Known: true}
}

// next is the offset behind an emitted one.
func next(emitted int64) int64 { return max(emitted+1, emitted) }
