package flink

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// tellTime is a source that emits an offset a millisecond: each value says when it was taken.
func tellTime(origin time.Time) func(time.Time) map[string]string {
	return func(now time.Time) map[string]string {
		elapsed := now.Sub(origin).Milliseconds()
		return kafkaMetrics("Source__clock", "t", map[int32][2]int64{0: {elapsed, elapsed}})(now)
	}
}

// checkTimes holds a sample to the times that its values tell.
func checkTimes(t *testing.T, origin time.Time, sample Sample) {
	t.Helper()
	for _, p := range sample.Partitions {
		taken := origin.Add(time.Duration(p.Emitted) * time.Millisecond)
		if taken.Before(sample.After.Add(-time.Millisecond)) || taken.After(sample.Before) {
			t.Errorf("partition %d was sampled at %s, said to be in [%s, %s]",
				p.Partition, taken.Sub(origin), sample.After.Sub(origin), sample.Before.Sub(origin))
		}
	}
}

// onPartition moves a source's only partition to another number, so that two instances do not read the same.
func onPartition(p int, metrics func(time.Time) map[string]string) func(time.Time) map[string]string {
	return func(now time.Time) map[string]string {
		moved := make(map[string]string)
		for id, value := range metrics(now) {
			if parsed, _ := parseMetricID("0." + id); parsed.topic != "" {
				parsed.partition = int32(p)
				id = offsetID(parsed)[len("0."):]
			}
			moved[id] = value
		}
		return moved
	}
}

// However late dumps are, whoever else triggers them, and whatever the JobManager's clock shows: values were taken in the
// time that the sample says.
func TestSamplesAreDatedRight(t *testing.T) {
	for name, setting := range map[string]struct {
		skew, interval, updateInterval time.Duration
		others, late, lost, noStatus   bool
		heard                          time.Duration
	}{
		"usual":                    {interval: 15 * time.Second, updateInterval: 10 * time.Second},
		"polled as dumps are made": {interval: 10 * time.Second, updateInterval: 10 * time.Second},
		"polled more often":        {interval: time.Second, updateInterval: 10 * time.Second},
		"dumps each second":        {interval: 2 * time.Second, updateInterval: time.Second},
		"clock ahead":              {interval: 15 * time.Second, updateInterval: 10 * time.Second, skew: time.Hour},
		"clock behind":             {interval: 15 * time.Second, updateInterval: 10 * time.Second, skew: -time.Hour},
		"others ask too":           {interval: 15 * time.Second, updateInterval: 10 * time.Second, others: true},
		"a TaskManager is late":    {interval: 15 * time.Second, updateInterval: 10 * time.Second, late: true, others: true},
		"dumps are lost":           {interval: 15 * time.Second, updateInterval: 10 * time.Second, lost: true},
		"no time of running":       {interval: 15 * time.Second, updateInterval: 10 * time.Second, late: true, noStatus: true},
		"it hears late of a start": {interval: 15 * time.Second, updateInterval: 10 * time.Second, late: true, heard: 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(1, 2))
				origin := time.Now()
				vertex := runningVertex("v1", onPartition(0, tellTime(origin)), onPartition(1, tellTime(origin)))
				vertex.statusDuration = !setting.noStatus
				for _, s := range vertex.subtasks {
					s.heard = setting.heard
				}
				pass(2 * setting.heard)
				jm := newJobManager(runningJob("aa", "job", vertex))
				jm.skew, jm.interval = setting.skew, setting.updateInterval
				c := startCluster(t, jm, Config{REST: &RESTConfig{Interval: setting.interval}})
				var widest time.Duration
				samples := 0
				for range 60 {
					jm.change(func() {
						second := vertex.subtasks[1]
						if setting.late {
							second.late = time.Duration(random.Int64N(int64(25 * time.Second)))
						}
						second.gone = setting.lost && random.IntN(3) == 0
						if setting.others {
							jm.update()
						}
					})
					next := c.rest.poll(t.Context())
					for _, job := range c.Read(t.Context()).Jobs {
						for _, source := range job.Sources {
							samples++
							checkTimes(t, origin, source.Samples[0])
							widest = max(widest, source.Samples[0].Before.Sub(source.Samples[0].After))
							if !source.Samples[0].Running {
								t.Errorf("a running source was taken for a stopped one")
							}
						}
					}
					pass(time.Until(next) + time.Duration(random.Int64N(int64(3*time.Second)*bit(setting.others)+1)))
				}
				if samples < 59 {
					t.Errorf("%d samples of 60 polls", samples)
				}
				if !setting.late && !setting.lost && !setting.others && widest > 3*time.Second {
					t.Errorf("a sample was only known to be in %s", widest)
				}
				t.Logf("%d samples, the widest %s", samples, widest)
			})
		})
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// A poll never triggers in vain: it comes when the store is due, even where that is a little after the interval.
func TestPollsFollowTheDumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		origin := time.Now()
		jm := newJobManager(runningJob("aa", "job", runningVertex("v1", tellTime(origin))))
		c := startCluster(t, jm, Config{REST: &RESTConfig{Interval: 10 * time.Second}})
		go func() { _ = c.Run(t.Context()) }()
		pass(5 * time.Second)
		var last int64
		for range 20 {
			pass(11 * time.Second)
			now := onlySource(t, c.Read(t.Context())).Samples[0].Partitions[0].Emitted
			if now <= last {
				t.Errorf("a poll brought the dump of %d ms again", now)
			}
			last = now
		}
	})
}

func TestADeadAttemptsValuesAreNotARunningSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		origin := time.Now()
		vertex := runningVertex("v1", tellTime(origin))
		job := runningJob("aa", "job", vertex)
		jm := newJobManager(job)
		c := startCluster(t, jm, Config{})
		pass(time.Minute)
		if s := onlySource(t, view(t, c)).Samples[0]; !s.Running || s.Subtasks[0].Attempt != 0 {
			t.Fatalf("before: %+v", s)
		}
		last := onlySource(t, c.Read(t.Context())).Samples[0].Partitions

		// The TaskManager dies. The job says RUNNING, its vertex does not.
		jm.change(func() {
			vertex.status, vertex.subtasks[0].gone = "CREATED", true
			job.restarted, job.since = time.Now(), time.Now()
		})
		pass(11 * time.Second)
		s := onlySource(t, view(t, c)).Samples[0]
		if s.Running || s.Partitions[0] != last[0] {
			t.Errorf("while it does not run: %+v", s)
		}
		checkTimes(t, origin, s)

		// It runs again, and the store still has what the dead attempt said.
		jm.change(func() {
			vertex.status, vertex.start = "RUNNING", time.Now()
			vertex.subtasks[0].attempt, vertex.subtasks[0].deployed = 1, time.Now()
			vertex.subtasks[0].running = time.Now().Add(time.Second)
		})
		pass(11 * time.Second)
		s = onlySource(t, view(t, c)).Samples[0]
		if s.Running {
			t.Errorf("the dead attempt's values were taken for the new one's: %+v", s)
		}

		jm.change(func() {
			vertex.subtasks[0].gone = false
			vertex.subtasks[0].metrics = kafkaMetrics("Source__clock", "t", map[int32][2]int64{0: {-1, -1}})
		})
		pass(11 * time.Second)
		s = onlySource(t, view(t, c)).Samples[0]
		if !s.Running || s.Subtasks[0].Attempt != 1 || s.Partitions[0].Emitted != Unset {
			t.Errorf("the new attempt: %+v", s)
		}
	})
}

func TestFlinkDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10000": 10 * time.Second, "10 s": 10 * time.Second, "10s": 10 * time.Second, "1 min": time.Minute, "500 ms": 500 * time.Millisecond,
		"2 Seconds": 2 * time.Second, "0": 0,
	} {
		if got, ok := parseFlinkDuration(text); !ok || got != want {
			t.Errorf("%q: %s, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "s", "10 x", "-1", "1.5 s", "9223372036854775807 d", "99999999999999999999"} {
		if got, ok := parseFlinkDuration(text); ok {
			t.Errorf("%q was read as %s", text, got)
		}
	}
}
