package flink

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	promconfig "github.com/prometheus/common/config"

	"truelag/endpoint"
	"truelag/guard"
)

// longestSilence is how long a poll waits for a dump that is not due yet. A job of which nobody tells for two minutes is
// taken for one that has ended, and checkpoints are told without a dump.
const longestSilence = time.Minute

// restPoller asks a JobManager on a clock of its own and keeps what it said. A poll costs one request that triggers a
// dump and one for the list of jobs; per job that did not end one each for the job, its checkpoints and the dump's time;
// per source vertex as many as its ids take, and once a minute one for the list of its ids. What does not change is asked
// once (/config), or once after each restart of a job. A job that ended is asked once more and then never again.
type restPoller struct {
	cfg        RESTConfig
	parameters bool
	wants      func(name string) bool
	keepEnded  time.Duration

	http *httpClient
	base *url.URL

	// Of the goroutine that polls.
	jobs           map[string]*restJob
	version        string        // of Flink; empty: not known
	updateInterval time.Duration // 0: not known
	cacheTime      time.Duration // how old an answer about a job may be

	mu  sync.Mutex
	now restState
}

// restState is what the last poll left. It is never changed once published.
type restState struct {
	jobs  []Job
	names map[string]string // of all jobs that the JobManager lists, wanted or not, by id
	reach Reach
}

func newRESTPoller(
	cfg RESTConfig, parameters bool, wants func(string) bool, keepEnded time.Duration, options ...promconfig.HTTPClientOption,
) (*restPoller, error) {
	base, err := endpoint.ParseBase(cfg.URL)
	if err != nil {
		return nil, err
	}
	if cfg.Interval <= 0 || cfg.Timeout <= 0 {
		return nil, fmt.Errorf("interval %s and timeout %s: want both above 0", cfg.Interval, cfg.Timeout)
	}
	client, err := newHTTPClient(cfg.HTTP, cfg.Timeout, options...)
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	base.RawPath = strings.TrimSuffix(base.RawPath, "/")
	p := &restPoller{
		cfg: cfg, parameters: parameters, wants: wants, keepEnded: keepEnded,
		http: client, base: base, jobs: make(map[string]*restJob), updateInterval: cfg.UpdateInterval,
	}
	p.now.reach = Reach{Interface: REST, Target: endpoint.Shown(base)}
	return p, nil
}

// run polls until ctx ends. It tells what each poll left.
func (p *restPoller) run(ctx context.Context, polled func(restState)) {
	for {
		next := p.poll(ctx)
		if ctx.Err() != nil {
			return
		}
		polled(p.state())
		if !wait(ctx, time.Until(next)) {
			return
		}
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (p *restPoller) state() restState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// poll asks once, publishes, and says when to ask again. One that ctx ended is not published.
func (p *restPoller) poll(ctx context.Context) (next time.Time) {
	began := time.Now()
	limit := max(p.cfg.Interval, 10*time.Second)
	bounded, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the poll took longer than %s", limit))
	defer cancel()

	poll := &restPoll{restPoller: p}
	var names map[string]string
	var dumped time.Time
	err := guard.Do(func() (err error) {
		names, dumped, err = poll.read(bounded)
		return err
	})
	if ctx.Err() != nil {
		return began
	}
	if names == nil {
		p.version, p.updateInterval = "", p.cfg.UpdateInterval // it may come back as another one
	}
	p.publish(names, Reach{
		Interface: REST, Target: endpoint.Shown(p.base), At: time.Now(), Err: err,
		Skipped: int(poll.skipped.Load()), Requests: p.http.requests.Load(),
	})
	next = began.Add(p.cfg.Interval)
	// A trigger before the next dump is due would show this one again.
	if due := dumped.Add(p.updateInterval + dumpMargin); !dumped.IsZero() && due.After(next) {
		next = due
	}
	if latest := began.Add(max(p.cfg.Interval, longestSilence)); next.After(latest) {
		next = latest
	}
	return next
}

// kept says whether a job is still told of. What ended is kept from when it ended, so that a restart of ours changes
// nothing; what is listed no more from when it was heard.
func (p *restPoller) kept(job *restJob, listed bool, now time.Time) bool {
	last := job.Heard
	switch {
	case !job.Terminal() && listed:
		return true
	case job.Terminal() && !job.Ended.IsZero():
		last = job.Ended
	}
	return now.Sub(last) <= p.keepEnded
}

// publish makes what was read visible, and forgets the jobs that ended, or were last listed, too long ago.
func (p *restPoller) publish(names map[string]string, reach Reach) {
	maps.DeleteFunc(p.jobs, func(id string, job *restJob) bool {
		_, listed := names[id]
		return !p.kept(job, listed, reach.At)
	})
	jobs := make([]Job, 0, len(p.jobs))
	for _, job := range p.jobs {
		jobs = append(jobs, job.told())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if names == nil {
		names = p.now.names
	}
	p.now = restState{jobs: jobs, names: names, reach: reach}
}
