package flink

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/log"
)

// A JobManager that does not answer as one costs its own rows alone, and says so.
func TestJobManagersThatDoNotAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		only   string // path; empty: all
		handle http.HandlerFunc
		want   string
	}{
		"dead": {"", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		"slow": {"", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no answer within 5s"},
		"redirect": {"", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://a.example/login", http.StatusFound)
		}, "not followed"},
		"HTML": {"", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
		}, "answered text/html"},
		"garbage": {"/jobs/overview", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "?") }, "/jobs/overview: the answer of 1 bytes is no JSON"},
		"refused": {"/jobs/overview", func(w http.ResponseWriter, _ *http.Request) { refuse(w, "no") }, "/jobs/overview: answered 404 Not Found (no)"},
		"no metrics": {"/jobmanager/metrics", func(w http.ResponseWriter, _ *http.Request) { refuse(w, "no") },
			"/jobmanager/metrics: answered 404 Not Found (no)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := runningJob("aa", "job", runningVertex("v1", kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}})))
				jm := newJobManager(job)
				var broken atomic.Bool
				c := startCluster(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if broken.Load() && strings.HasPrefix(r.URL.Path, test.only) {
						test.handle(w, r)
						return
					}
					jm.ServeHTTP(w, r)
				}), Config{})
				before := onlySource(t, view(t, c))
				broken.Store(true)
				pass(20 * time.Second)
				v := view(t, c)
				if err := v.Reaches[0].Err; err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("reach: %v, want %q", err, test.want)
				}
				// What was said before is still told, with its time.
				after := onlySource(t, v)
				if name != "no metrics" && !slices.Equal(after.Samples[0].Partitions, before.Samples[0].Partitions) {
					t.Errorf("then %+v", after)
				}
				broken.Store(false)
				pass(20 * time.Second)
				if v := view(t, c); v.Reaches[0].Err != nil || v.Jobs[0].Err != nil {
					t.Errorf("after it came back: %v, %v", v.Reaches[0].Err, v.Jobs[0].Err)
				}
			})
		})
	}
}

func TestAJobThatCannotBeReadCostsItsOwnRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		orders := kafkaMetrics("op", "t", map[int32][2]int64{0: {1, 2}})
		jm := newJobManager(runningJob("aa", "bad", runningVertex("v1", orders)), runningJob("bb", "good", runningVertex("v1", orders)))
		jm.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/jobs/aa/checkpoints") && !strings.HasPrefix(r.URL.Path, "/jobs/aa/vertices") {
				return false
			}
			_, _ = io.WriteString(w, "?")
			return true
		}
		jobs := view(t, startCluster(t, jm, Config{})).Jobs
		if jobs[0].Err == nil || !strings.Contains(jobs[0].Err.Error(), "checkpoints") || !strings.Contains(jobs[0].Err.Error(), "source vertex v1") ||
			jobs[0].State != "RUNNING" || jobs[0].Checkpoints != nil {
			t.Errorf("bad: %+v", jobs[0])
		}
		if jobs[1].Err != nil || len(jobs[1].Sources) != 1 {
			t.Errorf("good: %+v", jobs[1])
		}
	})
}

// A JobManager that is too slow for all jobs is not asked for the same ones each time.
func TestASlowJobManagerStarvesNoJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jm := newJobManager()
		for i := range 20 {
			jm.jobs = append(jm.jobs, runningJob(string(rune('a'+i)), "job"))
		}
		c := startCluster(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pass(time.Second)
			jm.ServeHTTP(w, r)
		}), Config{})
		for range 5 {
			v := view(t, c)
			if err := v.Reaches[0].Err; len(v.Jobs) != 20 || err == nil || !strings.Contains(err.Error(), "not all of 20 jobs were read: the poll took longer than 15s") {
				t.Fatalf("%d jobs, %v", len(v.Jobs), err)
			}
		}
		for _, job := range c.Read(t.Context()).Jobs {
			if job.Checkpoints == nil {
				t.Errorf("job %s was never read: %v", job.ID, job.Err)
			}
		}
	})
}

func TestAClusterWithoutDumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jm := newJobManager(runningJob("aa", "job", runningVertex("v1", tellTime(time.Now()))))
		jm.interval = 0
		v := view(t, startCluster(t, jm, Config{}))
		if err := v.Reaches[0].Err; !errors.Is(err, errNoDumps) {
			t.Errorf("got %v", err)
		}
		if len(v.Jobs) != 1 || v.Jobs[0].Checkpoints == nil {
			t.Errorf("jobs %+v", v.Jobs)
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jm := newJobManager(runningJob("aa", "job"))
		c := startCluster(t, jm, Config{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx) }()
		pass(time.Minute)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if r := c.Read(t.Context()).Reaches[0]; r.Err != nil || r.Requests < 8 {
			t.Errorf("reach %+v", r)
		}
	})
	if err := (&Cluster{}).Run(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeReadIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jm := newJobManager(runningJob("aa", "good"), runningJob("bb", "bad"))
		var lines bytes.Buffer
		c := startCluster(t, jm, Config{})
		c.logger = log.NewLogfmtLogger(&lines)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx) }()
		for _, failing := range []string{"", "/jobs/bb/checkpoints", "/jobs/overview", ""} {
			jm.change(func() {
				jm.handle = func(w http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path != failing {
						return false
					}
					refuse(w, "no")
					return true
				}
			})
			pass(time.Minute)
		}
		cancel()
		<-done
		var told []string
		for line := range strings.Lines(lines.String()) {
			told = append(told, strings.NewReplacer("http://jobmanager:8081", "", "\n", "").Replace(line))
		}
		want := []string{
			`level=warn flink= target= job=bad id=bb msg="Flink's REST API could not be read" err="checkpoints: GET /jobs/bb/checkpoints: answered 404 Not Found (no)"`,
			`level=warn flink= target= msg="Flink's REST API could not be read" err="GET /jobs/overview: answered 404 Not Found (no)"`,
			`level=info flink= target= msg="Flink's REST API is read again"`,
			`level=info flink= target= job=bad id=bb msg="Flink's REST API is read again"`,
		}
		if !slices.Equal(told, want) {
			t.Errorf("logged\n%s", strings.Join(told, "\n"))
		}
	})
}

// Neither polls nor reads that are given up leave a goroutine or a connection.
func TestNothingIsLeftOfWhatIsGivenUp(t *testing.T) {
	var open atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			open.Add(1)
		} else if state == http.StateClosed {
			open.Add(-1)
		}
	}
	server.Start()
	defer server.Close()
	before := runtime.NumGoroutine()
	c, err := New(Config{
		REST:       &RESTConfig{URL: server.URL, Interval: time.Minute, Timeout: time.Minute},
		Reporter:   &ReporterConfig{URLs: []string{server.URL + "/metrics"}, Timeout: time.Minute},
		Prometheus: &PrometheusConfig{URL: server.URL, Lookback: time.Minute, Timeout: time.Minute},
		KeepEnded:  time.Minute,
	}, testLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		c.rest.poll(ctx)
		v := c.Read(ctx)
		cancel()
		for _, reach := range v.Reaches {
			if reach.Err == nil && !reach.At.IsZero() {
				t.Fatalf("%s answered", reach.Target)
			}
		}
	}
	c.Close()
	await(t, func() bool { return open.Load() == 0 && runtime.NumGoroutine() <= before+2 }, func() string {
		stacks := make([]byte, 1<<16)
		return string(stacks[:runtime.Stack(stacks, true)])
	})
}

func await(t *testing.T, condition func() bool, state func() string) {
	t.Helper()
	deadline := time.After(5 * time.Minute) // a busy machine may take long
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("it did not come to be: %s", state())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
