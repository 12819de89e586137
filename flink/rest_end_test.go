package flink

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAJobThatEndedKeepsWhatItSaidLast(t *testing.T) {
	for name, end := range map[string]struct {
		version, state string
		unseen         bool  // until it ended
		restarted      bool  // once, before that
		records        int64 // that REST says then
		wantRecords    int64
		wantRunning    bool
	}{
		"stopped":                {version: "2.2.1", state: "FINISHED", records: 31, wantRecords: 31, wantRunning: true},
		"stopped on 1.20":        {version: "1.20.5", state: "FINISHED", records: 0, wantRecords: -1, wantRunning: true},
		"cancelled":              {version: "2.2.1", state: "CANCELED", records: 31, wantRecords: -1, wantRunning: true},
		"never seen to run":      {version: "2.2.1", state: "FINISHED", records: 31, wantRecords: 31, wantRunning: true, unseen: true},
		"seen only when it died": {version: "2.2.1", state: "FAILED", records: 31, wantRecords: -1, unseen: true, restarted: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				origin := time.Now()
				vertex := runningVertex("v1", tellTime(origin))
				job := runningJob("aa", "job", vertex)
				jm := newJobManager(job)
				jm.version = end.version
				c := startCluster(t, jm, Config{KeepEnded: time.Hour})
				var before Sample
				if !end.unseen {
					before = onlySource(t, view(t, c)).Samples[0]
				}
				if end.restarted {
					job.restarted = time.Now()
				}
				pass(11 * time.Second)
				jm.change(func() { jm.update() }) // somebody else's request
				pass(3 * time.Second)
				jm.change(func() {
					job.state, job.ended = end.state, time.Now()
					job.checkpoints = `{"counts":{"completed":4},"latest":{"savepoint":{"latest_ack_timestamp":5000,"checkpoint_type":"SYNC_SAVEPOINT"}}}`
					vertex.status, vertex.end, vertex.readRecords = end.state, time.Now(), end.records
				})
				ended := time.Now()
				pass(time.Minute)
				v := view(t, c)
				source := onlySource(t, v)
				s := source.Samples[0]
				checkTimes(t, origin, s)
				if v.Jobs[0].State != end.state || !v.Jobs[0].Ended.Equal(ended) || source.ReadRecords != end.wantRecords || s.Running != end.wantRunning {
					t.Errorf("state %s, %d records, sample %+v", v.Jobs[0].State, source.ReadRecords, s)
				}
				if stopped := v.Jobs[0].Checkpoints.StoppedWith; stopped.IsZero() != (end.state != "FINISHED") {
					t.Errorf("stopped with a savepoint at %s", stopped)
				}
				if !end.unseen && (!s.After.Equal(before.After) || s.Partitions[0].Emitted <= before.Partitions[0].Emitted) {
					t.Errorf("the last dump, which nobody of us had read, is not told: %+v after %+v", s, before)
				}
				if s.Before.After(ended.Add(time.Second)) {
					t.Errorf("the values are said to be from up to %s after the end", s.Before.Sub(ended))
				}

				pass(time.Until(ended.Add(time.Hour - time.Second)))
				onlySource(t, view(t, c))
				pass(2 * time.Second)
				if jobs := view(t, c).Jobs; len(jobs) != 0 {
					t.Errorf("it is kept for longer than asked: %+v", jobs)
				}
			})
		})
	}
}

// Flink answers from caches: what is asked right after an end may not tell of the savepoint that was it.
func TestAnEndIsAskedForUntilTheCachesKnowOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := runningJob("aa", "job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}})))
		jm := newJobManager(job)
		c := startCluster(t, jm, Config{})
		view(t, c)
		jm.change(func() {
			job.state, job.ended, job.vertices[0].status, job.vertices[0].end = "FINISHED", time.Now(), "FINISHED", time.Now()
			job.checkpoints = `{"counts":{"completed":4},"latest":{"savepoint":{"latest_ack_timestamp":5000,"checkpoint_type":"SYNC_SAVEPOINT"}}}`
		})
		if c := view(t, c).Jobs[0].Checkpoints; c.Completed != 3 {
			t.Fatalf("the cache was not asked: %+v", c)
		}
		pass(3 * time.Second)
		if c := view(t, c).Jobs[0].Checkpoints; c.Completed != 4 || c.StoppedWith.IsZero() {
			t.Errorf("then %+v", c)
		}
		jm.asked()
		view(t, c)
		if asked := jm.asked(); len(asked) != 2 {
			t.Errorf("and again it asked %v", asked)
		}
	})
}

// A bounded source may be done while its job goes on.
func TestAVertexThatFinishedBeforeItsJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		origin := time.Now()
		vertex := runningVertex("v1", tellTime(origin))
		jm := newJobManager(runningJob("aa", "job", vertex))
		c := startCluster(t, jm, Config{})
		view(t, c)
		pass(20 * time.Second)
		jm.change(func() { vertex.status, vertex.end, vertex.readRecords = "FINISHED", time.Now(), 7 })
		pass(20 * time.Second)
		if s := onlySource(t, view(t, c)); s.ReadRecords != 7 || !s.Samples[0].Running {
			t.Errorf("got %+v", s)
		}
		jm.asked()
		if s := onlySource(t, view(t, c)); s.ReadRecords != 7 {
			t.Errorf("then %+v", s)
		}
		if asked := jm.asked(); len(asked) != 5 {
			t.Errorf("it was asked again: %v", asked)
		}
	})
}

// What an instance that has read to its end said last holds ever after, and is no older than the others' values.
func TestAnInstanceThatFinishedBeforeTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vertex := runningVertex("v1", kafkaMetrics("Source__clock", "t", map[int32][2]int64{0: {1, 2}}), onPartition(1, tellTime(time.Now())))
		jm := newJobManager(runningJob("aa", "job", vertex))
		c := startCluster(t, jm, Config{})
		pass(20 * time.Second)
		view(t, c)
		jm.change(func() { vertex.subtasks[0].finished = true })
		pass(time.Hour)
		s := onlySource(t, view(t, c)).Samples[0]
		if !s.Running || len(s.Partitions) != 2 || s.Before.Sub(s.After) > 3*time.Second {
			t.Errorf("got %+v", s)
		}
	})
}

func TestAJobThatFallsSilentIsKeptForAsLongAsConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := runningJob("aa", "job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}})))
		jm := newJobManager(job)
		c := startCluster(t, jm, Config{KeepEnded: 10 * time.Minute})
		heard := view(t, c).Jobs[0].Heard
		jm.change(func() { jm.jobs = nil })
		pass(9 * time.Minute)
		v := view(t, c)
		if onlySource(t, v); !v.Jobs[0].Heard.Equal(heard) || v.Jobs[0].State != "RUNNING" {
			t.Errorf("got %+v", v.Jobs[0])
		}
		pass(time.Minute)
		if jobs := view(t, c).Jobs; len(jobs) != 0 {
			t.Errorf("after ten minutes: %+v", jobs)
		}
	})
}

func TestJobsThatAreNotWantedAreAskedNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jm := newJobManager(runningJob("aa", "mine"), runningJob("bb", "yours"))
		c := startCluster(t, jm, Config{Jobs: func(name string) bool { return name == "mine" }})
		if v := view(t, c); len(v.Jobs) != 1 || v.Jobs[0].Name != "mine" {
			t.Errorf("got %+v", v.Jobs)
		}
		for _, path := range jm.asked() {
			if path == "/jobs/bb" {
				t.Error("the other job was asked")
			}
		}
	})
}

// A cluster for a single job gives its next job the same id.
func TestAJobWithTheIDOfOneThatEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := func(emitted int64) *fakeVertex {
			return runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {emitted, emitted + 1}}))
		}
		first := runningJob("00", "job", source(9))
		jm := newJobManager(first)
		c := startCluster(t, jm, Config{KeepEnded: time.Hour})
		view(t, c)
		jm.change(func() {
			first.state, first.ended = "FINISHED", time.Now()
			first.vertices[0].status, first.vertices[0].end, first.vertices[0].readRecords = "FINISHED", time.Now(), 10
		})
		pass(time.Minute)
		if s := onlySource(t, view(t, c)); s.ReadRecords != 10 {
			t.Errorf("ended: %+v", s)
		}
		pass(time.Minute)
		jm.change(func() { jm.jobs = []*fakeJob{runningJob("00", "job", source(3))} })
		pass(11 * time.Second)
		v := view(t, c)
		s := onlySource(t, v)
		if j := v.Jobs[0]; j.State != "RUNNING" || !j.Ended.IsZero() || s.ReadRecords != -1 || !s.Samples[0].Running || s.Samples[0].Partitions[0].Emitted != 3 {
			t.Errorf("the next job is %+v", j)
		}
	})
}

// A session cluster may run a job a minute, each with thousands of ids, and all are kept for a day.
func TestAJobThatEndedKeepsItsWordsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := runningJob("aa", "job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}})))
		c := startCluster(t, newJobManager(job), Config{KeepEnded: time.Hour})
		view(t, c)
		job.state, job.ended, job.vertices[0].status = "CANCELED", time.Now(), "CANCELED"
		pass(time.Minute)
		onlySource(t, view(t, c))
		v := c.rest.jobs["aa"].vertices["v1"]
		if len(v.wanted)+len(v.requests)+len(v.instances)+len(v.rivals) > 0 {
			t.Errorf("kept: %+v", v)
		}
	})
}
