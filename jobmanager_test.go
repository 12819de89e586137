package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// jobManager answers as Flink's REST API does, of one job with one source of the topic orders.
type jobManager struct {
	*httptest.Server

	mu                 sync.Mutex
	idle               bool   // it has no job
	updateInterval     string // metrics.fetcher.update-interval
	parameters         map[string]string
	emitted, committed int64
	interval           int64 // of checkpoints, in milliseconds

	hang chan struct{} // not nil: requests wait until it is closed
}

func newJobManager(t *testing.T) *jobManager {
	t.Helper()
	jm := &jobManager{updateInterval: "10000", emitted: -1, committed: -1, interval: 2000}
	jm.Server = httptest.NewServer(jm)
	t.Cleanup(jm.Close)
	return jm
}

// set is for what a test changes while the JobManager answers.
func (jm *jobManager) set(change func()) {
	jm.mu.Lock()
	defer jm.mu.Unlock()
	change()
}

type object = map[string]any

func (jm *jobManager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	jm.mu.Lock()
	hang := jm.hang
	jm.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
		return
	}
	jm.mu.Lock()
	answer := jm.answer(strings.Trim(r.URL.Path, "/"))
	jm.mu.Unlock()
	if answer == nil {
		http.NotFound(w, r)
		return
	}
	if metrics, ok := answer.(map[string]string); ok {
		answer = values(metrics, r.URL.Query().Get("get"))
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(answer) // who has gone needs no answer
}

func (jm *jobManager) answer(path string) any {
	now := time.Now()
	since := now.Add(-time.Hour)
	const job, vertex = "jobs/0123456789abcdef0123456789abcdef", "cbc357ccb763df2852fee8c4fc7d55f2"
	switch path {
	case "config":
		return object{"flink-version": "2.2.1", "refresh-interval": 3000}
	case "jobmanager/config":
		return []object{{"key": "metrics.fetcher.update-interval", "value": jm.updateInterval}}
	case "jobmanager/metrics":
		return map[string]string{"numRunningJobs": "1"}
	case "jobs/overview":
		jobs := []object{}
		if !jm.idle {
			jobs = append(jobs, object{"jid": job[5:], "name": "payments", "state": "RUNNING", "start-time": since.UnixMilli(), "end-time": -1})
		}
		return object{"jobs": jobs}
	case job:
		return object{
			"jid": job[5:], "name": "payments", "state": "RUNNING", "start-time": since.UnixMilli(), "end-time": -1,
			"now": now.UnixMilli(), "timestamps": object{"RUNNING": since.UnixMilli()},
			"vertices": []object{{
				"id": vertex, "status": "RUNNING", "parallelism": 1, "start-time": since.UnixMilli(), "end-time": -1, "tasks": object{"RUNNING": 1},
			}},
			"plan": object{"nodes": []object{{"id": vertex, "parallelism": 1}}},
		}
	case job + "/checkpoints/config":
		return object{"mode": "exactly_once", "interval": jm.interval}
	case job + "/checkpoints":
		return object{"counts": object{"completed": 7, "failed": 0, "in_progress": 0}, "latest": object{
			"completed": object{"latest_ack_timestamp": now.UnixMilli(), "checkpoint_type": "CHECKPOINT"},
		}}
	case job + "/config":
		return object{"execution-config": object{"user-config": jm.parameters}}
	case job + "/metrics":
		return map[string]string{"uptime": fmt.Sprint(now.Sub(since).Milliseconds())}
	case job + "/vertices/" + vertex:
		return object{"id": vertex, "now": now.UnixMilli(), "subtasks": []object{{
			"subtask": 0, "status": "RUNNING", "attempt": 0, "start-time": since.UnixMilli(),
		}}}
	case job + "/vertices/" + vertex + "/metrics":
		const reader = "0.Source__orders.KafkaSourceReader."
		return map[string]string{
			reader + "topic.orders.partition.0.currentOffset":   fmt.Sprint(jm.emitted),
			reader + "topic.orders.partition.0.committedOffset": fmt.Sprint(jm.committed),
			reader + "commitsSucceeded":                         "7", reader + "commitsFailed": "0",
		}
	}
	return nil
}

// values are metrics as Flink lists them: their ids alone, or the values of those that were asked for.
func values(metrics map[string]string, asked string) []object {
	answers := []object{}
	for id, value := range metrics {
		switch {
		case asked == "":
			answers = append(answers, object{"id": id})
		case slices.Contains(strings.Split(asked, ","), id):
			answers = append(answers, object{"id": id, "value": value})
		}
	}
	return answers
}
