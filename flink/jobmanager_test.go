package flink

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// jobManager plays the REST API of a JobManager: metrics from a store that requests fill lazily, with what it had staying
// in it; request lines that are too long; a clock of its own.
type jobManager struct {
	version  string
	interval time.Duration // metrics.fetcher.update-interval
	skew     time.Duration // of its clock against ours

	mu       sync.Mutex
	jobs     []*fakeJob
	filled   time.Time
	requests []string                                          // paths, each with "?get" where it asked for values
	handle   func(w http.ResponseWriter, r *http.Request) bool // nil, or answers instead
}

type fakeJob struct {
	id, name, state                  string
	started, since, ended, restarted time.Time
	vertices                         []*fakeVertex
	checkpoints                      string // JSON
	interval                         string // JSON
	parameters                       map[string]any

	storedUptime string
	cached       string // checkpoints, which are answered from a cache
	cachedAt     time.Time
}

type fakeVertex struct {
	id, status     string
	inputs         int
	start, end     time.Time
	subtasks       []*fakeSubtask
	readRecords    int64
	stored         map[string]string
	statusDuration bool // whether the API tells it
}

type fakeSubtask struct {
	attempt           int64
	deployed, running time.Time
	heard             time.Duration // how late the JobManager hears that it runs
	gone              bool          // it makes no dumps
	finished          bool          // likewise, and the API says so
	late              time.Duration // how long its dump takes
	metrics           func(now time.Time) map[string]string
}

func newJobManager(jobs ...*fakeJob) *jobManager {
	return &jobManager{version: "2.2.1", interval: 10 * time.Second, jobs: jobs}
}

// restSpelling is what REST makes of a name.
func restSpelling(name string) string {
	return strings.NewReplacer(".", "_", " ", "_", ":", "_", ",", "_").Replace(name)
}

func offsetID(id metricID) string {
	group, metric := readerGroup, "currentOffset"
	switch {
	case id.source == legacyConsumer:
		group = legacyGroup
	case id.kafkaCluster != "":
		group = dynamicGroup + id.kafkaCluster + readerGroup
	}
	if id.kind == idCommitted {
		metric = "committedOffset"
	}
	if id.source == legacyConsumer {
		metric += "s"
	}
	return fmt.Sprintf("%d.%s%s.topic.%s.partition.%d.%s", id.subtask, id.operator, group, id.topic, id.partition, metric)
}

// kafkaMetrics are the metrics of a source that emitted and committed so much on each partition of a topic.
func kafkaMetrics(operator, topic string, offsets map[int32][2]int64) func(time.Time) map[string]string {
	return func(time.Time) map[string]string {
		m := map[string]string{
			operator + ".KafkaSourceReader.commitsSucceeded": "3",
			operator + ".KafkaSourceReader.commitsFailed":    "0",
			operator + ".numRecordsIn":                       "100",
		}
		for p, o := range offsets {
			prefix := fmt.Sprintf("%s.KafkaSourceReader.topic.%s.partition.%d.", operator, topic, p)
			m[prefix+"currentOffset"], m[prefix+"committedOffset"] = fmt.Sprint(o[0]), fmt.Sprint(o[1])
		}
		return m
	}
}

func runningJob(id, name string, vertices ...*fakeVertex) *fakeJob {
	now := time.Now()
	return &fakeJob{
		id: id, name: name, state: "RUNNING", started: now, since: now, vertices: vertices,
		checkpoints: `{"counts":{"completed":3,"failed":1,"in_progress":0},"latest":{}}`, interval: "2000",
	}
}

func runningVertex(id string, metrics ...func(time.Time) map[string]string) *fakeVertex {
	now := time.Now()
	v := &fakeVertex{id: id, status: "RUNNING", start: now, stored: make(map[string]string), statusDuration: true}
	for _, m := range metrics {
		v.subtasks = append(v.subtasks, &fakeSubtask{deployed: now, running: now.Add(300 * time.Millisecond), metrics: m})
	}
	return v
}

// update fills the store, if that was last done longer ago than the interval. Each process' dump comes in its own time.
func (jm *jobManager) update() {
	now := time.Now()
	if now.Sub(jm.filled) <= jm.interval {
		return
	}
	jm.filled = now
	for _, job := range jm.jobs {
		time.AfterFunc(100*time.Millisecond, func() {
			jm.mu.Lock()
			defer jm.mu.Unlock()
			job.storedUptime = "0"
			if job.state == "RUNNING" {
				job.storedUptime = fmt.Sprint(time.Since(job.since).Milliseconds())
			}
		})
		for _, vertex := range job.vertices {
			for index, subtask := range vertex.subtasks {
				time.AfterFunc(200*time.Millisecond, func() { jm.dump(vertex, index, subtask) })
			}
		}
	}
}

func (jm *jobManager) dump(vertex *fakeVertex, index int, subtask *fakeSubtask) {
	jm.mu.Lock()
	defer jm.mu.Unlock()
	if subtask.gone || subtask.finished || vertex.status != "RUNNING" {
		return
	}
	age := time.Since(subtask.running)
	taken := map[string]string{
		"accumulateIdleTimeMs": "10", "accumulateBackPressuredTimeMs": "20",
		"accumulateBusyTimeMs": fmt.Sprintf("%d.0", age.Milliseconds()-30),
		"busyTimeMsPerSecond":  "250.0", "backPressuredTimeMsPerSecond": "500", "idleTimeMsPerSecond": "1001", "numRecordsOut": "1",
	}
	for id, value := range subtask.metrics(time.Now()) {
		taken[id] = value
	}
	time.AfterFunc(subtask.late, func() {
		jm.mu.Lock()
		defer jm.mu.Unlock()
		for id, value := range taken {
			vertex.stored[fmt.Sprintf("%d.%s", index, id)] = value
		}
	})
}

// change is for what tests change while the JobManager answers.
func (jm *jobManager) change(f func()) {
	jm.mu.Lock()
	defer jm.mu.Unlock()
	f()
}

// asked are the requests since it was called last.
func (jm *jobManager) asked() []string {
	jm.mu.Lock()
	defer jm.mu.Unlock()
	requests := jm.requests
	jm.requests = nil
	return requests
}
