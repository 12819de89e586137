package flink

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// serve answers each page's text at /NAME.
func serve(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		fmt.Fprint(w, text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// serveFixtures answers files of testdata/reporter.
func serveFixtures(t *testing.T, names ...string) []string {
	t.Helper()
	pages := make(map[string]string)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", "reporter", name))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	base := serve(t, pages)
	var urls []string
	for _, name := range names {
		urls = append(urls, base+"/"+name)
	}
	return urls
}

func readReporters(t *testing.T, urls ...string) ([]Job, []Reach) {
	t.Helper()
	r, err := newReporter(ReporterConfig{URLs: urls, Timeout: time.Minute}, net.DefaultResolver)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r.read(t.Context())
}

// told is what jobs say, without times, to compare and to read.
func told(jobs []Job) string {
	var b strings.Builder
	for _, j := range jobs {
		fmt.Fprintf(&b, "%s %s\n", j.Name, j.ID)
		if c := j.Checkpoints; c != nil {
			fmt.Fprintf(&b, " checkpoints %d completed %d failed", c.Completed, c.Failed)
			if !c.LastCompleted.IsZero() {
				fmt.Fprintf(&b, ", last %d", c.LastCompleted.UnixMilli())
			}
			b.WriteString("\n")
		}
		for _, s := range j.Sources {
			fmt.Fprintf(&b, " source %s %s", s.Vertex, s.Operator)
			if s.KafkaCluster != "" {
				fmt.Fprintf(&b, " of %s", s.KafkaCluster)
			}
			if s.Legacy {
				b.WriteString(" legacy")
			}
			for _, sample := range s.Samples {
				if !sample.Running {
					b.WriteString(" ended")
				}
				b.WriteString("\n")
				for _, i := range sample.Subtasks {
					fmt.Fprintf(&b, "  %d attempt %d: commits %d failed %d", i.Index, i.Attempt, i.Succeeded, i.Failed)
					if i.Busy >= 0 || i.Backpressured >= 0 || i.Idle >= 0 {
						fmt.Fprintf(&b, ", busy %g backpressured %g idle %g", i.Busy, i.Backpressured, i.Idle)
					}
					b.WriteString("\n")
				}
				for _, p := range sample.Partitions {
					fmt.Fprintf(&b, "  %s %d by %d: emitted %d committed %d\n", p.Topic, p.Partition, p.Subtask, p.Emitted, p.Committed)
				}
			}
		}
	}
	return b.String()
}

func TestReporter(t *testing.T) {
	const offsets = "  orders_p3 0 by 0: emitted 9 committed 10\n" +
		"  orders_p3 1 by 1: emitted 6 committed 7\n" +
		"  orders_p3 2 by 0: emitted -1 committed -1\n"
	for _, tt := range []struct {
		name  string
		pages []string
		want  string
	}{
		{"2.2", []string{"2.2-jobmanager.prom", "2.2-taskmanager.prom"}, `h_job c07676cfb8bbd619497ee3afee3dacc1
 checkpoints 28 completed 0 failed, last 1795980731186
 source 4227536cdf1f2857912028d41d1921dd Source__orders
  0 attempt 0: commits 25 failed 0, busy 0 backpressured 0 idle -1
  1 attempt 0: commits 25 failed 0, busy 0 backpressured 0 idle -1
` + offsets},
		{"2.0", []string{"2.0-taskmanager.prom", "2.0-jobmanager.prom"}, `h_job dacc2afdd9f31a20ad33a5373b372ae3
 checkpoints 58 completed 0 failed, last 1795980727643
 source 4227536cdf1f2857912028d41d1921dd Source__orders
  0 attempt 0: commits 55 failed 0, busy 0.002 backpressured 0 idle -1
  1 attempt 0: commits 55 failed 0, busy 0.002 backpressured 0 idle -1
` + offsets},
		{"1.20", []string{"1.20-taskmanager.prom", "1.20-jobmanager.prom"}, `h_job bf3ae949e1b0d0ec197fd36dc0b07da5
 checkpoints 31 completed 0 failed
 source 4227536cdf1f2857912028d41d1921dd Source__orders
  0 attempt 0: commits 30 failed 0, busy 0 backpressured 0 idle -1
  1 attempt 0: commits 30 failed 0, busy 0 backpressured 0 idle -1
` + offsets},
		{"a source on two TaskManagers", []string{"2.2-two-taskmanagers-1.prom", "2.2-two-taskmanagers-2.prom"}, `n_job 68d3c27d3fec730ea035af1def6ef980
 source 4227536cdf1f2857912028d41d1921dd Source__orders
  0 attempt 0: commits 27 failed 0
  1 attempt 0: commits 27 failed 0
  2 attempt 0: commits 28 failed 0
  3 attempt 0: commits 28 failed 0
  n_p4 0 by 0: emitted 14 committed 15
  n_p4 1 by 1: emitted 15 committed 16
  n_p4 2 by 2: emitted 16 committed 17
  n_p4 3 by 3: emitted 17 committed 18
`},
		{"a dynamic source", []string{"2.2-dynamic-source.prom"}, `k_dyn 7a25a24c3a2d4ca2342c615b23c90f5f
 source 4227536cdf1f2857912028d41d1921dd Source__orders of lab_cluster_1
  0 attempt 0: commits 20 failed -1
  k_dyn 0 by 0: emitted 3 committed 4
`},
		{"the legacy consumer", []string{"1.20-legacy-consumer.prom"}, `legacy_job 92cd10f635ead3681694c8977b922116
 source f362c87ffabe89c8a91fa7d0a523ba6c Source__orders legacy
  0 attempt 0: commits 16 failed 0
  orders_v1_eu 0 by 0: emitted 6 committed 7
  s_lt 0 by 0: emitted 2 committed 3
`},
		{"an operator's odd name", []string{"2.2-odd-operator-name.prom"}, `orders_1___v_2_____x_______a_b__long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_long_ 86405464d33953cb1b0b6caa3afeaa33
 source 51916b1b5534ad6a67274792cc535874 Source__orders_1___v_2_____x_______a_b__long_long_long_long_long_long_long_long_
  0 attempt 0: commits -1 failed -1
  r_t 0 by 0: emitted -1 committed 5
  r_t 1 by 0: emitted -1 committed -1
`},
		{"two topics of one spelling", []string{"2.2-colliding-topics.prom"}, `m_col 8175b58454664af9d41511d91e789c20
 source 4227536cdf1f2857912028d41d1921dd Source__orders
  0 attempt 0: commits -1 failed -1
  col_x 0 by 0: emitted 7 committed 8
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			jobs, reaches := readReporters(t, serveFixtures(t, tt.pages...)...)
			if got := told(jobs); got != tt.want {
				t.Errorf("told\n%s\nwant\n%s", got, tt.want)
			}
			if len(reaches) != len(tt.pages) {
				t.Errorf("%d reaches of %d reporters", len(reaches), len(tt.pages))
			}
			for _, reach := range reaches {
				if reach.Err != nil || reach.Skipped != 0 || reach.Requests != 1 || reach.At.Before(start) || reach.Interface != Reporter {
					t.Errorf("reach %+v", reach)
				}
			}
			for _, job := range jobs {
				if job.Heard.Before(start) || job.State != "" {
					t.Errorf("heard %s, state %q", job.Heard, job.State)
				}
				for _, source := range job.Sources {
					if s := source.Samples[0]; s.After.Before(start) || s.Before.Before(s.After) || s.Before.After(time.Now()) {
						t.Errorf("sample of [%s, %s]", s.After, s.Before)
					}
				}
			}
		})
	}
}

func TestReporterCountsRequests(t *testing.T) {
	url := serveFixtures(t, "2.2-jobmanager.prom")[0]
	r, err := newReporter(ReporterConfig{URLs: []string{url, url}, Timeout: time.Minute}, net.DefaultResolver)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for n := range 3 {
		_, reaches := r.read(t.Context())
		if len(reaches) != 1 || reaches[0].Requests != int64(n+1) {
			t.Errorf("reading %d: %+v", n, reaches)
		}
	}
}

// A reporter is asked for the wanted metrics alone, and for its page where it does not understand that.
func TestReporterAsksForWhatIsWanted(t *testing.T) {
	text := strings.ReplaceAll(line, "JOB", "j") + "flink_taskmanager_Status_JVM_CPU_Load{} 0.5\nflink_other 1\n"
	wanted := func(w http.ResponseWriter, r *http.Request) {
		for l := range strings.Lines(text) {
			name, _, _ := strings.Cut(l, "{")
			if slices.Contains(r.URL.Query()["name[]"], name) {
				fmt.Fprint(w, l)
			}
		}
	}
	for name, tt := range map[string]struct {
		query   string
		answer  func(w http.ResponseWriter, r *http.Request)
		queries []string
	}{
		"as Flink's":      {"", wanted, []string{"name[]"}},
		"takes no notice": {"", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }, []string{"name[]"}},
		"answers nothing": {"", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "" {
				fmt.Fprint(w, text)
			}
		}, []string{"name[]", ""}},
		"has a query": {"?match[]=x", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }, []string{"match[]"}},
	} {
		t.Run(name, func(t *testing.T) {
			var queries []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				query, _, _ := strings.Cut(r.URL.RawQuery, "=")
				query, err := url.QueryUnescape(query)
				if err != nil {
					t.Error(err)
				}
				queries = append(queries, query)
				tt.answer(w, r)
			}))
			defer server.Close()
			jobs, reaches := readReporters(t, server.URL+"/metrics"+tt.query)
			if len(jobs) != 1 || len(reaches) != 1 || reaches[0].Err != nil || reaches[0].Requests != int64(len(tt.queries)) {
				t.Errorf("jobs %+v, reaches %+v", jobs, reaches)
			}
			if !slices.Equal(queries, tt.queries) {
				t.Errorf("queries %q, want %q", queries, tt.queries)
			}
		})
	}
}
