package flink

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"
)

// A series that is not understood costs itself alone.
func TestPrometheusOddSeries(t *testing.T) {
	server := newPromServer(t)
	for _, odd := range []string{
		`{"metric":{"__name__":"` + emitted + `"},"values":[]}`,
		`{"metric":{"__name__":"` + emitted + `"}}`,
		`{"metric":{"__name__":"` + emitted + `"},"values":[[1,"2"]]}`, // no job_id
		`{"metric":{"__name__":7},"values":[[1,"2"]]}`,
		`{"metric":null,"values":[[1,"2",3]]}`,
		`{"metric":{},"values":[[1,"x"]]}`,
		`{"metric":{},"values":[[1e300,"1"]]}`,
		`{"metric":{},"values":[[1,2]]}`,
		`[]`, `null`, `7`,
	} {
		server.series = append(server.series, json.RawMessage(odd))
	}
	want := len(server.series)
	server.add(committed, promLabels, time.Second, 15*time.Second, "9.223372036854775807e+18")
	want++
	server.add(emitted, promLabels, time.Second, 15*time.Second, "5")
	server.add("flink_unasked", promLabels, time.Second, 15*time.Second, "5")
	server.add(succeeded, promLabels, time.Second, 15*time.Second, "NaN")
	jobs, reach := server.read(t, "")
	if reach.Skipped != want || reach.Err != nil {
		t.Errorf("skipped %d, want %d; %v", reach.Skipped, want, reach.Err)
	}
	if got, want := told(jobs), "n j\n source v Source__o\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 5 committed -1\n"; got != want {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
}

func TestPrometheusFaults(t *testing.T) {
	server := newPromServer(t)
	if jobs, reach := server.read(t, `cluster="none"`); len(jobs) != 0 || reach.Err == nil || !strings.Contains(reach.Err.Error(), "no series of a Flink process in the last 5m0s: do the matchers fit?") {
		t.Errorf("nothing: %v, %v", jobs, reach.Err)
	}
	server.add(emitted, promLabels, time.Second, 15*time.Second, "5")
	server.extra = `,"warnings":["store eu is not reachable"],"infos":["x"]`
	if jobs, reach := server.read(t, ""); len(jobs) != 1 || reach.Err == nil || !strings.Contains(reach.Err.Error(), "store eu is not reachable") {
		t.Errorf("warned: %v, %v", jobs, reach.Err)
	}
	server.series = []json.RawMessage{json.RawMessage(`{"metric":{"__name__":"` + emitted + `","job_id":"j"},"values":[[1,"2"]]}`)}
	server.extra = ""
	if jobs, reach := server.read(t, ""); len(jobs) != 0 || reach.Err == nil || !strings.Contains(reach.Err.Error(), "no label task_id") {
		t.Errorf("excluded labels: %v, %v", jobs, reach.Err)
	}

	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   string
		jobs   int
	}{
		{"matchers that are none", 400, `{"status":"error","errorType":"bad_data","error":"1:5: parse error: unexpected <op:=>"}`, "parse error: unexpected", 0},
		{"an error with 200", 200, `{"status":"error","error":"query timed out"}`, "query timed out", 0},
		{"a login page", 200, "<html>", "text/html", 0},
		{"other JSON", 200, `{"jobs":[]}`, `status ""`, 0},
		{"a list", 200, `[]`, "not a Prometheus server's answer", 0},
		{"another type", 200, `{"status":"success","data":{"resultType":"scalar","result":7}}`, "not a Prometheus server's answer", 0},
		{"nothing", 200, ``, "not a Prometheus server's answer", 0},
		{"cut", 200, `{"status":"success","data":{"result":[{"metric":{"__name__":"` + emitted + `","job_id":"j","job_name":"n","task_id":"v","operator_name":"o","subtask_index":"0","topic":"t","partition":"0"},"values":[[1,"2"]]},{"met`, "not a Prometheus server's answer", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			defer server.Close()
			p, err := newPrometheus(PrometheusConfig{
				URL: server.URL, Lookback: time.Minute, Timeout: time.Minute,
				HTTP: promconfig.HTTPClientConfig{BasicAuth: &promconfig.BasicAuth{Username: "user", Password: "hunter2"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			jobs, reaches := p.read(t.Context())
			if len(reaches) != 1 || reaches[0].Err == nil || !strings.Contains(reaches[0].Err.Error(), tt.want) ||
				strings.Contains(reaches[0].Err.Error()+reaches[0].Target, "hunter2") {
				t.Errorf("reaches %+v, want an error with %q", reaches, tt.want)
			}
			if len(jobs) != tt.jobs {
				t.Errorf("jobs %+v, want %d", jobs, tt.jobs)
			}
		})
	}
}

func TestNewPrometheusRefuses(t *testing.T) {
	for want, cfg := range map[string]PrometheusConfig{
		"want http://HOST:PORT": {URL: "prometheus:9090", Lookback: time.Minute},
		"lookback of 0s":        {URL: "http://prometheus:9090"},
		"at most one of":        {URL: "http://prometheus:9090", Lookback: time.Minute, HTTP: promconfig.HTTPClientConfig{BearerToken: "a", BearerTokenFile: "b"}},
		"has a user in it":      {URL: "http://u:hunter2@prometheus:9090", Lookback: time.Minute},
		"has a query (?)":       {URL: "http://prometheus:9090/?token=hunter2", Lookback: time.Minute},
	} {
		p, err := newPrometheus(cfg)
		if err == nil {
			p.close()
			t.Errorf("%+v: no error, want one with %q", cfg, want)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func FuzzPromAnswer(f *testing.F) {
	f.Add(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"` + emitted + `","job_id":"j"},"values":[[1,"2"],[16.5,"NaN"]]}]},"warnings":["x"]}`)
	f.Add(`{"status":"error","error":"x"}`)
	f.Add(`{"data":{"result":[null,7,[],{}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		answer, err := readPromAnswer(strings.NewReader(text))
		if err == nil && !json.Valid([]byte(text)) {
			// A decoder reads one value; what follows it is not looked at.
			if !slices.ContainsFunc([]byte(text), func(b byte) bool { return b == '}' }) {
				t.Fatalf("understood %q", text)
			}
		}
		if (answer.problem != nil) != (answer.skipped > 0) {
			t.Fatalf("%d skipped, problem %v", answer.skipped, answer.problem)
		}
		var rows gathered
		for i := range answer.series {
			if answer.series[i].Samples.interval < 0 {
				t.Fatalf("interval %s", answer.series[i].Samples.interval)
			}
			rows.addSeries(&answer.series[i], serverClock{}, scrapeInterval)
		}
		all := newAssembly(Prometheus)
		for _, r := range rows.rows {
			all.add(r)
		}
		all.all()
	})
}
