package flink

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"truelag/endpoint"
)

// reportersAtOnce is how many reporters are asked at the same time: each page is parsed while it arrives.
const reportersAtOnce = 64

// reporter reads the Prometheus reporters of a Flink cluster's processes: the TaskManagers tell of sources, the
// JobManager of checkpoints. It is safe for concurrent use.
//
// It needs the labels job_id, task_id, subtask_index, operator_name, topic and partition where they belong, kafkaCluster
// of a dynamic source, and job_name for the job's name; of task_attempt_num and task_attempt_id one is enough. Without
// either of them two attempts of a task cannot be told apart.
type reporter struct {
	targets *discovery
	http    *httpClient
	timeout time.Duration

	mu       sync.Mutex
	requests map[string]int64 // by target, of those that were asked last
}

// newReporter asks nobody yet.
func newReporter(cfg ReporterConfig, resolver *net.Resolver) (*reporter, error) {
	targets, err := newDiscovery(cfg, resolver)
	if err != nil {
		return nil, err
	}
	client, err := newHTTPClient(cfg.HTTP, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	return &reporter{targets: targets, http: client, timeout: cfg.Timeout, requests: make(map[string]int64)}, nil
}

func (r *reporter) close() { r.http.close() }

// read asks all reporters at the same time. One that does not answer costs its own rows, and its Reach says why; the
// others' are put together, since the instances of a source may be on many TaskManagers.
func (r *reporter) read(ctx context.Context) ([]Job, []Reach) {
	urls, reaches := r.targets.find(ctx, r.timeout)
	pages := make([]*page, len(urls))
	answers := make([]Reach, len(urls))
	var asked errgroup.Group
	asked.SetLimit(reportersAtOnce)
	for i, u := range urls {
		asked.Go(func() error {
			pages[i], answers[i] = r.ask(ctx, u)
			return nil
		})
	}
	_ = asked.Wait() // each answer has its own error
	r.count(urls, answers)

	all := newAssembly(Reporter)
	for _, p := range pages {
		for _, row := range p.rows {
			all.add(row)
		}
	}
	return all.all(), append(answers, reaches...)
}

// ask reads what is wanted of one page, or the page as a whole where its server knows no such question and answers
// nothing. The page is never nil: what came before an error is in it.
func (r *reporter) ask(ctx context.Context, u *url.URL) (*page, Reach) {
	reach := Reach{Interface: Reporter, Target: endpoint.Shown(u), Requests: 1}
	p, err := r.get(ctx, wantedOf(u))
	if err == nil && !p.anyFlink && u.RawQuery == "" {
		p, err = r.get(ctx, u)
		reach.Requests++
	}
	switch {
	case err != nil:
	case !p.anyFlink:
		err = errors.New("no metric of Flink's in it: is it another program's page?")
	default:
		err = p.useless()
	}
	reach.At, reach.Err, reach.Skipped = time.Now(), err, p.skipped
	return p, reach
}

func (r *reporter) get(ctx context.Context, u *url.URL) (*page, error) {
	p := &page{}
	after := time.Now()
	var theirs serverClock
	err := r.http.stream(ctx, u, answer{accept: endpoint.Text, from: "a Flink reporter"},
		func(header http.Header, body io.Reader) (err error) {
			theirs = readServerClock(header, after, time.Now())
			p, err = readPage(body, maxPage)
			return err
		})
	before := time.Now()
	for _, row := range p.rows {
		if row.before.IsZero() {
			row.span = span{after, before}
		} else {
			row.span = theirs.span(row.span)
		}
	}
	return p, err
}

// wantedOf asks for the wanted metrics alone, as the HTTP server in Flink's reporter has it: then the TaskManager does not
// compute the others (a page of 140 KB becomes one of 5), and the values are of a shorter time. Another server takes no
// notice. A URL that has a query already is asked as it is.
func wantedOf(u *url.URL) *url.URL {
	if u.RawQuery != "" {
		return u
	}
	wanted := *u
	wanted.RawQuery = url.Values{"name[]": reporterMetricNames()}.Encode()
	return &wanted
}

// count adds the requests of each target up. A target that is gone is forgotten, so that pods that come and go do not
// add up.
func (r *reporter) count(urls []*url.URL, answers []Reach) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := make(map[string]int64, len(urls))
	for i, u := range urls {
		now[u.String()] = r.requests[u.String()] + answers[i].Requests
		answers[i].Requests = now[u.String()]
	}
	r.requests = now
}
