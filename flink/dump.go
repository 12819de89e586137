package flink

import (
	"strings"
	"time"
)

// A JobManager answers metrics from a store. A request only triggers that the store is filled anew, which asks all
// processes of the cluster for a dump, and only when that was last done longer than the update interval ago. So an
// answer's time is that of a dump; a TaskManager's may be older than the JobManager's, when it came late or not at all,
// and nothing leaves the store while its job is known: not a dead attempt's values, nor those of an instance that a
// rescaled job no longer has.

const (
	// dumpTime is how long a JobManager is given to gather the dumps that a request triggered: 0.1 to 0.4 s were seen.
	dumpTime = time.Second

	// dumpSpread is how far apart two processes may see what happens at one time, such as a filling of the store.
	dumpSpread = time.Second

	// startSpread is how late a JobManager may hear that a task runs, where it has much to do. It was deployed before that.
	startSpread = 10 * time.Second

	// dumpMargin is added to the update interval, since Flink compares whole milliseconds of its own clock.
	dumpMargin = 250 * time.Millisecond

	// defaultUpdateInterval is Flink's own.
	defaultUpdateInterval = 10 * time.Second
)

// clock brings a JobManager's times to ours. The difference is only known to lie within the time of one request. The
// zero clock takes both clocks as the same.
type clock struct {
	sent, received time.Time // ours
	now            time.Time // the JobManager's, when it made the answer
}

// span is when, by our clock, the JobManager's showed t.
func (c clock) span(t time.Time) span {
	if c.now.IsZero() {
		return span{after: t, before: t}
	}
	age := c.now.Sub(t)
	return span{after: c.sent.Add(-age), before: c.received.Add(-age)}
}

// ahead is what the JobManager's clock is ahead of ours at the least; below 0: behind. 0 where they may show the same.
func (c clock) ahead() time.Duration {
	switch {
	case c.now.IsZero():
		return 0
	case c.now.After(c.received):
		return c.now.Sub(c.received)
	}
	return min(c.now.Sub(c.sent)+time.Millisecond, 0) // it shows whole milliseconds
}

// oldestDump dates what is in the store after a trigger: no process made its dump earlier, unless one did not make it.
// made is when the JobManager made its own, and the zero span where no metric of it told: then it is as old as it can
// be, which is that the trigger came just before the last one was old enough.
func oldestDump(triggered time.Time, made span, updateInterval time.Duration) time.Time {
	switch {
	case made.after.IsZero():
		return triggered.Add(-updateInterval)
	case made.after.Before(triggered): // somebody else's, or not renewed
		return made.after.Add(-dumpSpread)
	}
	return triggered // the filling began after it was asked for
}

// instanceClock dates the values of one attempt of one parallel instance. Flink counts a task's time as idle,
// backpressured or busy, and busy is what is left of the time since the task began to run: the three together are the
// age of the task when its TaskManager made the dump. The legacy consumer's tasks have no busy time.
type instanceClock struct {
	attempt int64 // -1: not told

	finished bool // it read to its end, so that its last values hold from then on

	deployed time.Time // at the earliest, by our clock: no value of this attempt is older
	running  time.Time // when it began to run, at the latest; zero: not told

	age     time.Duration // the last that was seen; zero: none
	deadAge time.Duration // the last that was seen of the attempt before; zero: none
}

// taken is when values were taken at the earliest that came, at received, with a task of this age; ok is false where
// they are an earlier attempt's. age is 0 where it was not told; then that no dump is older than oldest is all that is
// known.
func (c *instanceClock) taken(age time.Duration, received, oldest time.Time) (after time.Time, ok bool) {
	if c.finished {
		return oldest, true
	}
	if age <= 0 || c.running.IsZero() {
		return oldest, !oldest.Before(c.deployed)
	}
	latestStart := received.Add(-age)
	if age == c.deadAge || latestStart.Before(c.deployed) {
		return received.Add(-age), false
	}
	if latestStart.Before(c.running) { // the JobManager heard late of it
		c.running = latestStart
	}
	c.age = age
	began := c.running.Add(-startSpread)
	if began.Before(c.deployed) {
		began = c.deployed
	}
	return began.Add(age), true
}

// parseFlinkDuration reads a duration of Flink's configuration: milliseconds, or a number and a unit.
func parseFlinkDuration(s string) (time.Duration, bool) {
	s = strings.TrimSpace(strings.ToLower(s))
	unit := strings.TrimLeft(s, "0123456789")
	count, ok := wholeNumber(s[:len(s)-len(unit)])
	scale, known := flinkUnits[strings.TrimSpace(unit)]
	if !ok || !known || count > int64(1<<62)/int64(scale) {
		return 0, false
	}
	return time.Duration(count) * scale, true
}

var flinkUnits = map[string]time.Duration{
	"": time.Millisecond, "ms": time.Millisecond, "milli": time.Millisecond, "millis": time.Millisecond,
	"millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}
