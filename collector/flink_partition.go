package collector

import "time"

// partitionWatch follows one partition of a source, and its commit.
type partitionWatch struct {
	begun     bool
	at        time.Time
	attempts  int   // of the instance that reads it
	committed int64 // Flink's, as last heard

	broker  int64 // the commit as last read; notRead: never
	stood   bool  // the group has had a commit in this attempt's time
	high    int64 // the high watermark beside it
	rewound time.Time
	commits []knownCommit // the last ones read

	foreign [2]time.Time // when somebody else has committed: the last two times
	theirs  int64        // the last such commit, where it is known
	suspect time.Time    // when the commit was lower than before, which Flink does not do within an attempt
	untold  bool         // it was seen to be lower, and is not counted as a rewind yet: a follower may be a reading behind

	moved, own bool // a commit that may be the consumer's own has moved; and it is, as far as members were told

	markers, markersFrom int64 // a commit before markers, and the count of commits when it was first seen; noCommit: none
	stable               int64 // the last stable offset
	stableSince          time.Time

	restored   time.Time
	before     int64     // what was committed before that; noCommit: not known, or reached again
	beforeAt   time.Time // when that was known
	olderUntil time.Time
}

// maxCommitsBack bounds how many commits are remembered for a restore that is told of later.
const maxCommitsBack = 16

func newPartitionWatch() *partitionWatch {
	return &partitionWatch{committed: noCommit, broker: notRead, theirs: noCommit, markers: noCommit, stable: notTold, high: notTold, before: noCommit}
}

func (w *partitionWatch) observe(e *sourceEvidence, p *partitionEvidence, sub *subtaskWatch, set *conditionSet) {
	if p.HighWatermark >= 0 && p.HighWatermark < w.high { // another log
		*w = *newPartitionWatch()
	}
	anew := !w.begun || w.attempts != sub.attempts || w.committed >= 0 && p.Committed < 0
	if anew {
		w.begun, w.attempts, w.suspect, w.stood, w.committed = true, sub.attempts, time.Time{}, false, noCommit
	}
	w.accuse(e, p)
	w.restore(e, p)
	set.put(RestoredOlder, !w.olderUntil.IsZero() && !e.At.After(w.olderUntil))
	set.put(OffsetsGone, p.Broker == noCommit && p.Committed >= 0 && w.stood)
	set.put(AutoCommit, w.commitsItself(e, p))
	set.put(MarkersUncommitted, w.beforeMarkers(p, sub))
	set.put(MetricBelowCommit, p.Agreement == BrokerAhead && p.PastMetric == 0)
	set.put(NothingEmitted, p.nothingEmitted())
	set.put(HeldBack, w.heldBack(e, p))
	set.put(OutsideLog, p.Broker >= 0 && (p.HighWatermark >= 0 && p.Broker > p.HighWatermark || p.Broker < p.LogStart))
	w.remember(e, p)
}

// accuse notes commits that are not the source's own.
func (w *partitionWatch) accuse(e *sourceEvidence, p *partitionEvidence) {
	if !w.suspect.IsZero() && !e.Heard.Before(w.suspect) && p.Committed >= 0 {
		w.theyCommitted(w.suspect, noCommit) // still the attempt that had acknowledged a commit before
		w.suspect = time.Time{}
	}
	lower := p.Broker >= 0 && p.Broker < w.broker
	told := p.Rewound.After(w.rewound) && p.Rewound.After(w.at)
	rewound := lower || told && !w.untold
	w.untold = (lower || w.untold) && !told
	switch {
	case p.Committed < 0:
	case p.Broker >= 0 && p.LeaderEpoch >= 0:
		if p.Broker != w.theirs {
			w.theyCommitted(e.At, p.Broker)
		}
	case p.Skipped > 0 && p.Committed <= next(p.Emitted) && w.broker >= 0:
		if w.broker != w.theirs {
			w.theyCommitted(e.At, w.broker)
		}
	case w.committed >= 0 && p.Broker >= 0 && w.broker >= 0 && w.broker != w.theirs && rewound:
		if w.suspect.IsZero() { // else Flink was not heard since the last one; were it put off each time, it would never be judged
			w.suspect = e.At
		}
	}
}

func (w *partitionWatch) theyCommitted(at time.Time, offset int64) {
	w.foreign = [2]time.Time{w.foreign[1], at}
	w.theirs = offset
}

// foreignSince counts the times that somebody else has committed since some time: 0, 1, or 2 for more.
func (w *partitionWatch) foreignSince(t time.Time) int {
	n := 0
	for _, at := range w.foreign {
		if !at.IsZero() && !at.Before(t) {
			n++
		}
	}
	return n
}

// restore looks for an attempt that begins below what was committed before it.
func (w *partitionWatch) restore(e *sourceEvidence, p *partitionEvidence) {
	restored := e.restored()
	if !e.Restored.Equal(w.restored) {
		w.restored, w.before = e.Restored, noCommit
		for _, c := range w.commits {
			if !c.at.After(restored) {
				w.before, w.beforeAt = c.offset, restored
			}
		}
		if w.before < 0 && p.Committed < 0 && p.Broker >= 0 {
			w.before, w.beforeAt = p.Broker, e.At // an own commit, if it is one, lies below what the source has emitted by then
		}
	}
	if w.restored.IsZero() {
		return
	}
	reached, below := false, false
	if w.before >= 0 && p.Emitted >= 0 && !e.Heard.Before(w.beforeAt) {
		reached = next(p.Emitted) >= w.before
		below = !reached
	}
	if w.before >= 0 && p.Broker >= 0 && e.At.After(w.beforeAt) {
		below = below || p.Broker < w.before
	}
	late := restored.Add(max(leastPatience, 2*e.Interval))
	back := !p.Rewound.Before(restored) && !p.Rewound.After(late) && w.foreignSince(restored) == 0
	if below || back && e.At.Before(p.Rewound.Add(leastPatience)) {
		w.olderUntil = e.At.Add(leastPatience)
	}
	if reached && p.Broker >= w.before {
		w.before = noCommit
	}
}

// commitsItself says that the Kafka consumer's auto-commit is at work.
func (w *partitionWatch) commitsItself(e *sourceEvidence, p *partitionEvidence) bool {
	if p.Broker == notRead {
		return w.own && e.Interval == 0
	}
	could := e.Interval == 0 && e.Members <= 0 && p.Committed < 0 && p.Broker >= 0 && p.LeaderEpoch >= 0
	w.moved = could && (w.moved || w.broker != notRead && w.broker != p.Broker)
	w.own = w.moved && (w.own || e.Members == 0) // where they are not told for once, nothing has changed
	return w.own
}

// beforeMarkers says that the source has committed the same offset several times though a consumer that reads on from there
// would be handed nothing up to a higher one.
func (w *partitionWatch) beforeMarkers(p *partitionEvidence, sub *subtaskWatch) bool {
	if p.Broker < 0 || p.Committed != p.Broker || p.Tail != 0 || p.LastStable <= p.Broker || p.Emitted >= 0 && next(p.Emitted) != p.Broker {
		w.markers = noCommit
		return false
	}
	if w.markers != p.Broker {
		w.markers, w.markersFrom = p.Broker, sub.last.Succeeded
	}
	return sub.last.Succeeded-w.markersFrom >= 2
}

func (p *partitionEvidence) nothingEmitted() bool {
	from := p.Broker
	if from == noCommit {
		from = p.LogStart
	}
	return p.Emitted < 0 && from >= 0 && p.Tail == 0 && p.LastStable > from
}

// heldBack says that a last stable offset below the end has long stood where the source has read all.
func (w *partitionWatch) heldBack(e *sourceEvidence, p *partitionEvidence) bool {
	if p.LastStable < 0 || p.LastStable >= p.HighWatermark {
		w.stable = notTold
		return false
	}
	if w.stable != p.LastStable {
		w.stable, w.stableSince = p.LastStable, e.At
	}
	beyond := next(max(p.Emitted, -1)) > p.LastStable || p.Broker > p.LastStable // it reads uncommitted
	return !beyond && e.At.Sub(w.stableSince) >= leastPatience && (p.Unread == 0 || p.Emitted < 0 && p.Tail == 0)
}

func (w *partitionWatch) remember(e *sourceEvidence, p *partitionEvidence) {
	w.at, w.committed = e.At, p.Committed
	if p.HighWatermark >= 0 {
		w.high = p.HighWatermark
	}
	w.rewound = p.Rewound
	if p.Broker == notRead {
		return
	}
	w.broker = p.Broker
	if p.Broker < 0 {
		return
	}
	w.stood = true
	if n := len(w.commits); n > 0 && w.commits[n-1].offset == p.Broker {
		return // it stood since then
	}
	if len(w.commits) == maxCommitsBack {
		w.commits = append(w.commits[:0], w.commits[1:]...)
	}
	w.commits = append(w.commits, knownCommit{e.At, p.Broker})
}
