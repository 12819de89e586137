package flink

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// idsAge is how old the list of a source vertex' metrics may be: partitions that are discovered bring new ones.
	idsAge = time.Minute

	// youngVertex is how long after its start a vertex is asked for its ids at each poll: the offsets are registered
	// when a partition is assigned, after everything else.
	youngVertex = 30 * time.Second

	// maxRequest is the longest path and query that Flink takes. It answers a longer one with 404 and
	// "Unable to load requested file /bad-request".
	maxRequest = 4083
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
func (p *restPoll) readVertex(ctx context.Context, j *restJob, v *restVertex, detail *vertexDetail, ours clock, d dump) error {
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
	if v.foreign {
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
		vertex: v, values: values, received: time.Now(), dump: d, parallelism: detail.Parallelism.or(math.MaxInt32),
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
		index, ok := smallNumber(fmt.Sprint(subtask.Index.or(-1)))
		if !ok {
			p.skipped.Add(1)
			continue
		}
		c := &instanceClock{attempt: subtask.Attempt.or(-1)}
		if start := subtask.Start.millis(); !start.IsZero() {
			c.deployed = ours.span(start).after
			c.running = c.deployed // the earliest that it can have been, where nothing better is told
		}
		if now, ran := told.Now.millis(), subtask.Spent["RUNNING"].or(0); ran > 0 && !now.IsZero() {
			c.running = ours.span(now.Add(-time.Duration(ran) * time.Millisecond)).before
		}
		if before := v.instances[index]; before != nil {
			if before.attempt == c.attempt && before.deployed.Sub(c.deployed).Abs() < dumpSpread {
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

// readIDs lists the vertex' metrics where that is due, and makes the requests for those that are wanted.
func (p *restPoll) readIDs(ctx context.Context, v *restVertex, detail *vertexDetail, ours clock, ended bool) error {
	young := !ended && time.Since(ours.span(detail.Start.millis()).after) < youngVertex
	if v.wanted != nil && !young && (ended || time.Since(v.listed) < idsAge) {
		return nil
	}
	var metrics []metricAnswer
	if err := p.get(ctx, v.path+"/metrics", &metrics); err != nil {
		return err
	}
	wanted, skipped := wantedMetrics(metrics)
	v.skipped, v.listed = skipped, time.Now()
	if len(wanted) == 0 {
		v.requests, v.wanted = nil, nil
		// The first lists are empty, or come before the readers are there.
		v.foreign = len(metrics) > 0 && !young
		return nil
	}
	requests, tooLong := valueRequests(p.base.EscapedPath(), v.path, wanted)
	v.skipped += tooLong
	v.wanted, v.requests = wanted, requests
	return nil
}

// wantedMetrics are the ids that are worth a request: those of a Kafka source, and its tasks' times. None without a
// source: the times alone tell nothing.
func wantedMetrics(metrics []metricAnswer) (wanted map[string]metricID, skipped int) {
	wanted = make(map[string]metricID)
	legacy := make(map[string]bool) // operators
	any := false
	for _, m := range metrics {
		id, ok := parseMetricID(m.ID)
		switch {
		case !ok:
			skipped++
			continue
		case id.kind == idForeign:
			continue
		case id.source == legacyConsumer && id.topic != "":
			legacy[id.operator] = true
		}
		any = any || id.source == kafkaSource || id.source == dynamicSource
		wanted[m.ID] = id
	}
	for name, id := range wanted {
		if id.source == legacyConsumer && !legacy[id.operator] { // another connector's counters of that name
			delete(wanted, name)
		}
	}
	if !any && len(legacy) == 0 {
		clear(wanted)
	}
	return wanted, skipped
}

// valueRequests asks for all that is wanted in as few requests as Flink takes. An id that is too long for one of its own
// cannot be asked for.
func valueRequests(base, path string, wanted map[string]metricID) (requests []string, tooLong int) {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		escaped := url.QueryEscape(id)
		if b.Len() > 0 && len(base)+b.Len()+1+len(escaped) > maxRequest {
			requests = append(requests, b.String())
			b.Reset()
		}
		if b.Len() == 0 {
			b.WriteString(path + "/metrics?get=")
			if len(base)+b.Len()+len(escaped) > maxRequest {
				b.Reset()
				tooLong++
				continue
			}
		} else {
			b.WriteByte(',')
		}
		b.WriteString(escaped)
	}
	if b.Len() > 0 {
		requests = append(requests, b.String())
	}
	return requests, tooLong
}

// stopped tells what was said last as that of a vertex that does not run.
func (v *restVertex) stopped() {
	sources := slices.Clone(v.sources)
	for i, s := range sources {
		sources[i].Samples = slices.Clone(s.Samples)
		for k := range sources[i].Samples {
			sources[i].Samples[k].Running = false
		}
	}
	v.sources = sources
}

// end tells the last values of a vertex that ended. They are from the last dump before the end that had them: somewhere
// between what was read last, or the vertex' start, and its end. Those of a vertex that was never read while it ran may
// be an earlier attempt's, if there was one.
func (v *restVertex) end(sources []Source, detail *vertexDetail, ours clock, j *restJob) {
	final := make(map[sourceKey]Source, len(sources))
	for _, s := range v.sources {
		final[s.key()] = s
	}
	start, stop := detail.Start.millis(), detail.End.millis()
	if start.IsZero() {
		start = j.Started
	}
	for _, s := range sources {
		earlier, seen := final[s.key()]
		final[s.key()] = s
		last := &s.Samples[0]
		last.After, last.Running = ours.span(start).after, !j.restarted
		if seen && !earlier.Samples[0].After.Before(last.After) {
			last.After, last.Running = earlier.Samples[0].After, true
		}
		if !stop.IsZero() {
			last.Before = ours.span(stop).before
		}
	}
	v.sources = slices.SortedFunc(maps.Values(final), compareSources)
	for i := range v.sources {
		v.sources[i].ReadRecords = finalRecords(detail, j.Version)
	}
}

// finalRecords is how many records a vertex read, which 2.x says of one that FINISHED; 1.x says 0 of a source.
func finalRecords(detail *vertexDetail, version string) int64 {
	complete := detail.Metrics.ReadComplete
	if detail.Status != "FINISHED" || version == "" || strings.HasPrefix(version, "1.") || complete != nil && !*complete {
		return -1
	}
	return detail.Metrics.ReadRecords.or(-1)
}
