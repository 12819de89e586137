package flink

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

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
			subtask["status-duration"] = object{"CREATED": 3, "RUNNING": time.Since(s.running.Add(s.heard)).Milliseconds()}
		}
		subtasks = append(subtasks, subtask)
	}
	return object{"id": v.id, "now": jm.at(time.Now()), "subtasks": subtasks}
}
