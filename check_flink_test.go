package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// page serves a page that a Flink reporter has answered.
func page(t *testing.T, file string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("flink", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = w.Write(body) // who has gone needs no answer
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// The probe asks each interface of a Flink cluster, and says what is missing and what would be right.
func TestCheckConfigProbesFlink(t *testing.T) {
	c, commit := doubted(t)
	commit("payments", 10)
	taskManager, itsJobManager := page(t, "2.2/quiet-taskmanager-1.prom"), page(t, "2.2/quiet-jobmanager.prom")
	login := httptest.NewServer(http.RedirectHandler("https://login.example/?from=flink", http.StatusFound))
	t.Cleanup(login.Close)
	nobody := filepath.Join(t.TempDir(), "targets.yml")
	if err := os.WriteFile(nobody, []byte("[]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const lacks = "LACKS  "
	tests := []struct {
		name   string
		change func(*jobManager)
		url    string // in place of the JobManager's
		more   string // of the Flink cluster's configuration
		lacks  int
		want   []string
	}{
		{name: "all is well", more: ", sources: [{group: payments}]", want: []string{
			"ok     REST API at http://127.0.0.1:", "(a JobManager that the exporter reaches): it answers.\n",
			"ok     jobs (one that has not ended and that flink.clusters[].jobs lets through): all are read: 1.\n",
			"ok     age of REST's metrics (metrics.fetcher.update-interval of a minute or less; Flink's default is 10 s): the JobManager renews them every 10s.\n",
			"ok     Kafka sources by rest (a KafkaSource, DynamicKafkaSource or FlinkKafkaConsumer that runs): 1, with partitions: 1.\n",
			"ok     groups of the sources (flink.clusters[].sources, group_parameter or infer_groups): told for 1 of 1.\n",
		}},
		{name: "to be inferred", want: []string{`told for 0 of 1; not for those of "payments": to be inferred while their commits move.`}},
		{name: "not to be inferred", more: ", infer_groups: false", lacks: 1, want: []string{
			lacks + `groups of the sources (flink.clusters[].sources, group_parameter or infer_groups): told for 0 of 1; not for those of "payments".`,
		}},
		{name: "published", more: ", group_parameter: kafka.group", change: func(jm *jobManager) { jm.parameters = map[string]string{"kafka.group": "payments"} },
			want: []string{`ok     groups of the sources (flink.clusters[].sources, or a published job parameter "kafka.group"): told for 1 of 1.`}},
		{name: "not published", more: ", group_parameter: kafka.group", lacks: 1,
			want: []string{`not for those of "payments", which publish none of that name (env.getConfig().setGlobalJobParameters): to be inferred`}},
		{name: "no jobs", change: func(jm *jobManager) { jm.idle = true }, lacks: 2, want: []string{
			"ok     REST API at", lacks + "jobs", "the JobManager answers, and no such job is listed", lacks + "Kafka sources by rest",
		}},
		{name: "all jobs left out", more: ", jobs: {exclude: [payments]}", lacks: 2, want: []string{lacks + "jobs"}},
		{name: "metrics that are seldom new", change: func(jm *jobManager) { jm.updateInterval = "5 min" }, lacks: 1,
			want: []string{lacks + "age of REST's metrics", "every 5m0s"}},
		{name: "no metrics", change: func(jm *jobManager) { jm.updateInterval = "0" }, lacks: 1,
			want: []string{lacks + "REST API", "metrics.fetcher.update-interval is 0 there"}},
		{name: "a login page", url: login.URL, lacks: 1, want: []string{lacks + "REST API at " + login.URL}},
		{name: "a reporter with a password", more: ", sources: [{group: payments}], reporter: {urls: [" + taskManager + "], http: {username: u, password: topsecret}}",
			want: []string{"ok     reporter at " + taskManager + "/metrics (Flink's Prometheus reporter on each TaskManager): it answers", "ok     Kafka sources by reporter (the reporters of all TaskManagers): 1, with partitions: "}},
		{name: "no target at all", more: ", reporter: {files: [" + nobody + "]}", lacks: 1,
			want: []string{lacks + "reporters (a target in flink.clusters[].reporter's urls, files or dns): none is found there"}},
		{name: "a JobManager's reporter alone", more: ", reporter: {urls: [" + itsJobManager + "]}", lacks: 1,
			want: []string{"ok     reporter at " + itsJobManager, lacks + "Kafka sources by reporter (the reporters of all TaskManagers): none of those that answer has metrics of one"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			jm := newJobManager(t)
			jm.set(func() {
				jm.emitted, jm.committed = 9, 10
				if tt.change != nil {
					tt.change(jm)
				}
			})
			url := jm.URL
			if tt.url != "" {
				url = tt.url
			}
			code, stdout, stderr := runs(t, "check-config", "--probe", configured(t, c.ListenAddrs()[0], "", url, tt.more))
			if !strings.Contains(stdout, "Flink clusters: 1\n") || strings.Contains(stdout+stderr, "topsecret") {
				t.Errorf("it says\n%s%s", stdout, stderr)
			}
			_, said, _ := strings.Cut(stdout, "\nFlink:\n")
			for _, want := range tt.want {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q:\n%s", want, said)
				}
			}
			if got := strings.Count(said, lacks); got != tt.lacks || (got > 0) != strings.Contains(stderr, "flink: ") || got > 0 && code != 1 {
				t.Errorf("%d features lack something, want %d; exit code %d\n%s%s", got, tt.lacks, code, said, stderr)
			}
		})
	}
}
