package kafka

import (
	"context"
	"time"
)

// Run follows the commits of the cluster until the context ends, if the configuration wants that, and returns nil then.
// It is there for Read: what happens to commits while nobody runs it, between two Reads, is not seen.
func (c *Cluster) Run(ctx context.Context) error {
	if c.follower == nil {
		return nil
	}
	c.follower.run(ctx)
	return nil
}

// CaughtUp says whether Run has once come to where __consumer_offsets ended when it began. It is true also where there
// is nothing to wait for: commits are not to be followed, or cannot be, or it takes longer than half a minute.
func (c *Cluster) CaughtUp() bool { return c.follower == nil || c.follower.caughtUp(time.Now()) }

// collect gives the tracker what the follower saw since the last pass. It comes before commits are polled, so that what
// was followed is no news to what is polled, and before the ends of logs are read.
func (c *Cluster) collect() {
	if c.follower != nil {
		c.tracker.absorb(c.follower.collect(time.Now()))
	}
}

// following is what the follower says of itself; s is nil when the pass has failed.
func (c *Cluster) following(s *Snapshot) *Following {
	if c.follower == nil {
		return nil
	}
	if s != nil {
		c.follower.expect(s.logEnds, s.At)
	}
	return c.follower.status(time.Now())
}
