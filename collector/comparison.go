package collector

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"truelag/flink"
	"truelag/kafka"
)

// comparison holds what Flink sources say against what one Kafka cluster has, from pass to pass. It knows neither HTTP nor
// the protocol: it is given views and a reading, in this order of their making.
type comparison struct {
	cluster string                  // of Kafka; empty: the only one
	label   string                  // of that, rendered; may be empty
	told    map[string]FlinkSources // by Flink cluster

	mu      sync.Mutex
	names   topicSpellings
	sources map[sourceKey]*comparedSource
	rewinds map[groupPartition]rewinds // as of counted: a group outlives the jobs that commit for it
	counted time.Time
}

// groupPartition is a partition and a group that some source commits for.
type groupPartition struct {
	group string
	partitionKey
}

// rewinds are how often a group's commit on a partition was lower than the one before it.
type rewinds struct {
	count int64
	at    time.Time // when that was seen to rise; zero: never
}

// sourceKey is a Kafka source of one job.
type sourceKey struct {
	flinkCluster, job, vertex, operator, kafkaCluster string
	legacy                                            bool
}

// comparedSource is what is remembered of a source.
type comparedSource struct {
	group     sourceGroup
	inference groupInference
	lines     map[partitionKey]*comparedLine
	watch     sourceWatch
}

func newComparison(cluster, label string, told map[string]FlinkSources) *comparison {
	return &comparison{cluster: cluster, label: label, told: told, sources: map[sourceKey]*comparedSource{}}
}

// groups lists the groups whose commits are to be watched one by one.
func (c *comparison) groups() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[string]bool{}
	for _, s := range c.sources {
		if s.group.How != "" {
			names[s.group.Group] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// begin compares what was heard with a reading that was made after it and whose logs are not looked at yet. What it finds
// has questions to those.
func (c *comparison) begin(views []*flink.View, r *kafka.Reading) *comparisonPass {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names.update(r.Topics)
	p := newComparisonPass(views, r)
	seen := map[sourceKey]bool{}
	for _, v := range views {
		if v == nil {
			continue
		}
		for i := range v.Jobs {
			for s := range v.Jobs[i].Sources {
				job, source := &v.Jobs[i], &v.Jobs[i].Sources[s]
				told := c.told[v.Cluster]
				group := told.of(job, source)
				if group.Cluster != c.cluster {
					continue
				}
				key := sourceKey{v.Cluster, job.ID, source.Vertex, source.Operator, source.KafkaCluster, source.Legacy}
				seen[key] = true
				if c.sources[key] == nil {
					c.sources[key] = &comparedSource{lines: map[partitionKey]*comparedLine{}}
				}
				found := &finding{sourceKey: key, label: c.label, job: job, source: source, live: !over(job, r.At), infers: told.Infer && group.How == ""}
				if c.sources[key].begin(p, found, hear(source, c.names.TopicNames, found.live), group) {
					p.found = append(p.found, found)
				}
			}
		}
	}
	if !slices.Contains(views, nil) { // else a source is perhaps only not heard
		maps.DeleteFunc(c.sources, func(k sourceKey, _ *comparedSource) bool { return !seen[k] })
	}
	return p
}

// end takes the answers to a pass' questions.
func (c *comparison) end(p *comparisonPass, answers []kafka.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.countRewinds(p)
	for _, f := range p.found {
		f.answer(answers)
		if s := c.sources[f.sourceKey]; s != nil { // a pass that overtook this one may have forgotten it
			s.end(p, f, c.rewinds)
		}
	}
}

// countRewinds notes the groups' rewinds on all partitions that were compared.
func (c *comparison) countRewinds(p *comparisonPass) {
	if p.reading.At.Before(c.counted) {
		return // a later pass has overtaken this one
	}
	c.counted = p.reading.At
	now := map[groupPartition]rewinds{}
	for _, f := range p.found {
		for i := range f.partitions {
			row := &f.partitions[i]
			at := groupPartition{f.group.Group, row.partitionKey}
			was, known := c.rewinds[at]
			count := rewindsOf(p.reading.Lag(at.group, at.Topic), at.Partition)
			switch {
			case count >= 0 && known && count > was.count:
				now[at] = rewinds{count, p.reading.At}
			case count >= 0:
				now[at] = rewinds{count, was.at}
			case known:
				now[at] = was
			}
		}
	}
	c.rewinds = now
}

// begin compares one source, unless it is for another shard to do so.
func (s *comparedSource) begin(p *comparisonPass, f *finding, heard *heardSource, group sourceGroup) bool {
	f.unmatched = heard.unmatched
	if f.infers {
		group = s.infer(p, heard, group.Cluster)
	}
	if group != s.group {
		s.group, s.lines, s.watch = group, map[partitionKey]*comparedLine{}, sourceWatch{}
	}
	f.group = group
	if owner := cmp.Or(group.Group, f.job.Name); !p.reading.Shard.Owns(owner) {
		return false
	}
	f.partitions = make([]comparedPartition, len(heard.partitions))
	for i := range heard.partitions {
		f.partitions[i] = s.compare(p, f, &heard.partitions[i])
	}
	maps.DeleteFunc(s.lines, func(at partitionKey, line *comparedLine) bool {
		if heard.has(at) {
			return false
		}
		if !line.old(p.reading.Topic(at.Topic)) {
			if sample, _ := p.sample(s.group.Group, at); line.miss(p, sample) {
				return false
			}
		}
		delete(s.watch.partitions, at)
		return true
	})
	return true
}

// infer looks for the group by the offsets.
func (s *comparedSource) infer(p *comparisonPass, heard *heardSource, cluster string) sourceGroup {
	none := sourceGroup{groupKey: groupKey{Cluster: cluster}}
	round := groupRound{At: p.reading.CommitsTold, Committed: map[partitionKey]int64{}, Groups: map[groupKey]map[partitionKey]groupCommit{}}
	only, settled := s.inference.settled()
	for i := range heard.partitions {
		h := &heard.partitions[i]
		if !current(h.sample, p.reading.At) {
			continue
		}
		round.Committed[h.partitionKey] = h.said.Committed
		if round.After.IsZero() || h.sample.After.Before(round.After) {
			round.After = h.sample.After
		}
		for _, commit := range p.commitsOn(h.partitionKey) {
			group := groupKey{cluster, commit.group}
			if settled && group != only {
				continue
			}
			if round.Groups[group] == nil {
				round.Groups[group] = map[partitionKey]groupCommit{}
			}
			round.Groups[group][h.partitionKey] = groupCommit{commit.Offset, commit.LeaderEpoch}
		}
	}
	if len(round.Committed) == 0 { // nothing was heard that could say otherwise
		if s.group.How != "" {
			return s.group
		}
		return none
	}
	if group, ok := s.inference.observe(round); ok {
		return sourceGroup{group, groupInferred}
	}
	return none
}

// compare compares one partition.
func (s *comparedSource) compare(p *comparisonPass, f *finding, h *heardPartition) comparedPartition {
	row := newComparedPartition(h, p, f)
	if s.group.How == "" {
		return row
	}
	sample, epoch := p.sample(s.group.Group, h.partitionKey)
	row.broker, row.epoch = sample.Broker, epoch
	line := s.lines[h.partitionKey]
	if line == nil || line.old(row.topic) {
		line = &comparedLine{id: row.topic.ID, first: flink.Unset}
		s.lines[h.partitionKey] = line
		delete(s.watch.partitions, h.partitionKey)
	}
	if row.emitted >= 0 && line.first < 0 {
		line.first = row.emitted
	}
	if row.trusted && f.live {
		line.heard = p.reading.At
		sample.After, sample.Before, sample.Legacy = h.sample.After, h.sample.Before, f.source.Legacy
		sample.Committed, sample.Emitted = row.committed, row.emitted
		sample.Commits, sample.Attempt = h.commits(), h.attempt()
		row.judgement = line.Observe(sample)
	} else {
		line.miss(p, sample)
	}
	row.ask(p, f, line.first)
	return row
}

// end draws conclusions from what was answered.
func (s *comparedSource) end(p *comparisonPass, f *finding, all map[groupPartition]rewinds) {
	for i := range f.partitions {
		row := &f.partitions[i]
		row.rewound = all[groupPartition{f.group.Group, row.partitionKey}].at
	}
	f.conditions = s.watch.observe(f.evidence(p)).list()
	f.fixed = s.watch.fixed
}
