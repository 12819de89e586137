package flink

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/log"
)

func testLogger(t *testing.T) log.Logger { return log.NewLogfmtLogger(t.Output()) }

// view polls once and reads.
func view(t *testing.T, c *Cluster) *View {
	t.Helper()
	c.rest.poll(t.Context())
	return c.Read(t.Context())
}

func onlySource(t *testing.T, v *View) Source {
	t.Helper()
	if len(v.Jobs) != 1 || len(v.Jobs[0].Sources) != 1 {
		t.Fatalf("want one job with one source: %+v", v.Jobs)
	}
	return v.Jobs[0].Sources[0]
}

func TestAPollCostsWhatItsSourceVerticesCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		orders := kafkaMetrics("Source__orders", "orders", map[int32][2]int64{0: {9, 10}, 1: {-1, -1}})
		one := runningJob("aa", "one", runningVertex("v1", orders))
		sink := runningVertex("v3", orders)
		sink.inputs = 1
		foreign := runningVertex("v5", func(time.Time) map[string]string { return map[string]string{"Source__gen.numRecordsIn": "1"} })
		two := runningJob("bb", "two", runningVertex("v2", orders), sink, runningVertex("v4", orders), foreign)
		old := runningJob("cc", "old", runningVertex("v1", orders))
		old.state, old.ended = "CANCELED", time.Now()
		jm := newJobManager(one, two, old)
		c := startCluster(t, jm, Config{Parameters: true, REST: &RESTConfig{Interval: time.Minute}})
		for range 5 { // until nothing is young
			view(t, c)
			pass(10*time.Second + time.Millisecond)
		}
		jm.asked()
		view(t, c)
		got := jm.asked()
		slices.Sort(got)
		want := []string{
			"/jobmanager/metrics?get", "/jobs/overview",
			"/jobs/aa", "/jobs/aa/checkpoints", "/jobs/aa/metrics?get", "/jobs/aa/vertices/v1/metrics?get",
			"/jobs/bb", "/jobs/bb/checkpoints", "/jobs/bb/metrics?get",
			"/jobs/bb/vertices/v2/metrics?get", "/jobs/bb/vertices/v4/metrics?get",
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("a poll asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}

		jm.change(func() { one.state, one.ended = "FINISHED", time.Now() })
		pass(5 * time.Second)
		view(t, c)
		after := jm.asked()
		for _, path := range []string{"/jobs/aa", "/jobs/aa/checkpoints", "/jobs/aa/vertices/v1/metrics?get"} {
			if !slices.Contains(after, path) {
				t.Errorf("after the job's end %s was not asked", path)
			}
		}
		view(t, c)
		for _, path := range jm.asked() {
			if strings.HasPrefix(path, "/jobs/aa") || strings.HasPrefix(path, "/jobs/cc") {
				t.Errorf("%s was asked of a job that had ended", path)
			}
		}
	})
}

func TestWhatASourceSaysArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vertex := runningVertex("v1",
			kafkaMetrics("Source__orders", "orders_p3", map[int32][2]int64{0: {9, 10}, 2: {-1, -1}}),
			kafkaMetrics("Source__orders", "orders_p3", map[int32][2]int64{1: {6, 7}}))
		vertex.subtasks[1].attempt = 2
		job := runningJob("aa", "h-job", vertex)
		job.parameters = object{"group": "g", "parallelism": 2}
		c := startCluster(t, newJobManager(job), Config{Name: "eu", Parameters: true})
		v := view(t, c)
		j := v.Jobs[0]
		if v.Cluster != "eu" || j.ID != "aa" || j.Name != "h-job" || j.State != "RUNNING" || j.Version != "2.2.1" || j.Err != nil {
			t.Errorf("job %+v", j)
		}
		if j.Parameters["group"] != "g" || j.Parameters["parallelism"] != "2" {
			t.Errorf("parameters %v", j.Parameters)
		}
		if j.Checkpoints.Interval != 2*time.Second || j.Checkpoints.Completed != 3 || j.Checkpoints.Failed != 1 {
			t.Errorf("checkpoints %+v", j.Checkpoints)
		}
		source := onlySource(t, v)
		if source.Vertex != "v1" || source.Operator != "Source__orders" || source.ReadRecords != -1 || source.Legacy {
			t.Errorf("source %+v", source)
		}
		sample := source.Samples[0]
		if !sample.Running || sample.Interface != REST {
			t.Errorf("sample %+v", sample)
		}
		wantPartitions := []Partition{
			{Topic: "orders_p3", Partition: 0, Subtask: 0, Emitted: 9, Committed: 10},
			{Topic: "orders_p3", Partition: 1, Subtask: 1, Emitted: 6, Committed: 7},
			{Topic: "orders_p3", Partition: 2, Subtask: 0, Emitted: Unset, Committed: Unset},
		}
		if !slices.Equal(sample.Partitions, wantPartitions) {
			t.Errorf("partitions %+v", sample.Partitions)
		}
		wantSubtasks := []Subtask{
			{Index: 0, Attempt: 0, Succeeded: 3, Failed: 0, Records: 100, Busy: 0.25, Backpressured: 0.5, Idle: 1},
			{Index: 1, Attempt: 2, Succeeded: 3, Failed: 0, Records: 100, Busy: 0.25, Backpressured: 0.5, Idle: 1},
		}
		if !slices.Equal(sample.Subtasks, wantSubtasks) {
			t.Errorf("subtasks %+v", sample.Subtasks)
		}
		if r := v.Reaches[0]; r.Err != nil || r.Requests == 0 || r.Target != "http://jobmanager:8081" || r.At.IsZero() {
			t.Errorf("reach %+v", r)
		}
	})
}

func TestAJobManagerBehindAPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jm := newJobManager(runningJob("aa", "job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}}))))
		c := startCluster(t, http.StripPrefix("/a b/flink", jm), Config{REST: &RESTConfig{URL: "http://proxy/a%20b/flink/"}})
		v := view(t, c)
		onlySource(t, v)
		if r := v.Reaches[0]; r.Err != nil || r.Target != "http://proxy/a%20b/flink" {
			t.Errorf("reach %+v", r)
		}
	})
}
