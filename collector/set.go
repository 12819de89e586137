package collector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"

	"truelag/exposition"
	"truelag/guard"
)

// Config is what a Set needs to know.
type Config struct {
	// DisableExporterMetrics leaves out the families about the exporter's own process and Go runtime.
	DisableExporterMetrics bool

	// Registry holds further families about the exporter itself; nil: none.
	Registry prometheus.Gatherer
}

// Set runs collectors for a scrape and answers it. Several scrapes may run at once.
type Set struct {
	collectors []Collector
	own        prometheus.Gatherers
	logger     log.Logger
	responder  exposition.Responder

	mu     sync.Mutex
	status []noted
}

// noted is a Status and what was logged of it.
type noted struct {
	Status
	failures int // in a row
	logged   time.Time
}

// NewSet makes a set. It fails when two collectors have one name.
func NewSet(cfg Config, logger log.Logger, collectors ...Collector) (*Set, error) {
	s := &Set{collectors: collectors, logger: logger}
	for i, c := range collectors {
		if slices.ContainsFunc(collectors[:i], func(o Collector) bool { return o.Name() == c.Name() }) {
			return nil, fmt.Errorf("two collectors are named %q", c.Name())
		}
	}
	own, err := ownRegistry(cfg.DisableExporterMetrics)
	if err != nil {
		return nil, err
	}
	s.own = prometheus.Gatherers{own}
	if cfg.Registry != nil {
		s.own = append(s.own, cfg.Registry)
	}
	return s, nil
}

func ownRegistry(disabled bool) (*prometheus.Registry, error) {
	own := prometheus.NewRegistry()
	list := []prometheus.Collector{versioncollector.NewCollector("truelag_exporter")}
	if !disabled {
		list = append(list, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	for _, c := range list {
		if err := own.Register(c); err != nil {
			return nil, fmt.Errorf("register the exporter's own metrics: %w", err)
		}
	}
	return own, nil
}

// ServeHTTP answers one scrape with what its collectors, or those that collect[] names, read before the request's
// context ends.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	chosen, err := s.choose(r.URL.Query()["collect[]"])
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	found := make([]Findings, len(chosen))
	var wg sync.WaitGroup
	for i, c := range chosen {
		wg.Go(func() { found[i] = collect(r.Context(), c) })
	}
	wg.Wait()
	if gone(r) {
		return // how far the reading had come says nothing of the systems
	}
	var blocks []exposition.Block
	for i, c := range chosen {
		blocks = append(blocks, found[i].Blocks...)
		s.note(c.Name(), found[i].Outcomes)
	}
	blocks = append(blocks, scrapeBlock(chosen, found))

	families, err := s.own.Gather()
	if err != nil {
		level.Error(s.logger).Log("msg", "Gathering the exporter's own metrics", "err", err)
	}
	if err := s.responder.Respond(w, r, blocks, families); err != nil && !gone(r) {
		level.Warn(s.logger).Log("msg", "Answering a scrape", "remote", r.RemoteAddr, "err", err)
	}
}

// collect is a failure where the collector panics, which ends neither the process nor what the others found.
func collect(ctx context.Context, c Collector) (found Findings) {
	began := time.Now()
	err := guard.Do(func() error {
		found = c.Collect(ctx)
		return nil
	})
	if err != nil {
		found.Outcomes = []Outcome{{Duration: time.Since(began), Err: err}}
	}
	return found
}

// gone says that nobody waits for the answer any more.
func gone(r *http.Request) bool { return errors.Is(r.Context().Err(), context.Canceled) }

// choose finds collectors by name; all of them for none.
func (s *Set) choose(names []string) ([]Collector, error) {
	if len(names) == 0 {
		return s.collectors, nil
	}
	var chosen []Collector
	var known []string
	for _, c := range s.collectors {
		known = append(known, c.Name())
		if slices.Contains(names, c.Name()) {
			chosen = append(chosen, c)
		}
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("collect[]: no collector %q is enabled; enabled: %s", n, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

// note keeps the outcomes for Status, and logs a failure when it is new, or once a minute with how often it was seen.
func (s *Set) note(name string, outcomes []Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for _, o := range outcomes {
		i := slices.IndexFunc(s.status, func(st noted) bool { return st.Collector == name && st.System == o.System })
		if i < 0 {
			i = len(s.status)
			s.status = append(s.status, noted{Status: Status{Collector: name, System: o.System}})
		}
		st := &s.status[i]
		was := st.Err
		st.At, st.Duration, st.Err = now, o.Duration, o.Err
		logger := log.With(s.logger, "collector", name, "system", o.System)
		switch {
		case o.Err == nil:
			st.LastSuccess = now
			if st.failures > 0 {
				level.Info(logger).Log("msg", "Reading works again", "failures", st.failures)
			}
			st.failures = 0
		case was == nil && errors.Is(o.Err, errUnasked): // a failure, if it is one, shows in the next scrape
		case was == nil || was.Error() != o.Err.Error() || now.Sub(st.logged) >= time.Minute:
			st.failures, st.logged = st.failures+1, now
			level.Warn(logger).Log("msg", "Reading failed", "err", o.Err, "failures", st.failures)
		default:
			st.failures++
		}
	}
}

// Status lists the last outcome of each system that was read since the start.
func (s *Set) Status() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Status, len(s.status))
	for i := range s.status {
		all[i] = s.status[i].Status
	}
	return all
}

// scrapeRow is the outcome of one system in one scrape.
type scrapeRow struct{ Outcome }

func scrapeBlock(chosen []Collector, found []Findings) exposition.Block {
	var chunk exposition.Chunk[scrapeRow]
	for i, c := range chosen {
		for _, o := range found[i].Outcomes {
			labels := exposition.Label("collector", c.Name())
			if o.Labels != "" {
				labels += "," + o.Labels
			}
			chunk.Labels = append(chunk.Labels, labels)
			chunk.Rows = append(chunk.Rows, scrapeRow{o})
		}
	}
	return exposition.Table[scrapeRow]{Families: scrapeFamilies(), Chunks: []exposition.Chunk[scrapeRow]{chunk}}
}

func scrapeFamilies() []exposition.Family[scrapeRow] {
	return []exposition.Family[scrapeRow]{
		{
			Desc: exposition.Desc{Name: "truelag_scrape_collector_success", Type: exposition.Gauge, Labels: []string{"collector"},
				Help: "1 when the collector could read its system in this scrape, 0 when it could not. Rows that could not be read do not make it 0: they are absent, and counted by condition and error."},
			Series: single(func(r *scrapeRow) (float64, bool) { return truth(r.Err == nil), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_scrape_collector_duration_seconds", Type: exposition.Gauge, Labels: []string{"collector"},
				Help: "How long the collector took in this scrape, in seconds. A scrape that shared another's read shows how long it waited."},
			Series: single(func(r *scrapeRow) (float64, bool) { return r.Duration.Seconds(), true }),
		},
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
