package flink

import (
	"math"
	"time"
)

// checkpoints is the answer to /jobs/ID/checkpoints. It is also given where checkpoints are off: then nothing is counted.
func (a *checkpointAnswer) checkpoints(interval time.Duration, jobState string) *Checkpoints {
	c := &Checkpoints{
		Interval:  interval,
		Completed: a.Counts.Completed.or(-1),
		Failed:    a.Counts.Failed.or(-1),
	}
	for _, completed := range []*completedCheckpoint{a.Latest.Completed, a.Latest.Savepoint} {
		if completed == nil {
			continue
		}
		if at := completed.Acknowledged.millis(); at.After(c.LastCompleted) {
			c.LastCompleted = at
		}
	}
	if failed := a.Latest.Failed; failed != nil {
		c.LastFailed, c.Failure = failed.At.millis(), string(failed.Message)
	}
	if restored := a.Latest.Restored; restored != nil {
		c.Restored = &Restored{ID: restored.ID.or(-1), At: restored.At.millis(), Savepoint: restored.Savepoint}
	}
	// A job that goes on after such a savepoint was not stopped by it.
	if last := a.Latest.Savepoint; last != nil && last.Type == "SYNC_SAVEPOINT" && jobState == "FINISHED" {
		c.StoppedWith = last.Acknowledged.millis()
	}
	return c
}

// interval is the time between two checkpoints, as Checkpoints has it.
func (a *checkpointConfigAnswer) interval() time.Duration {
	ms := a.Interval.or(-1)
	switch {
	case ms < 0:
		return -1
	case ms > math.MaxInt64/int64(time.Millisecond):
		return 0 // 2^63-1: periodic checkpoints are off
	}
	return time.Duration(ms) * time.Millisecond
}
