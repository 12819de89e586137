package flink

import (
	"maps"
	"slices"
	"strings"
)

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

// retire drops what it takes to ask the vertex: what an ended job said last is kept for a day, and ids are many.
func (v *restVertex) retire() {
	*v = restVertex{id: v.id, path: v.path, asked: v.asked, sources: v.sources}
}

// finalRecords is how many records a vertex read, which 2.x says of one that FINISHED; 1.x says 0 of a source.
func finalRecords(detail *vertexDetail, version string) int64 {
	complete := detail.Metrics.ReadComplete
	if detail.Status != "FINISHED" || version == "" || strings.HasPrefix(version, "1.") || complete != nil && !*complete {
		return -1
	}
	return detail.Metrics.ReadRecords.or(-1)
}
