package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/go-kit/log/level"

	"truelag/config"
	"truelag/web"
)

// exporter serves the samples of one generation at a time.
type exporter struct {
	options  *options
	logs     loggers
	reloads  reloadMetrics
	reloader *config.Reloader

	ending sync.WaitGroup // generations

	mu      sync.Mutex
	current *generation
	read    map[system]bool // systems that were read at least once, in whatever generation
}

// newExporter makes the first generation. Its error is that of the configuration.
func newExporter(o *options, logs loggers) (*exporter, error) {
	e := &exporter{options: o, logs: logs, read: make(map[system]bool)}
	var err error
	if e.reloader, err = config.NewReloader(func() (*config.Config, error) { return load(o) }, e.apply); err != nil {
		return nil, err
	}
	return e, nil
}

// apply makes a generation of cfg the current one, and lets the one before it end once its scrapes have.
func (e *exporter) apply(cfg *config.Config) error {
	old := e.generation()
	g, err := generate(e.options, cfg, old, e.logs, &e.reloads)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	g.cancel, g.warmed = cancel, make(chan struct{})
	e.mu.Lock()
	e.current = g
	e.mu.Unlock()
	e.reloads.note(nil)
	for _, c := range g.clusters {
		c.follow(e.logs.kit)
	}
	for _, c := range g.flinks {
		c.poll(e.logs.kit)
	}
	go g.warm(ctx)
	if old != nil {
		e.ending.Go(old.close)
	}
	return nil
}

// Reload puts the configuration as it is now into force. On an error the old one stays.
func (e *exporter) Reload() error {
	if err := e.reloader.Reload(); err != nil {
		e.reloads.note(err)
		level.Error(e.logs.kit).Log("msg", "The configuration is not reloaded, the old one stays", "err", oneLine(err))
		return err
	}
	level.Info(e.logs.kit).Log("msg", "The configuration is reloaded")
	return nil
}

// ServeHTTP answers a scrape with the generation that is current when it begins.
func (e *exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	g := e.current
	g.scrapes.Add(1)
	e.mu.Unlock()
	defer g.scrapes.Done()
	g.samples.ServeHTTP(w, r)
}

func (e *exporter) generation() *generation {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current
}

// Ready says which Kafka clusters were never read, and where commits are to be followed and the beginning is not reached. A
// reload does not take readiness away from those that were. A Flink cluster that is away must not keep the others' samples
// from being scraped.
func (e *exporter) Ready() error {
	g := e.generation()
	collectors := g.collectors()
	e.mu.Lock()
	defer e.mu.Unlock()
	var unread []error
	for _, c := range collectors {
		sys := system{c.Name, c.System}
		if !c.Success.IsZero() {
			e.read[sys] = true
		}
		switch {
		case e.read[sys], !waitedFor(c.Name):
		case c.Err != nil:
			unread = append(unread, fmt.Errorf("collector %s: %w", c.Name, c.Err))
		default:
			unread = append(unread, fmt.Errorf("collector %s%s: not read yet", c.Name, of(c.System)))
		}
	}
	for _, c := range g.clusters {
		sys := system{"follower", c.Name()}
		switch {
		case e.read[sys]:
		case c.kafka.CaughtUp():
			e.read[sys] = true
		default:
			unread = append(unread, fmt.Errorf("commits%s: the end of __consumer_offsets is not reached yet", of(c.Name())))
		}
	}
	return errors.Join(unread...)
}

// readsKafka says that there is a cluster.
func (e *exporter) readsKafka() bool { return len(e.generation().clusters) > 0 }

// Overview is what the landing page shows.
func (e *exporter) Overview() web.Overview {
	g := e.generation()
	at, groups, lacking := summarize(g.clusters)
	return web.Overview{
		Collectors: g.collectors(), Read: at, Groups: groups,
		Flink: reviewOf(g.flink), Binlog: binlogReviewOf(g), Off: slices.Concat(lacking, binlogsLacking(g), g.off),
	}
}

// Settings is the effective configuration.
func (e *exporter) Settings() string { return e.generation().settings }

// Close ends the current generation and waits for those that are ending. No scrape or reload may begin any more.
func (e *exporter) Close() {
	e.generation().close()
	e.ending.Wait()
}

// hold keeps the current generation from ending until it is released.
func (e *exporter) hold() (g *generation, release func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current.scrapes.Add(1)
	return e.current, e.current.scrapes.Done
}
