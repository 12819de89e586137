package flink

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"time"
)

// restVertex is a source vertex of a job: what is known of its attempt and its metrics.
type restVertex struct {
	id, path string // path of the API, escaped

	attempt   attemptKey               // the last that ran
	asked     attemptKey               // the last that was asked after its end
	instances map[int32]*instanceClock // of the attempt

	wanted   map[string]metricID // nil: not listed in this attempt
	requests []string            // paths and queries that ask for all that is wanted
	listed   time.Time           // when
	skipped  int                 // ids that were not understood, or are too long to be asked for
	foreign  bool                // it has metrics, and none of a Kafka source's

	rivals  map[rival]*rivalry
	sources []Source // as told last; replaced, never changed
}

// attemptKey tells attempts of a vertex apart by what each poll sees anyway. A restart of a single instance shows in the
// time when its job came to RUNNING.
type attemptKey struct {
	since, start      time.Time
	running, finished int64
	parallelism       int64
	status            string
}

func newRESTVertex(jobPath, id string) *restVertex {
	return &restVertex{
		id: id, path: jobPath + "/vertices/" + url.PathEscape(id),
		instances: make(map[int32]*instanceClock), rivals: make(map[rival]*rivalry),
	}
}

// runs says that all instances of the vertex run, or have read to their end.
func (d *vertexDetail) runs() bool {
	running, finished := d.Tasks["RUNNING"].or(0), d.Tasks["FINISHED"].or(0)
	return d.Status == "RUNNING" && running+finished == d.Parallelism.or(running+finished)
}

// readVertex asks a source vertex for its offsets. While it does not run it is asked nothing, and what it said last is
// told as that of a vertex that does not run. One that ended, with its job or before it, is asked once more.
func (p *restPoll) readVertex(
	ctx context.Context, j *restJob, v *restVertex, detail *vertexDetail, ours clock, oldest time.Time,
) error {
	key := attemptKey{
		since: j.since, start: detail.Start.millis(), status: detail.Status, parallelism: detail.Parallelism.or(-1),
		running: detail.Tasks["RUNNING"].or(-1), finished: detail.Tasks["FINISHED"].or(-1),
	}
	ended := j.Terminal() || detail.Status == "FINISHED"
	switch {
	case ended && v.asked == key:
		return nil
	case !ended && !detail.runs():
		v.stopped()
		return nil
	case !ended && v.attempt != key:
		if err := p.readInstances(ctx, v, ours); err != nil {
			return fmt.Errorf("instances of source vertex %s: %w", v.id, err)
		}
		v.attempt, v.wanted, v.foreign = key, nil, false
		clear(v.rivals)
	}
	if v.foreign && (ended || time.Since(v.listed) < foreignAge) {
		return nil
	}
	if err := p.readIDs(ctx, v, detail, ours, ended); err != nil {
		return fmt.Errorf("metrics of source vertex %s: %w", v.id, err)
	}
	values, err := p.readValues(ctx, v)
	if err != nil {
		return fmt.Errorf("values of source vertex %s: %w", v.id, err)
	}
	reading := &vertexReading{
		vertex: v, values: values, received: time.Now(), oldest: oldest, parallelism: detail.Parallelism.or(math.MaxInt32),
	}
	sources := reading.sources()
	p.skipped.Add(int64(v.skipped + reading.skipped))
	switch {
	case ended:
		v.end(sources, detail, ours, j)
		v.asked = key
	case len(sources) > 0:
		v.sources = sources
	}
	return nil
}

func (p *restPoll) readValues(ctx context.Context, v *restVertex) (map[string]string, error) {
	values := make(map[string]string, len(v.wanted))
	for _, request := range v.requests {
		var answers []metricAnswer
		if err := p.get(ctx, request, &answers); err != nil {
			return nil, err
		}
		for _, m := range answers {
			values[m.ID] = string(m.Value)
		}
	}
	if len(values) < len(v.wanted) {
		v.listed = time.Time{} // the store has lost some: list them again
	}
	return values, nil
}

// readInstances asks when each instance of a new attempt was deployed, and began to run.
func (p *restPoll) readInstances(ctx context.Context, v *restVertex, ours clock) error {
	var told vertexSubtasks
	if err := p.get(ctx, v.path, &told); err != nil {
		return err
	}
	instances := make(map[int32]*instanceClock, len(told.Subtasks))
	for _, subtask := range told.Subtasks {
		index := int32(subtask.Index.or(-1))
		c := &instanceClock{attempt: subtask.Attempt.or(-1), finished: subtask.Status == "FINISHED"}
		if start := subtask.Start.millis(); !start.IsZero() {
			c.deployed = ours.span(start).after
			c.running = c.deployed // the earliest that it can have been, where nothing better is told
		}
		if now, ran := told.Now.millis(), subtask.Spent["RUNNING"].or(0); ran > 0 && !now.IsZero() {
			c.running = ours.span(now.Add(-time.Duration(ran) * time.Millisecond)).before
		}
		if before := v.instances[index]; before != nil {
			if before.attempt == c.attempt && before.deployed.Sub(c.deployed).Abs() < dumpSpread {
				before.finished = c.finished
				c = before // it was not restarted
			} else {
				c.deadAge = before.age
			}
		}
		instances[index] = c
	}
	v.instances = instances
	return nil
}
