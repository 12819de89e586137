package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"truelag/collector"
	"truelag/kafka"
	"truelag/web"
)

// generation is all that was made from one configuration: a reload replaces it as a whole.
type generation struct {
	samples  http.Handler
	status   func() []collector.Status // of the systems that were read at least once
	systems  []system                  // all that are to be read
	clusters []*cluster
	flinks   []*flinkCluster
	flink    *collector.Flink // nil: none is heard
	mysqls   []*mysqlServer
	binlog   *collector.Binlog // nil: no server is read
	off      []web.Off
	settings string // the effective configuration, secrets hidden
	alone    bool   // no Prometheus is expected to scrape

	scrapes sync.WaitGroup
	cancel  context.CancelFunc // ends the warming
	warmed  chan struct{}
}

// system is something that a collector reads.
type system struct{ collector, name string }

// The names of the collectors that are not waited for.
const (
	flinkCollector  = "flink"
	binlogCollector = "binlog"
)

// warmInterval is how long the warming waits between two scrapes.
const warmInterval = 5 * time.Second

// warm scrapes until every system was read once. Prometheus may come late, or never while the program is not ready; and
// a rewind is only seen by whoever saw the commit before it. Where no Prometheus is expected at all, it goes on.
func (g *generation) warm(ctx context.Context) {
	defer close(g.warmed)
	for {
		g.scrape(ctx)
		if len(g.unread()) == 0 && !g.alone {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(warmInterval):
		}
	}
}

// scrape makes a scrape whose samples nobody wants.
func (g *generation) scrape(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
	if err != nil {
		return // a constant URL parses
	}
	g.samples.ServeHTTP(discard{http.Header{}}, r)
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// collectors is the last outcome of every system, also of those that were never read.
func (g *generation) collectors() []web.Collector {
	status := make(map[system]collector.Status)
	for _, s := range g.status() {
		status[system{s.Collector, s.System}] = s
	}
	var all []web.Collector
	for _, sys := range g.systems {
		s := status[sys]
		all = append(all, web.Collector{Name: sys.collector, System: sys.name, Success: s.LastSuccess, Duration: s.Duration, Err: s.Err})
	}
	return all
}

// waitedFor says that a collector's systems must have been read before the exporter is ready. Flink's and MySQL's need not: what
// it costs when they are away is their own rows.
func waitedFor(collector string) bool {
	return collector != flinkCollector && collector != binlogCollector
}

// unread lists the systems that are waited for and have not been read yet.
func (g *generation) unread() []web.Collector {
	var unread []web.Collector
	for _, c := range g.collectors() {
		if c.Success.IsZero() && waitedFor(c.Name) {
			unread = append(unread, c)
		}
	}
	return unread
}

// unheard says which Flink clusters could not be heard in the last scrape, and why.
func (g *generation) unheard() []string {
	var why []string
	for _, s := range g.status() {
		if s.Collector == flinkCollector && s.Err != nil {
			why = append(why, notHeard(s.Err))
		}
	}
	return why
}

// notHeard says why what Flink says is missing.
func notHeard(err error) string { return "not heard: " + oneLine(err) }

// close waits for the scrapes that run and lets go of all clusters.
func (g *generation) close() {
	g.cancel()
	<-g.warmed
	g.scrapes.Wait()
	g.release()
}

func (g *generation) release() {
	for _, c := range g.clusters {
		c.close()
	}
	for _, c := range g.flinks {
		c.close()
	}
	for _, s := range g.mysqls {
		s.close()
	}
}

func clustersOf(g *generation) []*kafka.Cluster {
	var all []*kafka.Cluster
	for _, c := range g.clusters {
		all = append(all, c.kafka)
	}
	return all
}

// named is the cluster of a name; the only one without.
func (g *generation) named(name string) (*kafka.Cluster, error) {
	if len(g.clusters) == 0 {
		return nil, fmt.Errorf("no Kafka cluster is configured, so there is no lag of groups to explain: %w", web.ErrNoSuch)
	}
	var names []string
	for _, c := range g.clusters {
		if c.kafka.Name() == name || name == "" && len(g.clusters) == 1 {
			return c.kafka, nil
		}
		names = append(names, c.kafka.Name())
	}
	if name == "" {
		return nil, fmt.Errorf("several clusters are read, so cluster=... is needed: one of %s: %w", strings.Join(names, ", "), web.ErrVague)
	}
	return nil, fmt.Errorf("no cluster %q is read: %w", name, web.ErrNoSuch)
}
