package collector

import "time"

// leastPatience is how long a disagreement or a commit that does not come is given at least. On an idle topic a source
// commits up to 10 s late, behind backpressure half a minute and longer; its acknowledgement is seen a poll later.
const leastPatience = 2 * time.Minute

// patience learns from a source's count of acknowledged commits how long one may have to wait for the next.
type patience struct {
	count   int64 // as last told; -1: never
	began   time.Time
	heard   time.Time // when it was last told
	rose    time.Time // when the count was last seen higher than before; zero: never
	longest time.Duration
}

func newPatience(at time.Time) patience { return patience{count: -1, began: at} }

// observe takes the count; a negative one is not known. What rose while nobody heard of it says nothing of how long a commit
// waits: a JobManager that was away for an hour would put a verdict off for three.
func (p *patience) observe(at time.Time, count int64) {
	if count < 0 {
		return
	}
	if p.count >= 0 && count > p.count {
		if !p.rose.IsZero() && at.Sub(p.heard) <= forgetAfter {
			p.longest = max(p.longest, at.Sub(p.rose))
		}
		p.rose = at
	}
	p.count, p.heard = count, at
}

// span is the patience: three times the longest time between two rises.
func (p *patience) span() time.Duration { return max(3*p.longest, leastPatience) }

// reach is what span would be if the count rose now.
func (p *patience) reach(at time.Time) time.Duration {
	since := p.rose
	if since.IsZero() {
		since = p.began
	}
	return max(p.span(), 3*at.Sub(since))
}
