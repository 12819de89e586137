package flink

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Polls wait for the next dump, but no longer than it takes to be taken for a job that ended.
func TestPollsAreNeverFarApart(t *testing.T) {
	for interval, want := range map[time.Duration][2]time.Duration{
		time.Second:      {10 * time.Second, 10 * time.Second},
		10 * time.Second: {10 * time.Second, 12 * time.Second},
		time.Hour:        {time.Minute, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			jm := newJobManager(runningJob("aa", "job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}}))))
			jm.interval = interval
			c := startCluster(t, jm, Config{REST: &RESTConfig{Interval: 10 * time.Second}})
			for range 5 {
				began := time.Now()
				next := c.rest.poll(t.Context())
				if after := next.Sub(began); after < want[0] || after > want[1] {
					t.Errorf("a dump every %s: the next poll is %s after this one, want %s", interval, after, want)
				}
				pass(time.Until(next))
			}
		})
	}
}

// A clock that goes wrong is told, one that may be right is not; what was told, and when, is by ours.
func TestTheJobManagersClockIsTold(t *testing.T) {
	for _, skew := range []time.Duration{0, time.Hour, -time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			pass(time.Microsecond)
			jm := newJobManager(runningJob("aa", "job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}}))))
			jm.skew = skew
			c := startCluster(t, jm, Config{})
			j := view(t, c).Jobs[0]
			if (j.Ahead-skew).Abs() > time.Millisecond || skew == 0 && j.Ahead != 0 {
				t.Errorf("a clock %s ahead is said to be %s", skew, j.Ahead)
			}
			if now := time.Now(); !j.Told.Equal(now) || !j.Checkpoints.At.Equal(now) {
				t.Errorf("told at %s and %s, now it is %s", j.Told, j.Checkpoints.At, now)
			}
		})
	}
}

// A source may come to its metrics long after it began to run.
func TestAKafkaSourceThatShowsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := false
		began := time.Now()
		orders := kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}})
		jm := newJobManager(runningJob("aa", "job", runningVertex("v1", func(now time.Time) map[string]string {
			if late {
				return orders(now)
			}
			return map[string]string{"op.numRecordsIn": "0"}
		})))
		c := startCluster(t, jm, Config{})
		for range 20 {
			view(t, c)
			pass(15 * time.Second)
		}
		lists := 0
		for _, path := range jm.asked() {
			if strings.HasSuffix(path, "/vertices/v1/metrics") {
				lists++
			}
		}
		if lists > 5 || time.Since(began) < foreignAge {
			t.Errorf("%d lists in %s", lists, time.Since(began))
		}
		jm.change(func() { late = true })
		for began := time.Now(); time.Since(began) < foreignAge+time.Minute; {
			if v := view(t, c); len(v.Jobs[0].Sources) == 1 {
				return
			}
			pass(15 * time.Second)
		}
		t.Error("it is not found")
	})
}
