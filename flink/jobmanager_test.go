package flink

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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

func (jm *jobManager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	jm.mu.Lock()
	defer jm.mu.Unlock()
	request := r.URL.Path
	if r.URL.Query().Has("get") {
		request += "?get"
	}
	jm.requests = append(jm.requests, request)
	if jm.handle != nil && jm.handle(w, r) {
		return
	}
	if len(r.RequestURI) > maxRequest {
		refuse(w, "Unable to load requested file /bad-request.")
		return
	}
	answer, ok := jm.answer(strings.Split(strings.Trim(r.URL.Path, "/"), "/"), r.URL.Query())
	if !ok {
		refuse(w, "org.apache.flink.runtime.rest.NotFoundException: not found\n\tat org.apache.flink")
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(answer)
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(http.StatusNotFound)
	_ = json.NewEncoder(w).Encode(map[string][]string{"errors": {message}})
}

type object = map[string]any

func (jm *jobManager) answer(path []string, query url.Values) (any, bool) {
	switch {
	case slices.Equal(path, []string{"config"}):
		return object{"flink-version": jm.version, "refresh-interval": 3000}, true
	case slices.Equal(path, []string{"jobmanager", "config"}):
		return []object{
			{"key": "rest.port", "value": "8081"},
			{"key": "metrics.fetcher.update-interval", "value": fmt.Sprint(jm.interval.Milliseconds())},
		}, true
	case slices.Equal(path, []string{"jobmanager", "metrics"}):
		jm.update()
		return []object{{"id": "numRunningJobs", "value": "1"}}, true
	case slices.Equal(path, []string{"jobs", "overview"}):
		rows := []object{}
		for _, job := range jm.jobs {
			rows = append(rows, object{
				"jid": job.id, "name": job.name, "state": job.state, "start-time": jm.at(job.started), "end-time": jm.at(job.ended),
			})
		}
		return object{"jobs": rows}, true
	}
	i := slices.IndexFunc(jm.jobs, func(j *fakeJob) bool { return len(path) > 1 && path[0] == "jobs" && j.id == path[1] })
	if i < 0 {
		return nil, false
	}
	return jm.jobAnswer(jm.jobs[i], path[2:], query)
}

// at is a time as Flink writes it.
func (jm *jobManager) at(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.Add(jm.skew).UnixMilli()
}

func (jm *jobManager) jobAnswer(job *fakeJob, path []string, query url.Values) (any, bool) {
	switch strings.Join(path, "/") {
	case "":
		return jm.detail(job), true
	case "checkpoints":
		if time.Since(job.cachedAt) >= 3*time.Second {
			job.cached, job.cachedAt = job.checkpoints, time.Now()
		}
		return json.RawMessage(job.cached), true
	case "checkpoints/config":
		return object{"mode": "exactly_once", "interval": json.RawMessage(job.interval)}, true
	case "config":
		return object{"execution-config": object{"user-config": job.parameters}}, true
	case "metrics":
		jm.update()
		return metricAnswers(map[string]string{"uptime": job.storedUptime, "numRestarts": "0"}, query), true
	}
	for _, vertex := range job.vertices {
		switch strings.Join(path, "/") {
		case "vertices/" + vertex.id:
			return jm.instances(vertex), true
		case "vertices/" + vertex.id + "/metrics":
			jm.update()
			return metricAnswers(vertex.stored, query), true
		}
	}
	return nil, false
}

func metricAnswers(stored map[string]string, query url.Values) []object {
	answers := []object{}
	for id, value := range stored {
		switch {
		case value == "": // not dumped yet
		case !query.Has("get"):
			answers = append(answers, object{"id": id})
		case slices.Contains(strings.Split(query.Get("get"), ","), id):
			answers = append(answers, object{"id": id, "value": value})
		}
	}
	return answers
}

func (jm *jobManager) detail(job *fakeJob) object {
	var vertices, nodes []object
	for _, v := range job.vertices {
		node := object{"id": v.id, "parallelism": len(v.subtasks)}
		if v.inputs > 0 {
			node["inputs"] = make([]object, v.inputs)
		}
		nodes = append(nodes, node)
		tasks := map[string]int{}
		for _, s := range v.subtasks {
			tasks[s.status(v)]++
		}
		vertices = append(vertices, object{
			"id": v.id, "status": v.status, "parallelism": len(v.subtasks), "start-time": jm.at(v.start), "end-time": jm.at(v.end),
			"tasks":   tasks,
			"metrics": object{"read-records": v.readRecords, "read-records-complete": true},
		})
	}
	restarting := jm.at(job.restarted)
	return object{
		"jid": job.id, "name": job.name, "state": job.state, "start-time": jm.at(job.started), "end-time": jm.at(job.ended),
		"now":        jm.at(time.Now()),
		"timestamps": object{"RUNNING": jm.at(job.since), "RESTARTING": max(restarting, 0)},
		"vertices":   vertices, "plan": object{"nodes": nodes},
	}
}

func (s *fakeSubtask) status(v *fakeVertex) string {
	if s.finished {
		return "FINISHED"
	}
	return v.status
}

func (jm *jobManager) instances(v *fakeVertex) object {
	var subtasks []object
	for index, s := range v.subtasks {
		subtask := object{"subtask": index, "status": s.status(v), "attempt": s.attempt, "start-time": jm.at(s.deployed)}
		if v.statusDuration {
			subtask["status-duration"] = object{"CREATED": 3, "RUNNING": time.Since(s.running).Milliseconds()}
		}
		subtasks = append(subtasks, subtask)
	}
	return object{"id": v.id, "now": jm.at(time.Now()), "subtasks": subtasks}
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
