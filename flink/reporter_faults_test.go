package flink

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"
)

// A reporter that does not answer, or not as one, costs its own rows and says why.
func TestReporterFaults(t *testing.T) {
	good := serveFixtures(t, "2.2-two-taskmanagers-1.prom")[0]
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>log in</html>")
		case "/redirect":
			http.Redirect(w, r, good, http.StatusFound)
		case "/login":
			w.WriteHeader(http.StatusUnauthorized)
		case "/node":
			fmt.Fprint(w, "node_cpu_seconds_total 1\n")
		case "/excluded":
			fmt.Fprint(w, "flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed{job_name=\"j\"} 1\n")
		case "/cut":
			w.Header().Set("Content-Length", "1000000")
			fmt.Fprint(w, strings.ReplaceAll(line, "JOB", "cut"))
			w.(http.Flusher).Flush()
			fmt.Fprint(w, strings.ReplaceAll(line, "JOB", "lost")[:400])
		}
	}))
	t.Cleanup(other.Close)

	const enough = 10 * time.Minute // for a busy machine
	for _, tt := range []struct {
		name, url, wantErr, wantJob string
		timeout                     time.Duration // at first
	}{
		{"nobody", "http://127.0.0.1:1/metrics", "connection refused", "", enough},
		{"slow", slow.URL + "/metrics", "no answer within ", "", 100 * time.Millisecond},
		{"html", other.URL + "/html", "text/html", "", enough},
		{"redirect", other.URL + "/redirect", "302", "", enough},
		{"login", other.URL + "/login", "credentials are missing", "", enough},
		{"node", other.URL + "/node", "no metric of Flink's", "", enough},
		{"excluded", other.URL + "/excluded", "no label job_id", "", enough},
		{"cut", other.URL + "/cut", "unexpected EOF", "cut", enough},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var jobs []Job
			var reaches []Reach
			answered := func(r Reach) bool { return r.Target == good && r.Err == nil }
			for timeout := tt.timeout; timeout <= enough && !slices.ContainsFunc(reaches, answered); timeout *= 2 {
				r, err := newReporter(ReporterConfig{
					URLs: []string{good, tt.url}, Timeout: timeout,
					HTTP: promconfig.HTTPClientConfig{BasicAuth: &promconfig.BasicAuth{Username: "user", Password: "hunter2"}},
				}, net.DefaultResolver)
				if err != nil {
					t.Fatal(err)
				}
				jobs, reaches = r.read(t.Context())
				r.close()
			}
			var names []string
			for _, job := range jobs {
				names = append(names, job.Name)
			}
			if got, want := strings.Join(names, " "), strings.TrimSpace(tt.wantJob+" n_job"); got != want {
				t.Errorf("jobs %q, want %q", got, want)
			}
			if len(reaches) != 2 {
				t.Fatalf("reaches %+v", reaches)
			}
			for _, reach := range reaches {
				switch {
				case reach.Target == good && reach.Err == nil:
				case reach.Target == tt.url && reach.Err != nil && strings.Contains(reach.Err.Error(), tt.wantErr) &&
					!strings.Contains(reach.Err.Error(), "hunter2"):
				default:
					t.Errorf("reach %q: %v, want error with %q", reach.Target, reach.Err, tt.wantErr)
				}
			}
		})
	}
}

// The end of the reading's context ends it, whatever the reporters do.
func TestReporterEndsWithContext(t *testing.T) {
	asked := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer slow.Close()
	r, err := newReporter(ReporterConfig{URLs: []string{slow.URL}, Timeout: time.Hour}, net.DefaultResolver)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-asked
		cancel(fmt.Errorf("the scrape is over"))
	}()
	_, reaches := r.read(ctx)
	if len(reaches) != 1 || reaches[0].Err == nil || !strings.Contains(reaches[0].Err.Error(), "the scrape is over") {
		t.Errorf("reaches %+v", reaches)
	}
}

func TestNewReporterRefuses(t *testing.T) {
	for _, tt := range []struct {
		cfg  ReporterConfig
		want string
	}{
		{ReporterConfig{}, "no reporters"},
		{ReporterConfig{URLs: []string{"tm-1:9249"}}, "want http://HOST:PORT/metrics"},
		{ReporterConfig{URLs: []string{"ftp://u:hunter2@tm-1/metrics?k=hunter2"}}, `"ftp://tm-1/metrics"`},
		{ReporterConfig{URLs: []string{"http://u:hunter2@tm-1:9249:8/"}}, "invalid port"},
		{ReporterConfig{URLs: []string{"http://u:hunter2/b@tm-1:9249/metrics"}}, "cannot be parsed"},
		{ReporterConfig{URLs: []string{"http://u:hunter2@tm-1:9249/metrics"}}, "has a user in it"},
		{ReporterConfig{Files: []string{"a[.yml"}}, "syntax error in pattern"},
		{ReporterConfig{DNS: []DNSConfig{{Name: "tm", Type: "MX"}}}, `type "MX", want A (which asks for AAAA as well) or SRV`},
		{ReporterConfig{DNS: []DNSConfig{{Name: "tm", Type: "A"}}}, "port 0"},
		{ReporterConfig{DNS: []DNSConfig{{Type: "SRV"}}}, "without a name"},
	} {
		r, err := newReporter(tt.cfg, net.DefaultResolver)
		if err == nil {
			r.close()
			t.Errorf("%+v: no error, want one with %q", tt.cfg, tt.want)
		} else if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v, want %q", tt.cfg, err, tt.want)
		}
	}
}
