package browser

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

// jobManager answers as Flink's REST API does, of one job with one source of some topics, each of one partition.
type jobManager struct {
	*httptest.Server

	mu     sync.Mutex
	topics map[string]progress
}

// progress is the last record that was emitted, and what the job has seen committed.
type progress struct{ emitted, committed int64 }

func startJobManager(t *testing.T) *jobManager {
	t.Helper()
	jm := &jobManager{topics: map[string]progress{}}
	jm.Server = httptest.NewServer(jm)
	t.Cleanup(jm.Close)
	return jm
}

func (jm *jobManager) set(topic string, p progress) {
	jm.mu.Lock()
	defer jm.mu.Unlock()
	jm.topics[topic] = p
}

type object = map[string]any

func (jm *jobManager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := jm.answer(strings.Trim(r.URL.Path, "/"))
	if answer == nil {
		http.NotFound(w, r)
		return
	}
	if metrics, ok := answer.(map[string]string); ok {
		answer = asked(metrics, r.URL.Query().Get("get"))
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(answer) // who has gone needs no answer
}

func (jm *jobManager) answer(path string) any {
	now := time.Now()
	since := now.Add(-time.Hour).UnixMilli()
	const job, vertex = "jobs/0123456789abcdef0123456789abcdef", "cbc357ccb763df2852fee8c4fc7d55f2"
	running := object{"jid": job[5:], "name": "payments", "state": "RUNNING", "start-time": since, "end-time": -1}
	switch path {
	case "config":
		return object{"flink-version": "2.2.1", "refresh-interval": 3000}
	case "jobmanager/config":
		return []object{{"key": "metrics.fetcher.update-interval", "value": "1000"}}
	case "jobmanager/metrics":
		return map[string]string{"numRunningJobs": "1"}
	case "jobs/overview":
		return object{"jobs": []object{running}}
	case job:
		running["now"], running["timestamps"] = now.UnixMilli(), object{"RUNNING": since}
		running["plan"] = object{"nodes": []object{{"id": vertex, "parallelism": 1}}}
		running["vertices"] = []object{{
			"id": vertex, "status": "RUNNING", "parallelism": 1, "start-time": since, "end-time": -1, "tasks": object{"RUNNING": 1},
		}}
		return running
	case job + "/checkpoints/config":
		return object{"mode": "exactly_once", "interval": 2000}
	case job + "/checkpoints":
		return object{"counts": object{"completed": 7, "failed": 0, "in_progress": 0}, "latest": object{
			"completed": object{"latest_ack_timestamp": now.UnixMilli(), "checkpoint_type": "CHECKPOINT"},
		}}
	case job + "/config":
		return object{"execution-config": object{"user-config": object{}}}
	case job + "/metrics":
		return map[string]string{"uptime": "3600000"}
	case job + "/vertices/" + vertex:
		return object{"id": vertex, "now": now.UnixMilli(), "subtasks": []object{{
			"subtask": 0, "status": "RUNNING", "attempt": 0, "start-time": since,
		}}}
	case job + "/vertices/" + vertex + "/metrics":
		return jm.source()
	}
	return nil
}

// source are the metrics of the reader of the topics.
func (jm *jobManager) source() map[string]string {
	const reader = "0.Source__orders.KafkaSourceReader."
	metrics := map[string]string{reader + "commitsSucceeded": "7", reader + "commitsFailed": "0"}
	jm.mu.Lock()
	defer jm.mu.Unlock()
	for topic, p := range jm.topics {
		of := reader + "topic." + strings.ReplaceAll(topic, ".", "_") + ".partition.0."
		metrics[of+"currentOffset"], metrics[of+"committedOffset"] = fmt.Sprint(p.emitted), fmt.Sprint(p.committed)
	}
	return metrics
}

// asked are metrics as Flink lists them: their ids alone, or the values of those that were asked for.
func asked(metrics map[string]string, ids string) []object {
	answers := []object{}
	for id, value := range metrics {
		switch {
		case ids == "":
			answers = append(answers, object{"id": id})
		case slices.Contains(strings.Split(ids, ","), id):
			answers = append(answers, object{"id": id, "value": value})
		}
	}
	return answers
}
