package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"truelag/collector"
	"truelag/flink"
	"truelag/kafka"
)

// flinkProbe is what a Flink cluster has said when it was asked once.
type flinkProbe struct {
	*flinkCluster
	told collector.FlinkSources
	view *flink.View

	updateInterval time.Duration   // 0: not known
	findings       []kafka.Finding // in the form of Kafka's
}

// probeFlink asks a Flink cluster by each of its interfaces and prints what came.
func probeFlink(c *flinkCluster, told collector.FlinkSources) error {
	p := &flinkProbe{flinkCluster: c, told: told}
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	p.updateInterval = c.Poll(ctx)
	ctx, cancel = context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	p.view = c.Read(ctx)

	answered := map[flink.Interface]bool{}
	for i := range p.view.Reaches {
		r := &p.view.Reaches[i]
		p.reach(r)
		answered[r.Interface] = answered[r.Interface] || r.Err == nil && !r.At.IsZero()
	}
	if p.config.Reporter != nil && !slices.ContainsFunc(p.view.Reaches, func(r flink.Reach) bool { return r.Interface == flink.Reporter }) {
		p.add("reporters", "a target in flink.clusters[].reporter's urls, files or dns", true, "none is found there")
	}
	if answered[flink.REST] {
		p.jobs()
		p.freshness()
	}
	for _, via := range []flink.Interface{flink.REST, flink.Reporter, flink.Prometheus} {
		if answered[via] {
			p.sources(via)
		}
	}
	p.groups()
	return report("Flink"+of(c.Name()), "flink"+of(c.Name()), p.findings)
}

func (p *flinkProbe) add(feature, needs string, lacking bool, found string, args ...any) {
	p.findings = append(p.findings, kafka.Finding{Feature: feature, Needs: needs, Found: fmt.Sprintf(found, args...), Lacking: lacking})
}

// reach is about one target of an interface.
func (p *flinkProbe) reach(r *flink.Reach) {
	feature, needs := "REST API at "+r.Target, "a JobManager that the exporter reaches"
	switch r.Interface {
	case flink.Reporter:
		feature, needs = "reporter at "+r.Target, "Flink's Prometheus reporter on each TaskManager"
	case flink.Prometheus:
		feature, needs = "Prometheus server at "+r.Target, "a server that scrapes Flink's reporters"
	case flink.REST:
	}
	switch {
	case r.At.IsZero() && r.Err == nil:
		p.add(feature, needs, true, "no answer within %s", defaultTimeout)
	case r.Err != nil:
		p.add(feature, needs, true, "%s", oneLine(r.Err))
	case r.Skipped > 0:
		p.add(feature, needs, false, "it answers; %d of its metrics were not understood", r.Skipped)
	default:
		p.add(feature, needs, false, "it answers")
	}
}

// running are the jobs that have not ended.
func (p *flinkProbe) running() (jobs []*flink.Job) {
	for i := range p.view.Jobs {
		if !p.view.Jobs[i].Terminal() {
			jobs = append(jobs, &p.view.Jobs[i])
		}
	}
	return jobs
}

// jobs is about what REST lists.
func (p *flinkProbe) jobs() {
	const feature, needs = "jobs", "one that has not ended and that flink.clusters[].jobs lets through"
	listed := 0
	var failed []*flink.Job
	for _, j := range p.running() {
		if j.State == "" {
			continue // only others have told of it
		}
		listed++
		if j.Err != nil {
			failed = append(failed, j)
		}
	}
	switch {
	case listed == 0:
		p.add(feature, needs, true, "the JobManager answers, and no such job is listed: there is none, or the filter leaves all out")
	case len(failed) > 0:
		p.add(feature, needs, true, "not %d of %d jobs are read whole, the first being %q: %s", len(failed), listed, failed[0].Name, oneLine(failed[0].Err))
	default:
		p.add(feature, needs, false, "all are read: %d", listed)
	}
}

// longestUpdate is how old REST's metrics may become before nothing is compared with them.
const longestUpdate = time.Minute

// freshness is about how often REST has new metrics.
func (p *flinkProbe) freshness() {
	if p.updateInterval == 0 {
		return // its error is the API's
	}
	const feature, needs = "age of REST's metrics", "metrics.fetcher.update-interval of a minute or less; Flink's default is 10 s"
	p.add(feature, needs, p.updateInterval > longestUpdate, "the JobManager renews them every %s", p.updateInterval)
}

// sources is about what an interface says of Kafka sources.
func (p *flinkProbe) sources(via flink.Interface) {
	feature := "Kafka sources by " + string(via)
	needs, none := "a KafkaSource, DynamicKafkaSource or FlinkKafkaConsumer that runs", "no job has metrics of one"
	if via != flink.REST {
		needs = "the reporters of all TaskManagers"
		none = "none of those that answer has metrics of one: are they JobManagers' alone, or filtered (metrics.reporter.NAME.filter)?"
	}
	sources, partitions := 0, 0
	for _, j := range p.running() {
		for i := range j.Sources {
			samples := j.Sources[i].Samples
			if k := slices.IndexFunc(samples, func(s flink.Sample) bool { return s.Interface == via }); k >= 0 {
				sources++
				partitions += len(samples[k].Partitions)
			}
		}
	}
	switch {
	case sources == 0:
		p.add(feature, needs, true, "%s", none)
	case partitions == 0:
		p.add(feature, needs, true, "%d, and no partition of any: their offsets come with the first that is assigned", sources)
	default:
		p.add(feature, needs, false, "%d, with partitions: %d", sources, partitions)
	}
}

// groups is about whose offsets the sources commit.
func (p *flinkProbe) groups() {
	told, all := 0, 0
	var unknown []string // jobs
	for _, j := range p.running() {
		for i := range j.Sources {
			all++
			if _, group := p.told.Told(j, &j.Sources[i]); group != "" {
				told++
			} else if !slices.Contains(unknown, j.Name) {
				unknown = append(unknown, j.Name)
			}
		}
	}
	if all == 0 {
		return
	}
	needs := "flink.clusters[].sources, group_parameter or infer_groups"
	if p.told.Parameter != "" {
		needs = fmt.Sprintf("flink.clusters[].sources, or a published job parameter %q", p.told.Parameter)
	}
	found := fmt.Sprintf("told for %d of %d", told, all)
	if len(unknown) > 0 {
		slices.Sort(unknown)
		found += fmt.Sprintf("; not for those of %s", firstOf(unknown))
		if p.told.Parameter != "" {
			found += ", which publish none of that name (env.getConfig().setGlobalJobParameters)"
		}
		if p.told.Infer {
			found += ": to be inferred while their commits move"
		}
	}
	p.add("groups of the sources", needs, len(unknown) > 0 && (p.told.Parameter != "" || !p.told.Infer), "%s", found)
}

// firstOf lists some names.
func firstOf(names []string) string {
	const most = 3
	var quoted []string
	for _, n := range names[:min(len(names), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
