package flink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"truelag/endpoint"
	"truelag/guard"
)

// jobsAtOnce is how many jobs are asked at the same time: a JobManager has a few threads for all its clients.
const jobsAtOnce = 4

// restPoll is one poll.
type restPoll struct {
	*restPoller
	triggered time.Time
	skipped   atomic.Int64
}

// read asks all. names is nil where the list of jobs could not be had; dumped is when the last dump was made at the
// latest.
func (p *restPoll) read(ctx context.Context) (names map[string]string, dumped time.Time, err error) {
	p.triggered = time.Now()
	var numbers []metricAnswer
	troubled := p.get(ctx, "/jobmanager/metrics?get=numRunningJobs", &numbers)
	var refused *endpoint.StatusError
	if troubled != nil && !errors.As(troubled, &refused) {
		return nil, time.Time{}, troubled // whoever does not answer at all is asked nothing else
	}
	if !wait(ctx, time.Until(p.triggered.Add(dumpTime))) {
		return nil, time.Time{}, context.Cause(ctx)
	}
	if err := p.readSettings(ctx); troubled == nil {
		troubled = err
	}

	var overview jobsOverview
	if err := p.get(ctx, "/jobs/overview", &overview); err != nil {
		return nil, time.Time{}, err
	}
	heard := time.Now()
	names = make(map[string]string, len(overview.Jobs))
	var due []*restJob
	for _, row := range overview.Jobs {
		if _, again := names[row.ID]; again || row.ID == "" { // two at once would read one job
			p.skipped.Add(1)
			continue
		}
		names[row.ID] = row.Name
		if p.wants != nil && !p.wants(row.Name) {
			delete(p.jobs, row.ID)
			continue
		}
		if job := p.job(row, heard); !job.done && p.kept(job, true, heard) {
			due = append(due, job)
		}
	}
	p.readJobs(ctx, due)
	if ctx.Err() != nil && troubled == nil {
		troubled = fmt.Errorf("not all of %d jobs were read: %w", len(due), context.Cause(ctx))
	}
	for _, job := range p.jobs {
		if job.dumped.After(dumped) {
			dumped = job.dumped
		}
	}
	if dumped.IsZero() {
		dumped = p.triggered
	}
	return names, dumped, troubled
}

// readJobs asks for some jobs at a time. Those that were not read for the longest time come first, so that a JobManager
// that is too slow for a whole poll leaves out others each time.
func (p *restPoll) readJobs(ctx context.Context, jobs []*restJob) {
	slices.SortStableFunc(jobs, func(a, b *restJob) int { return a.read.Compare(b.read) })
	var asked errgroup.Group
	asked.SetLimit(jobsAtOnce)
	for _, job := range jobs {
		asked.Go(func() error {
			if job.Err = guard.Do(func() error { return p.readJob(ctx, job) }); job.Err == nil {
				job.read = time.Now()
			}
			return nil
		})
	}
	_ = asked.Wait() // each job has its own error
}

// job is the job of a row of the list, which tells as much of it as can be known without asking it. One that has the id of
// a job that ended is another job, or the same once more: a cluster for a single job may give each of its jobs the same, and
// a JobManager that fails before it has noted an end runs the job again.
func (p *restPoller) job(row jobOverview, heard time.Time) *restJob {
	if known := p.jobs[row.ID]; known != nil && known.done && (!TerminalState(row.State) || !known.Started.Equal(row.Start.millis())) {
		delete(p.jobs, row.ID)
	}
	job := entry(p.jobs, row.ID, func() *restJob { return &restJob{vertices: make(map[string]*restVertex), interval: -1} })
	job.ID, job.Name, job.State, job.Version, job.Heard = row.ID, row.Name, row.State, p.version, heard
	job.Started, job.Ended, job.Told = row.Start.millis(), row.End.millis(), heard
	return job
}

// get asks for a path below the base, with its query, both escaped, and decodes the answer.
func (p *restPoller) get(ctx context.Context, pathAndQuery string, into any) error {
	path, query, _ := strings.Cut(pathAndQuery, "?")
	u := p.base.JoinPath(path)
	u.RawQuery = query
	body, err := p.http.get(ctx, u, answer{accept: endpoint.JSON, from: "a JobManager's REST API"})
	if err != nil {
		return err
	}
	if err := decode(body, into); err != nil {
		return fmt.Errorf("GET %s: %w", endpoint.Shown(u), err)
	}
	return nil
}
