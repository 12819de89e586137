package kafka

import "time"

// logPart is one partition of __consumer_offsets under a follower.
type logPart struct {
	number int32
	leader int32 // -1: none that may be asked
	epoch  int32

	position int64 // the next offset to fetch; -1: not known
	end      int64 // high watermark as last told
	goal     int64 // high watermark when the following began
	reached  bool  // position has been at goal
	anew     bool  // what happened before was lost since the last pass: histories of its groups begin anew
	need     int32 // bytes that the next batch is known to take
	held     pending

	answered time.Time // when a Fetch was last answered; zero: not yet

	due   int64 // an end that a pass has read and position has not reached
	since time.Time
}

// heldFor is how long a silence may last before what is held back is dropped: the transaction's marker may have been
// removed meanwhile, and the producer's next marker would be taken for it.
const heldFor = 10 * time.Minute

// lose begins the following anew at the end.
func (p *logPart) lose() {
	*p = logPart{number: p.number, leader: p.leader, epoch: p.epoch, position: -1, anew: true, held: pending{}}
}

// expect notes an end that a pass has read.
func (p *logPart) expect(end int64, now time.Time) {
	if p.position >= p.due {
		p.due, p.since = end, now
	}
	p.end = max(p.end, end)
}

// live says that commits are seen soon after they were made: no end that was read a while ago is ahead.
func (p *logPart) live(now time.Time, overdue time.Duration) bool {
	return p.reached && p.position >= 0 && (p.position >= p.due || now.Sub(p.since) < overdue)
}

// behind is how many offsets are left to fetch.
func (p *logPart) behind() int64 { return max(p.end-p.position, 0) }
