package flink

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// idsAge is how old the list of a source vertex' metrics may be: partitions that are discovered bring new ones.
	idsAge = time.Minute

	// foreignAge is the same for a vertex without a Kafka source's metrics: a dynamic source has none until it is told of
	// a Kafka cluster, and a legacy consumer until it has found a partition.
	foreignAge = 5 * time.Minute

	// youngVertex is how long after its start a vertex is asked for its ids at each poll: the offsets are registered
	// when a partition is assigned, after everything else.
	youngVertex = 30 * time.Second

	// maxRequest is the longest path and query that Flink takes. It answers a longer one with 404 and
	// "Unable to load requested file /bad-request".
	maxRequest = 4083
)

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
	v.wanted, v.requests, v.foreign = wanted, requests, false
	return nil
}

// wantedMetrics are the ids that are worth a request: those of a Kafka source, and its tasks' times. None without a
// source: the times alone tell nothing.
func wantedMetrics(metrics []metricAnswer) (wanted map[string]metricID, skipped int) {
	wanted = make(map[string]metricID)
	legacy, sources := make(map[string]bool), make(map[string]bool) // operators
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
		sources[id.operator] = sources[id.operator] || id.source == kafkaSource
		wanted[m.ID] = id
	}
	for name, id := range wanted {
		if id.source == legacyConsumer && !legacy[id.operator] || // another connector's counters of that name
			id.source == anyOperator && !sources[id.operator] {
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
