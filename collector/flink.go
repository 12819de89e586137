package collector

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"truelag/exposition"
	"truelag/flink"
	"truelag/kafka"
)

// Flink collects what the jobs of Flink clusters say of their Kafka sources, and how it compares with what Kafka has. Its
// comparisons are made in the passes of a Kafka collector, each of which begins by hearing what Flink says.
type Flink struct {
	shard    kafka.Shard
	kafka    *Kafka
	sampler  *flinkSampler
	labels   []string                // by Flink cluster: rendered; empty for the only one
	sources  map[string]FlinkSources // by Flink cluster
	families flinkFamilies
}

// FlinkCluster is a Flink cluster and whose offsets its sources commit.
type FlinkCluster struct {
	Reader  FlinkReader
	Sources FlinkSources
}

// FlinkConfig is what the Flink collector needs to know.
type FlinkConfig struct {
	// Shard says which sources and jobs are exported: those whose group it owns, and what is said of a job as a whole where it
	// owns the job's name.
	Shard kafka.Shard
}

// NewFlink makes a collector of one or more Flink clusters, each of a name of its own, whose sources read the clusters of k.
// With more than one, every series of it carries the name as flink_cluster. It is to be made before k collects.
func NewFlink(cfg FlinkConfig, k *Kafka, clusters ...FlinkCluster) (*Flink, error) {
	if len(clusters) == 0 {
		return nil, errors.New("no Flink cluster to hear")
	}
	f := &Flink{shard: cfg.Shard, kafka: k, families: newFlinkFamilies(), sources: make(map[string]FlinkSources, len(clusters))}
	var readers []FlinkReader
	for _, c := range clusters {
		name := c.Reader.Name()
		if _, taken := f.sources[name]; taken {
			return nil, fmt.Errorf("two Flink clusters are named %q", name)
		}
		label := ""
		if len(clusters) > 1 {
			label = exposition.Label("flink_cluster", name)
		}
		f.sources[name] = c.Sources
		readers, f.labels = append(readers, c.Reader), append(f.labels, label)
	}
	f.sampler = newFlinkSampler(readers)
	k.compareWith(f.sampler, f.sources)
	return f, nil
}

// Name implements Collector.
func (f *Flink) Name() string { return "flink" }

// Descs implements Collector.
func (f *Flink) Descs() []exposition.Desc { return f.families.descs() }

// Collect implements Collector.
func (f *Flink) Collect(ctx context.Context) Findings {
	began := time.Now()
	passes := make([]*kafkaPass, len(f.kafka.clusters))
	var wg sync.WaitGroup
	for i, c := range f.kafka.clusters {
		wg.Go(func() { passes[i], _ = c.reads.do(ctx) }) // its error is the Kafka collector's to tell
	}
	wg.Wait()
	now := time.Now()
	views := f.sampler.latest()
	rows := make([]*flinkRows, len(views))
	var found Findings
	for i, v := range views {
		name := f.sampler.readers[i].Name()
		outcome := Outcome{Labels: f.labels[i], System: name, Duration: now.Sub(began), Err: unheard(v)}
		if outcome.Err != nil && name != "" {
			outcome.Err = fmt.Errorf("flink cluster %q: %w", name, outcome.Err)
		}
		found.Outcomes = append(found.Outcomes, outcome)
		var findings []*finding
		compared := map[string]bool{}
		for k, p := range passes {
			if p == nil || p.compared == nil || p.compared.views[i] == nil {
				continue
			}
			compared[f.kafka.clusters[k].name] = true
			findings = append(findings, p.compared.of(name)...)
			v = p.compared.views[i] // what was compared, should there be something newer
		}
		rows[i] = newFlinkRows(flinkTable{label: f.labels[i], shard: f.shard, now: now, told: f.sources[name], compared: compared}, v, findings)
	}
	found.Blocks = f.families.blocks(rows)
	return found
}

// errUnasked says that nothing was heard because nobody had the time to ask: the program has just started.
var errUnasked = errors.New("not polled yet")

// unheard says why nothing was heard of a Flink cluster: no interface has answered at its last reading.
func unheard(v *flink.View) error {
	if v == nil {
		return errors.New("no interface was heard yet")
	}
	var errs []error
	for _, r := range v.Reaches {
		switch {
		case r.Err != nil:
			errs = append(errs, fmt.Errorf("%s %s: %w", r.Interface, r.Target, r.Err))
		case r.At.IsZero():
			errs = append(errs, fmt.Errorf("%s %s: %w", r.Interface, r.Target, errUnasked))
		default:
			return nil
		}
	}
	return errors.Join(errs...)
}
