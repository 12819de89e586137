package kafka

import "math"

// history is what is remembered of one group on one topic.
type history struct {
	id       TopicID
	parts    []past // the index is the partition's number
	commits  int64  // that a follower saw
	rewound  int64
	replayed int64
	missing  bool // the last scrape found commits, but no topic
	settled  bool // two commits of one partition, at different times, where no read_committed consumer gets
}

// past is the last commit on one partition, seen while the partition's ends were known.
type past struct {
	offset   int64 // as last polled
	floor    int64 // where a lower commit begins to be a rewind: the last one, or where the log was cut below it; or noCommit
	mark     int64 // the offset in __consumer_offsets up to which commits are in the history; noFence: not known
	high     int64 // high watermark beside it
	proof    int64 // the last commit that stood above the last stable offset
	time     int64 // of the last commit, in milliseconds since 1970; 0: none was seen
	rewinds  int64
	epoch    int32  // leader epoch beside it
	at       uint32 // the scrape that saw it last; 0: none did
	entered  uint32 // the scrape in which a trail has last moved it on; what it polled is older, or as good
	known    bool   // floor and mark mean something
	proven   bool   // proof means something
	moved    bool   // the last scrape saw it move
	lapsed   bool   // a scrape saw no commit since
	leftover bool   // offset is of a topic that this one has replaced, and no commit is known to be about this one
}

const (
	noFence  = math.MaxInt64 // stands above every record
	noCommit = -1            // and this below every commit
)

// forget notes that nothing is committed any more. The mark stays: a commit that was counted before must not count again
// when a follower comes to it. One that keeps up will come to the commit's end, and to what was before: for it the floor
// stays, too, but not for polls.
func (p *past) forget(followed bool) {
	*p = past{offset: p.offset, rewinds: p.rewinds, mark: p.mark, known: p.known, floor: p.floor, lapsed: true, leftover: p.leftover}
	if !followed {
		p.floor = noCommit
	}
}

// stays says whether a commit is still, for all that is known, about a topic that this one has replaced: brokers keep such
// commits, and consumers that have not noticed make them. It is where the last one about that topic was, or where the new
// one has never been.
func (p *past) stays(offset int64, now *Partition) bool {
	return p.leftover && (offset == p.offset || offset > now.HighWatermark)
}

// cut lowers the floor to where the log was cut: what lay above is not there to be read again.
func (p *past) cut(now *Partition) {
	if p.known && p.at != 0 && now.HighWatermark < p.high {
		p.floor = min(p.floor, now.HighWatermark)
	}
}

// prove notes a commit that no read_committed consumer gets to by reading: above the last stable offset, which was read
// after it, and above the log start. --reset-offsets --to-latest writes one too, so a single one counts only while it
// stands. A second one of the same partition settles it.
func (h *history) prove(was *past, p *Partition) {
	if was.leftover || !p.above(was.offset) {
		return
	}
	if was.proven && was.proof != was.offset {
		h.settled = true
	}
	was.proof, was.proven = was.offset, true
}

// above says that an offset lies where an open transaction holds read_committed consumers back.
func (p *Partition) above(offset int64) bool {
	return p.Err == nil && offset > p.LastStable && offset > p.LogStart && offset <= p.HighWatermark
}

// isolation is what a group's commits on a topic show.
func (t *tracker) isolation(h *history, topic *Topic) (Isolation, IsolationSource) {
	if h.settled {
		return ReadUncommitted, Observed
	}
	for i := range topic.Partitions {
		if was := &h.parts[i]; was.at == t.scrape && !was.leftover && topic.Partitions[i].above(was.offset) {
			return ReadUncommitted, Observed
		}
	}
	return ReadCommitted, Assumed
}
