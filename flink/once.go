package flink

import (
	"context"
	"time"
)

// Poll asks the REST API once, for whoever does not let Run go on; without one it does nothing. What came is in the next
// Read, unless ctx ended before. It returns the JobManager's metrics.fetcher.update-interval, or Flink's default where it
// does not say; 0: it was not reached.
func (c *Cluster) Poll(ctx context.Context) (updateInterval time.Duration) {
	if c.rest == nil {
		return 0
	}
	c.rest.poll(ctx)
	return c.rest.updateInterval
}
