package flink_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"

	"truelag/flink"
)

// capture is what a real JobManager answered about a job, as the lab wrote it down (lab/flink_capture.go), and what the
// lab made of it.
type capture struct {
	Answers        map[string]json.RawMessage
	Metrics        map[string]map[string]string
	REST, Reporter said
	pages          map[string][]byte // of the reporters, by path
}

type said struct {
	Offsets           map[string]struct{ Emitted, Committed int64 } // by TOPIC-PARTITION
	Succeeded, Failed int64
}

func loadCapture(t *testing.T, file string) *capture {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &capture{pages: map[string][]byte{}}
	if err := json.Unmarshal(text, c); err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"-jobmanager.prom", "-taskmanager-[0-9].prom"} {
		pages, err := filepath.Glob(strings.TrimSuffix(file, ".json") + of)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			if c.pages["/"+filepath.Base(page)], err = os.ReadFile(page); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c
}

// ServeHTTP answers as the JobManager and all reporters did.
func (c *capture) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if page, ok := c.pages[r.URL.Path]; ok {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(page)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if answer, ok := c.Answers[r.URL.Path]; ok {
		_, _ = w.Write(answer)
		return
	}
	values, ok := c.Metrics[r.URL.Path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"errors":["Not found."]}`)
		return
	}
	type metric struct {
		ID    string  `json:"id"`
		Value *string `json:"value,omitempty"`
	}
	answer := []metric{}
	if wanted := r.URL.Query().Get("get"); wanted != "" {
		for id := range strings.SplitSeq(wanted, ",") {
			if value, ok := values[id]; ok {
				answer = append(answer, metric{id, &value})
			}
		}
	} else {
		for id := range values {
			answer = append(answer, metric{ID: id})
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// What jobs of each line said in each situation is heard as the lab heard it, which reads both interfaces on its own.
func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(file, "testdata/"), func(t *testing.T) {
			t.Parallel()
			c := loadCapture(t, file)
			server := httptest.NewServer(c)
			t.Cleanup(server.Close)
			cfg := flink.Config{
				REST:      &flink.RESTConfig{URL: server.URL, Interval: time.Hour, Timeout: time.Minute},
				Reporter:  &flink.ReporterConfig{Timeout: time.Minute},
				KeepEnded: 100 * 365 * 24 * time.Hour,
			}
			for page := range c.pages {
				cfg.Reporter.URLs = append(cfg.Reporter.URLs, server.URL+page)
			}
			c.check(t, polled(t, cfg))
		})
	}
}

// polled is the first view with an answer of REST.
func polled(t *testing.T, cfg flink.Config) *flink.View {
	t.Helper()
	k, err := flink.New(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- k.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		k.Close()
	}()
	for tick := time.Tick(20 * time.Millisecond); ; <-tick {
		view := k.Read(t.Context())
		for _, r := range view.Reaches {
			if r.Interface == flink.REST && !r.At.IsZero() {
				return view
			}
		}
	}
}

func (c *capture) check(t *testing.T, view *flink.View) {
	t.Helper()
	for _, r := range view.Reaches {
		if r.Err != nil || r.Skipped != 0 {
			t.Errorf("%s: %v, %d skipped", r.Interface, r.Err, r.Skipped)
		}
	}
	if len(view.Jobs) != 1 {
		t.Fatalf("%d jobs, want one", len(view.Jobs))
	}
	job := view.Jobs[0]
	var want struct {
		Name, State string
		Vertices    []struct{ ID, Status string }
	}
	if err := json.Unmarshal(c.Answers["/jobs/"+job.ID], &want); err != nil {
		t.Fatal(err)
	}
	if job.Name != want.Name || job.State != want.State || job.Err != nil {
		t.Errorf("job %s is %s, %v; want %s %s", job.Name, job.State, job.Err, want.Name, want.State)
	}
	for by, want := range map[flink.Interface]said{flink.REST: c.REST, flink.Reporter: c.Reporter} {
		got := said{Offsets: map[string]struct{ Emitted, Committed int64 }{}}
		for _, source := range job.Sources {
			for _, s := range source.Samples {
				if s.Interface == by {
					got.add(s)
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("by %s: %+v, want %+v", by, got, want)
		}
	}
	for _, source := range job.Sources {
		for _, v := range want.Vertices {
			for _, s := range source.Samples {
				if v.ID == source.Vertex && s.Interface == flink.REST && !job.Terminal() && s.Running != (v.Status == "RUNNING") {
					t.Errorf("running is %t by REST, the vertex is %s", s.Running, v.Status)
				}
			}
		}
	}
}

func (s *said) add(sample flink.Sample) {
	for _, p := range sample.Partitions {
		s.Offsets[fmt.Sprintf("%s-%d", p.Topic, p.Partition)] = struct{ Emitted, Committed int64 }{p.Emitted, p.Committed}
	}
	for _, i := range sample.Subtasks {
		s.Succeeded += max(0, i.Succeeded)
		s.Failed += max(0, i.Failed)
	}
}
