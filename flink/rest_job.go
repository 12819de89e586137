package flink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// restJob is what REST said of a job, and what it need not be asked again.
type restJob struct {
	Job
	vertices map[string]*restVertex // source vertices, by id

	since     time.Time // when it came to RUNNING last, by the JobManager's clock: another one after each restart
	restarted bool      // since it was submitted, as far as its answer tells

	config time.Time // the since for which its settings were asked; zero: not yet
	dumped time.Time // when the JobManager's dump was made that its values are from, at the latest; zero: not told
	read   time.Time // when it was read last without an error
	done   bool      // it was asked after its end

	interval time.Duration // of its checkpoints, as Checkpoints has it
}

// told is a copy to hand out.
func (j *restJob) told() Job {
	job := j.Job
	for _, vertex := range j.vertices {
		job.Sources = append(job.Sources, vertex.sources...)
	}
	slices.SortFunc(job.Sources, compareSources)
	return job
}

func compareJobs(a, b Job) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
}

func (s *Source) key() sourceKey {
	return sourceKey{vertex: s.Vertex, operator: s.Operator, kafkaCluster: s.KafkaCluster, legacy: s.Legacy}
}

// source is a source of which nothing but the key is told.
func (k sourceKey) source() Source {
	return Source{Vertex: k.vertex, Operator: k.operator, KafkaCluster: k.kafkaCluster, Legacy: k.legacy, ReadRecords: -1}
}

func compareSources(a, b Source) int {
	return cmp.Or(cmp.Compare(a.Vertex, b.Vertex), cmp.Compare(a.Operator, b.Operator),
		cmp.Compare(a.KafkaCluster, b.KafkaCluster), compareBool(a.Legacy, b.Legacy))
}

func (j *restJob) path() string { return "/jobs/" + url.PathEscape(j.ID) }

// readJob asks for one job. The error joins what is missing; what was told before stays.
func (p *restPoll) readJob(ctx context.Context, j *restJob) error {
	sent := time.Now()
	var detail jobDetail
	if err := p.get(ctx, j.path(), &detail); err != nil {
		return err
	}
	ours := clock{sent: sent, received: time.Now(), now: detail.Now.millis()}
	j.Ahead = ours.ahead()
	j.adopt(&detail)

	problems := []error{p.readJobConfig(ctx, j), p.readCheckpoints(ctx, j)}
	var oldest time.Time // what the vertices say is no older
	if !j.Terminal() {
		made, err := p.readDumpTime(ctx, j, ours)
		problems = append(problems, err)
		oldest = oldestDump(p.triggered, made, p.updateInterval)
		j.dumped = made.before
	}
	for _, id := range detail.sourceVertices() {
		for _, vertex := range detail.Vertices {
			if vertex.ID != id {
				continue
			}
			v := entry(j.vertices, id, func() *restVertex { return newRESTVertex(j.path(), id) })
			problems = append(problems, p.readVertex(ctx, j, v, &vertex, ours, oldest))
		}
	}
	err := errors.Join(problems...)
	if j.done = err == nil && detail.settled(p.cacheTime); j.done {
		for _, v := range j.vertices {
			v.retire()
		}
	}
	return err
}

// settled says that the job ended long enough ago for all answers to tell of it. They come from caches, each with an age
// of its own: the list may know of an end before the job does, and the checkpoints not yet of the savepoint that was it.
func (d *jobDetail) settled(cacheTime time.Duration) bool {
	if !TerminalState(d.State) {
		return false
	}
	ended, now := d.End.millis(), d.Now.millis()
	return ended.IsZero() || now.IsZero() || now.Sub(ended) > cacheTime
}

// adopt takes over what the job's own answer says of it.
func (j *restJob) adopt(detail *jobDetail) {
	if !j.Terminal() {
		j.State = cmp.Or(detail.State, j.State)
		j.Ended = detail.End.millis()
	}
	j.since = detail.Timestamps["RUNNING"].millis()
	j.restarted = !detail.Timestamps["RESTARTING"].millis().IsZero()
}

// sourceVertices are the ids of the vertices that nothing flows into. A source that is chained behind a multiple-input
// operator in one vertex with inputs is not seen.
func (d *jobDetail) sourceVertices() []string {
	var ids []string
	for _, node := range d.Plan.Nodes {
		if len(node.Inputs) == 0 && node.ID != "" {
			ids = append(ids, node.ID)
		}
	}
	return ids
}

// readDumpTime finds when the JobManager made the dump that is in the store, by our clock: the job's uptime is counted
// from when it came to RUNNING, up to the dump. The zero span where the job does not run, or the store has nothing yet.
func (p *restPoll) readDumpTime(ctx context.Context, j *restJob, ours clock) (span, error) {
	var metrics []metricAnswer
	if err := p.get(ctx, j.path()+"/metrics?get=uptime", &metrics); err != nil {
		return span{}, err
	}
	for _, m := range metrics {
		uptime, ok := wholeNumber(string(m.Value))
		if m.ID == "uptime" && ok && uptime > 0 && !j.since.IsZero() {
			made := ours.span(j.since.Add(time.Duration(uptime) * time.Millisecond))
			if made.after.After(time.Now()) {
				return span{}, nil // counted from another start than the answer's
			}
			return made, nil
		}
	}
	return span{}, nil
}

func (p *restPoll) readCheckpoints(ctx context.Context, j *restJob) error {
	var told checkpointAnswer
	if err := p.get(ctx, j.path()+"/checkpoints", &told); err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	j.Checkpoints = told.checkpoints(j.interval, j.State)
	j.Checkpoints.At = time.Now()
	return nil
}

// readJobConfig asks for what the job was configured to, once, and again after a restart, when it may be another.
func (p *restPoll) readJobConfig(ctx context.Context, j *restJob) error {
	since := j.since
	if since.IsZero() {
		since = j.Started
	}
	if !j.config.IsZero() && j.config.Equal(since) {
		return nil
	}
	var checkpoints checkpointConfigAnswer
	if err := p.get(ctx, j.path()+"/checkpoints/config", &checkpoints); err != nil {
		return fmt.Errorf("checkpoint configuration: %w", err)
	}
	j.interval = checkpoints.interval()
	if p.parameters {
		var config jobConfigAnswer
		if err := p.get(ctx, j.path()+"/config", &config); err != nil {
			return fmt.Errorf("job configuration: %w", err)
		}
		parameters := make(map[string]string, len(config.Execution.User))
		for name, value := range config.Execution.User {
			parameters[name] = string(value)
		}
		j.Parameters = parameters
	}
	j.config = since
	return nil
}
