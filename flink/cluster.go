package flink

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	promconfig "github.com/prometheus/common/config"

	"truelag/guard"
)

// listener hears jobs when it is asked. What it tells of a job is its id and name, when it was heard, its checkpoints and
// its sources with one sample each. It is safe for concurrent use, keeps to ctx, and has one Reach for each target.
type listener interface {
	read(ctx context.Context) ([]Job, []Reach)
	close()
}

// Cluster is one Flink cluster and all ways to hear it. It is safe for concurrent use.
type Cluster struct {
	cfg       Config
	logger    log.Logger
	rest      *restPoller // nil: not configured
	listeners []listener

	mu       sync.Mutex
	memories []*memory // of the listeners
}

// New checks cfg and starts nothing. An error says which setting is wrong, and shows no secret.
func New(cfg Config, logger log.Logger) (*Cluster, error) {
	return newCluster(cfg, logger)
}

func newCluster(cfg Config, logger log.Logger, options ...promconfig.HTTPClientOption) (*Cluster, error) {
	if cfg.REST == nil && cfg.Reporter == nil && cfg.Prometheus == nil {
		return nil, errors.New("no interface of the Flink cluster is configured: want rest, reporter or prometheus")
	}
	if cfg.KeepEnded < 0 {
		return nil, fmt.Errorf("ended jobs are kept for %s: want 0 or more", cfg.KeepEnded)
	}
	c := &Cluster{cfg: cfg, logger: logger}
	if cfg.REST != nil {
		rest, err := newRESTPoller(*cfg.REST, cfg.Parameters, cfg.Jobs, cfg.KeepEnded, options...)
		if err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
		c.rest = rest
	}
	if cfg.Reporter != nil {
		reporter, err := newReporter(*cfg.Reporter, net.DefaultResolver)
		if err != nil {
			return nil, fmt.Errorf("reporter: %w", err)
		}
		c.listen(reporter)
	}
	if cfg.Prometheus != nil {
		prometheus, err := newPrometheus(*cfg.Prometheus)
		if err != nil {
			return nil, fmt.Errorf("prometheus: %w", err)
		}
		c.listen(prometheus)
	}
	return c, nil
}

func (c *Cluster) listen(l listener) {
	c.listeners = append(c.listeners, l)
	c.memories = append(c.memories, newMemory(c.cfg.KeepEnded))
}

// Name is the configured name; empty: the only cluster.
func (c *Cluster) Name() string { return c.cfg.Name }

// Run polls the REST API until ctx ends, and returns nil. Without one it returns at once. What cannot be read is logged
// when it begins, changes and ends.
func (c *Cluster) Run(ctx context.Context) error {
	if c.rest == nil {
		return nil
	}
	logged := make(map[string]string) // errors, by job; the API's own without one
	c.rest.run(ctx, func(state restState) {
		logger := log.With(c.logger, "flink", c.cfg.Name, "target", state.reach.Target)
		logChange(logger, logged, "", state.reach.Err)
		for _, job := range state.jobs {
			logChange(log.With(logger, "job", job.Name, "id", job.ID), logged, job.ID, job.Err)
		}
		maps.DeleteFunc(logged, func(id, _ string) bool {
			_, listed := state.names[id]
			return id != "" && !listed
		})
	})
	return nil
}

// Poll asks the REST API once, for whoever does not let Run go on; without one it does nothing. What came is in the next
// Read, unless ctx ended before. It returns the JobManager's metrics.fetcher.update-interval, or Flink's default where it
// does not say; 0: it was not reached.
func (c *Cluster) Poll(ctx context.Context) (updateInterval time.Duration) {
	if c.rest == nil {
		return 0
	}
	c.rest.poll(ctx)
	return c.rest.updateInterval
}

func logChange(logger log.Logger, logged map[string]string, of string, err error) {
	switch before := logged[of]; {
	case err == nil && before != "":
		delete(logged, of)
		level.Info(logger).Log("msg", "Flink's REST API is read again")
	case err != nil && err.Error() != before:
		logged[of] = err.Error()
		level.Warn(logger).Log("msg", "Flink's REST API could not be read", "err", err)
	}
}

// Read asks the reporters and the Prometheus server now, and merges what they say with what the REST API said at its last
// poll. It is bounded by ctx and the configured timeouts, and never fails: what could not be read is missing, and
// View.Reaches says why.
func (c *Cluster) Read(ctx context.Context) *View {
	began := time.Now()
	heard := make([][]Job, len(c.listeners))
	reaches := make([][]Reach, len(c.listeners))
	var asked guard.Crew
	for i, l := range c.listeners {
		asked.Go(func() { heard[i], reaches[i] = l.read(ctx) })
	}
	asked.Wait()

	view := &View{Cluster: c.cfg.Name}
	var rest restState
	if c.rest != nil {
		rest = c.rest.state()
		view.Reaches = append(view.Reaches, rest.reach)
	}
	for _, r := range reaches {
		view.Reaches = append(view.Reaches, r...)
	}
	view.Jobs = merge(rest, c.recall(heard, began), c.cfg.Jobs)
	return view
}

// recall keeps what was heard, and adds what was heard before of jobs that fell silent.
func (c *Cluster) recall(heard [][]Job, began time.Time) [][]Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	all := make([][]Job, len(heard))
	for i, m := range c.memories {
		m.remember(heard[i], began)
		m.forget(now)
		all[i] = m.all()
	}
	return all
}

// Close ends the connections that nobody uses. Call it after Run and Read have returned.
func (c *Cluster) Close() {
	if c.rest != nil {
		c.rest.http.close()
	}
	for _, l := range c.listeners {
		l.close()
	}
}
