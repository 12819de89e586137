package flink

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// script is a listener that tells what the test says, and may take its time.
type script struct {
	tell func() []Job
	err  error
}

func (s *script) read(context.Context) ([]Job, []Reach) {
	return s.tell(), []Reach{{Interface: Reporter, Target: "http://tm:9249/metrics", At: time.Now(), Err: s.err}}
}

func (s *script) close() {}

// heardSource is a source of the reporter's, with partitions as {partition, subtask, emitted}.
func heardSource(partitions ...[3]int64) Source {
	sample := Sample{Interface: Reporter, After: time.Now(), Before: time.Now(), Running: true}
	for _, p := range partitions {
		sample.Partitions = append(sample.Partitions, Partition{
			Topic: "t", Partition: int32(p[0]), Subtask: int32(p[1]), Emitted: p[2], Committed: Unset,
		})
		if !slices.ContainsFunc(sample.Subtasks, func(s Subtask) bool { return s.Index == int32(p[1]) }) {
			sample.Subtasks = append(sample.Subtasks, Subtask{Index: int32(p[1])})
		}
	}
	return Source{Vertex: "v1", Operator: "op", ReadRecords: -1, Samples: []Sample{sample}}
}

func heardJob(sources ...Source) []Job {
	return []Job{{ID: "aa", Name: "h_job", Heard: time.Now(), Sources: sources}}
}

func emittedOf(s Sample) (all []int64) {
	for _, p := range s.Partitions {
		all = append(all, p.Emitted)
	}
	return all
}

func TestRESTAndAReporterTellOfTheSameJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jm := newJobManager(runningJob("aa", "h-job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}}))),
			runningJob("bb", "yours"))
		reporter := &script{tell: func() []Job {
			jobs := append(heardJob(heardSource([3]int64{0, 0, 5})), Job{ID: "bb", Name: "yours"}, Job{ID: "cc", Name: "stray", Heard: time.Now()})
			jobs[0].Checkpoints = &Checkpoints{Completed: 99}
			return jobs
		}}
		c := startCluster(t, jm, Config{Jobs: func(name string) bool { return name != "yours" }})
		c.listen(reporter)

		alone := c.Read(t.Context()) // REST was not polled yet
		if len(alone.Jobs) != 2 || alone.Jobs[0].Name != "h_job" || alone.Jobs[0].Checkpoints.Completed != 99 {
			t.Errorf("the reporter alone: %+v", alone.Jobs)
		}
		c.rest.poll(t.Context())
		pass(time.Second)
		v := c.Read(t.Context())
		if len(v.Jobs) != 2 || len(v.Reaches) != 2 {
			t.Fatalf("got %+v, %+v", v.Jobs, v.Reaches)
		}
		j := v.Jobs[0]
		if j.Name != "h-job" || j.State != "RUNNING" || j.Checkpoints.Completed != 3 || !j.Heard.Equal(time.Now()) || len(j.Sources) != 1 {
			t.Errorf("merged: %+v", j)
		}
		samples := j.Sources[0].Samples
		if len(samples) != 2 || samples[0].Interface != Reporter || samples[1].Interface != REST || emittedOf(samples[0])[0] != 5 || emittedOf(samples[1])[0] != 1 {
			t.Errorf("samples %+v", samples)
		}
		// Nothing that was handed out changes.
		if again := c.Read(t.Context()); len(again.Jobs[0].Sources[0].Samples) != 2 || len(alone.Jobs[0].Sources[0].Samples) != 1 {
			t.Errorf("then %+v", again.Jobs)
		}
	})
}

func TestAReporterThatFallsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tell []Job
		reporter := &script{tell: func() []Job { return tell }}
		c := &Cluster{cfg: Config{KeepEnded: 10 * time.Minute}}
		c.listen(reporter)
		read := func() Sample {
			t.Helper()
			return onlySource(t, c.Read(t.Context())).Samples[0]
		}
		tell = heardJob(heardSource([3]int64{0, 0, 10}, [3]int64{1, 1, 20}, [3]int64{2, 2, 30}))
		began := time.Now()
		read()
		pass(15 * time.Second)
		// A partition went to another instance, and the first instance's TaskManager is gone.
		tell = heardJob(heardSource([3]int64{1, 2, 21}, [3]int64{2, 2, 31}))
		if s := read(); !slices.Equal(emittedOf(s), []int64{21, 31}) || s.Silent != 2 {
			t.Errorf("while it is heard it says %+v", s)
		}
		last := time.Now()
		pass(15 * time.Second)
		tell, reporter.err = nil, errors.New("connection refused")
		s := read()
		if got := emittedOf(s); !slices.Equal(got, []int64{10, 21, 31}) || !s.After.Equal(began) || !s.Before.Equal(last) || !s.Running {
			t.Errorf("each instance's last: %v in [%s, %s]", got, s.After.Sub(began), s.Before.Sub(began))
		}
		pass(time.Until(last.Add(10 * time.Minute)))
		read()
		pass(time.Millisecond)
		if jobs := c.Read(t.Context()).Jobs; len(jobs) != 0 {
			t.Errorf("kept for too long: %+v", jobs)
		}
	})
}

// An instance that was gone long before the end is none of the end's.
func TestATailIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tell := heardJob(heardSource([3]int64{0, 0, 10}, [3]int64{1, 1, 20}))
		c := &Cluster{cfg: Config{KeepEnded: time.Hour}}
		c.listen(&script{tell: func() []Job { return tell }})
		c.Read(t.Context())
		pass(tailTime + time.Second)
		tell = heardJob(heardSource([3]int64{1, 1, 21}))
		if s := onlySource(t, c.Read(t.Context())).Samples[0]; s.Silent != 0 {
			t.Errorf("got %+v", s)
		}
		tell = nil
		pass(time.Second)
		if got := emittedOf(onlySource(t, c.Read(t.Context())).Samples[0]); !slices.Equal(got, []int64{21}) {
			t.Errorf("got %v", got)
		}
	})
}

// What REST forgets because it ended too long ago does not come back by another way.
func TestAJobThatEndedLongAgoStaysGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := runningJob("aa", "h-job")
		job.state, job.ended = "FINISHED", time.Now()
		c := startCluster(t, newJobManager(job), Config{KeepEnded: time.Minute})
		c.listen(&script{tell: func() []Job { return heardJob(heardSource([3]int64{0, 0, 1})) }})
		if v := view(t, c); len(v.Jobs) != 1 || v.Jobs[0].State != "FINISHED" {
			t.Errorf("got %+v", v.Jobs)
		}
		pass(time.Minute)
		if v := view(t, c); len(v.Jobs) != 0 {
			t.Errorf("got %+v", v.Jobs)
		}
	})
}

// The JobManager's reporter goes on where its REST API is silent.
func TestCheckpointsOfWhoeverTellsThem(t *testing.T) {
	now := time.Now()
	interval := 10 * time.Second
	rest := &Checkpoints{At: now.Add(-time.Minute), Interval: interval, Completed: 7, Failed: 1, LastCompleted: now.Add(-2 * time.Minute)}
	reporter := &Checkpoints{At: now, Interval: -1, Completed: 9, Failed: 2, LastCompleted: now.Add(-time.Minute)}
	if got := rest.or(reporter); *got != *rest {
		t.Errorf("both: %+v", got)
	}
	old := *rest
	old.At = now.Add(-time.Hour)
	if got := old.or(reporter); got.Completed != 9 || got.Failed != 2 || got.Interval != interval || !got.LastCompleted.Equal(reporter.LastCompleted) || old.Completed != 7 {
		t.Errorf("REST is silent: %+v of %+v", got, old)
	}
	if none := (*Checkpoints)(nil); none.or(nil) != nil || none.or(reporter) != reporter || rest.or(nil) != rest {
		t.Error("one alone")
	}
}
