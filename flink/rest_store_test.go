package flink

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Flink takes no request line of more than 4,096 bytes, and names may be anything.
func TestIDsAreAskedForInRequestsThatFlinkTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		operator := restSpelling(`Source: ordérs[1] (v=2) & "x" + ü> a/b;` + strings.Repeat("長", 41)) // each 9 bytes when escaped
		offsets := make(map[int32][2]int64)
		for p := range int32(100) {
			offsets[p] = [2]int64{int64(p), int64(p) + 1}
		}
		jm := newJobManager(runningJob("aa", "job", runningVertex("v1", kafkaMetrics(operator, "eu-orders_v1", offsets))))
		longest := 0
		jm.handle = func(_ http.ResponseWriter, r *http.Request) bool {
			longest = max(longest, len(r.RequestURI))
			return false
		}
		c := startCluster(t, jm, Config{})
		s := onlySource(t, view(t, c))
		if len(s.Samples[0].Partitions) != 100 || s.Operator != operatorName(operator) {
			t.Errorf("%d partitions of %q", len(s.Samples[0].Partitions), s.Operator)
		}
		if longest > maxRequest || longest < maxRequest-700 {
			t.Errorf("the longest request has %d bytes, of %d that may be", longest, maxRequest)
		}
	})
}

func TestRequestsAreFilled(t *testing.T) {
	wanted := make(map[string]metricID)
	for i := range 1000 {
		wanted[fmt.Sprintf("%d.%s", i, strings.Repeat("x", i%90))] = metricID{}
	}
	wanted[strings.Repeat("y", 4084)] = metricID{}
	requests, tooLong := valueRequests("/proxy", "/jobs/a/vertices/b", wanted)
	if tooLong != 1 {
		t.Errorf("%d ids are too long", tooLong)
	}
	ids := 0
	for _, request := range requests {
		if len("/proxy"+request) > maxRequest {
			t.Errorf("a request has %d bytes", len("/proxy"+request))
		}
		ids += strings.Count(request, ",") + 1
	}
	if ids != 1000 || len(requests) > 14 {
		t.Errorf("%d ids in %d requests", ids, len(requests))
	}
	if exact, _ := valueRequests("", "/p", map[string]metricID{strings.Repeat("z", maxRequest-len("/p/metrics?get=")): {}}); len(exact) != 1 {
		t.Error("an id that just fits was left out")
	}
}

func TestABadValueIsAMissingOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		metrics := kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}, 1: {3, 4}, 2: {5, 6}, 3: {7, 8}})
		bad := func(now time.Time) map[string]string {
			m := metrics(now)
			m["op.KafkaSourceReader.topic.t.partition.1.currentOffset"] = "NaN"
			m["op.KafkaSourceReader.topic.t.partition.1.committedOffset"] = "null"
			m["op.KafkaSourceReader.topic.t.partition.2.currentOffset"] = fmt.Sprint(math.MaxInt64)
			m["op.KafkaSourceReader.topic.t.partition.3.currentOffset"] = "7.0E0"
			m["op.KafkaSourceReader.commitsFailed"] = "many"
			m["op.KafkaSourceReader.topic.t.partition.x.currentOffset"] = "1"
			return m
		}
		c := startCluster(t, newJobManager(runningJob("aa", "job", runningVertex("v1", bad))), Config{})
		v := view(t, c)
		s := onlySource(t, v).Samples[0]
		want := []Partition{
			{Topic: "t", Partition: 0, Emitted: 1, Committed: 2}, {Topic: "t", Partition: 2, Emitted: Unset, Committed: 6},
			{Topic: "t", Partition: 3, Emitted: 7, Committed: 8},
		}
		if !slices.Equal(s.Partitions, want) || s.Subtasks[0].Failed != -1 || s.Subtasks[0].Succeeded != 3 {
			t.Errorf("got %+v", s)
		}
		if v.Reaches[0].Skipped != 5 || v.Reaches[0].Err != nil {
			t.Errorf("reach %+v", v.Reaches[0])
		}
	})
}

// What a rescaled job's former readers said stays in the store beside what the present ones say.
func TestFormerReadersOfARescaledJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		origin := time.Now()
		clockOn := func(p int) func(time.Time) map[string]string { return onPartition(p, tellTime(origin)) }
		both := func(now time.Time) map[string]string {
			m := clockOn(0)(now)
			maps.Copy(m, clockOn(1)(now))
			return m
		}
		vertex := runningVertex("v1", both)
		job := runningJob("aa", "job", vertex)
		jm := newJobManager(job)
		c := startCluster(t, jm, Config{})
		view(t, c)
		rescale := func(metrics ...func(time.Time) map[string]string) {
			jm.change(func() {
				stored := vertex.stored
				*vertex = *runningVertex("v1", metrics...)
				vertex.stored = stored
				job.since, job.restarted = time.Now(), time.Now()
			})
			pass(20 * time.Second)
		}

		rescale(clockOn(0), clockOn(1)) // partition 1 moves to instance 1, instance 0 had it before
		v := view(t, c)
		if s := onlySource(t, v).Samples[0]; len(s.Partitions) != 1 || s.Partitions[0].Partition != 0 || v.Reaches[0].Skipped != 1 {
			t.Errorf("before either has moved: %+v, %d skipped", s.Partitions, v.Reaches[0].Skipped)
		}
		pass(20 * time.Second)
		s := onlySource(t, view(t, c)).Samples[0]
		if len(s.Partitions) != 2 || s.Partitions[1].Subtask != 1 {
			t.Errorf("then: %+v", s.Partitions)
		}
		checkTimes(t, origin, s)

		rescale(both) // and back: there is no instance 1 any more
		s = onlySource(t, view(t, c)).Samples[0]
		if len(s.Partitions) != 2 || s.Partitions[1].Subtask != 0 || len(s.Subtasks) != 1 {
			t.Errorf("scaled down: %+v", s)
		}
		checkTimes(t, origin, s)
	})
}

// Partitions are discovered while a job runs, and their metrics are registered after the first lists.
func TestPartitionsThatComeLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		offsets := map[int32][2]int64{}
		vertex := runningVertex("v1", func(now time.Time) map[string]string { return kafkaMetrics("op", "t", offsets)(now) })
		jm := newJobManager(runningJob("aa", "job", vertex))
		c := startCluster(t, jm, Config{})
		if s := onlySource(t, view(t, c)).Samples[0]; len(s.Partitions) != 0 {
			t.Fatalf("got %+v", s)
		}
		jm.change(func() { offsets[0] = [2]int64{1, 2} })
		pass(11 * time.Second)
		if s := onlySource(t, view(t, c)).Samples[0]; len(s.Partitions) != 1 {
			t.Errorf("a young source's first partition: %+v", s)
		}
		pass(time.Hour)
		view(t, c)
		jm.change(func() { offsets[1] = [2]int64{3, 4} })
		pass(time.Minute + time.Second)
		view(t, c)
		pass(time.Minute + time.Second)
		if s := onlySource(t, view(t, c)).Samples[0]; len(s.Partitions) != 2 {
			t.Errorf("a discovered partition: %+v", s)
		}
	})
}

func TestKindsOfSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		legacy := func(time.Time) map[string]string {
			return map[string]string{
				"Source__old.KafkaConsumer.topic.s_lt.partition.0.committedOffsets": "3",
				"Source__old.KafkaConsumer.topic.s_lt.partition.0.currentOffsets":   "-915623761773",
				"Source__old.KafkaConsumer.committed-offsets.s_lt-0":                "3",
				"Source__old.commitsSucceeded":                                      "18",
				"Source__old.commitsFailed":                                         "0",
				"accumulateBusyTimeMs":                                              "NaN", "busyTimeMsPerSecond": "NaN",
			}
		}
		dynamic := func(time.Time) map[string]string {
			m := make(map[string]string)
			for cluster, value := range map[string]string{"lab-cluster_1": "4", "lab-cluster_2": "9"} {
				prefix := "Source__orders.DynamicKafkaSource.kafkaCluster." + cluster + ".KafkaSourceReader."
				m[prefix+"topic.k_dyn.partition.0.committedOffset"] = value
				m[prefix+"topic.k_dyn.partition.0.currentOffset"] = "3"
				m[prefix+"commitsSucceeded"] = value
			}
			return m
		}
		others := func(time.Time) map[string]string { return map[string]string{"Source__jdbc.commitsSucceeded": "1"} }
		job := runningJob("aa", "job", runningVertex("v1", legacy), runningVertex("v2", dynamic), runningVertex("v3", others))
		sources := view(t, startCluster(t, newJobManager(job), Config{})).Jobs[0].Sources
		if len(sources) != 3 {
			t.Fatalf("got %+v", sources)
		}
		if s := sources[0]; !s.Legacy || s.Operator != "Source__old" || s.Samples[0].Subtasks[0].Succeeded != 18 || s.Samples[0].Subtasks[0].Busy != -1 ||
			s.Samples[0].Partitions[0] != (Partition{Topic: "s_lt", Emitted: Unset, Committed: 3}) || !s.Samples[0].Running {
			t.Errorf("legacy: %+v", s)
		}
		for i, want := range []struct {
			cluster   string
			committed int64
		}{{"lab_cluster_1", 4}, {"lab_cluster_2", 9}} {
			s := sources[1+i]
			if s.Legacy || s.KafkaCluster != want.cluster || s.Samples[0].Partitions[0].Committed != want.committed || s.Samples[0].Subtasks[0].Succeeded != want.committed {
				t.Errorf("dynamic: %+v", s)
			}
		}
	})
}
