package collector

import (
	"cmp"
	"slices"

	"truelag/flink"
	"truelag/kafka"
)

// comparisonPass is one comparison of what was heard with one reading. It is not changed once it has ended.
type comparisonPass struct {
	views     []*flink.View // by Flink cluster; nil: not heard yet
	reading   *kafka.Reading
	found     []*finding
	questions []kafka.Question

	trails  map[string]*kafka.CommitTrail
	commits map[string][]groupTopicCommits // by topic, once somebody has asked
}

// groupTopicCommits are a group's commits on one topic, by partition.
type groupTopicCommits struct {
	group   string
	commits []kafka.Commit
}

// namedCommit is a commit of a group.
type namedCommit struct {
	group string
	kafka.Commit
}

func newComparisonPass(views []*flink.View, r *kafka.Reading) *comparisonPass {
	p := &comparisonPass{views: views, reading: r, trails: map[string]*kafka.CommitTrail{}}
	for i := range r.Trails {
		p.trails[r.Trails[i].Group] = &r.Trails[i]
	}
	return p
}

// of lists what was found about the sources of one Flink cluster.
func (p *comparisonPass) of(flinkCluster string) []*finding {
	var all []*finding
	for _, f := range p.found {
		if f.flinkCluster == flinkCluster {
			all = append(all, f)
		}
	}
	return all
}

// commit is a group's commit on a partition, noCommit or notRead, and its leader epoch, -1 if it has none.
func (p *comparisonPass) commit(group string, at partitionKey) (offset int64, epoch int32) {
	topic := p.reading.Topic(at.Topic)
	g := p.reading.Group(group)
	switch {
	case topic == nil || topic.Err != nil, g == nil && !p.reading.GroupsComplete, g != nil && g.CommitsErr != nil:
		return notRead, -1
	case g == nil:
		return noCommit, -1
	}
	i, ok := slices.BinarySearchFunc(g.Topics, at.Topic, func(t kafka.GroupTopic, name string) int { return cmp.Compare(t.Topic, name) })
	if !ok {
		return noCommit, -1
	}
	c, ok := commitOn(g.Topics[i].Commits, at.Partition)
	switch {
	case !ok:
		return noCommit, -1
	case c.Code != 0:
		return notRead, -1
	}
	return c.Offset, c.LeaderEpoch
}

// sample is what the broker says of a group's commit on a partition, and the commit's leader epoch, -1 if it has none.
func (p *comparisonPass) sample(group string, at partitionKey) (CommitSample, int32) {
	broker, epoch := p.commit(group, at)
	return CommitSample{
		At: p.reading.CommitsTold, Known: broker != notRead, Broker: broker, Followed: p.followed(group, at),
	}, epoch
}

func commitOn(commits []kafka.Commit, partition int32) (kafka.Commit, bool) {
	i, ok := slices.BinarySearchFunc(commits, partition, func(c kafka.Commit, p int32) int { return cmp.Compare(c.Partition, p) })
	if !ok {
		return kafka.Commit{}, false
	}
	return commits[i], true
}

// commitsOn lists what any group has committed on a partition.
func (p *comparisonPass) commitsOn(at partitionKey) []namedCommit {
	if p.commits == nil {
		p.commits = map[string][]groupTopicCommits{}
		for i := range p.reading.Groups {
			g := &p.reading.Groups[i]
			for _, t := range g.Topics {
				p.commits[t.Topic] = append(p.commits[t.Topic], groupTopicCommits{g.Name, t.Commits})
			}
		}
	}
	var all []namedCommit
	for _, of := range p.commits[at.Topic] {
		if c, ok := commitOn(of.commits, at.Partition); ok && c.Code == 0 {
			all = append(all, namedCommit{of.group, c})
		}
	}
	return all
}

// followed is each commit that was seen since the pass before; nil: commits may have been missed.
func (p *comparisonPass) followed(group string, at partitionKey) []int64 {
	trail := p.trails[group]
	if trail == nil || !trail.Followed || !trail.Gapless {
		return nil
	}
	on := trail.On(at.Topic, at.Partition)
	if on.Dropped > 0 {
		return nil
	}
	return append([]int64{}, on.Commits...) // none is not nil
}

// rewindsOf is how often a commit was lower than the one before it; -1: not known.
func rewindsOf(lag *kafka.TopicLag, partition int32) int64 {
	if lag == nil {
		return -1
	}
	i, ok := slices.BinarySearchFunc(lag.Partitions, partition, func(l kafka.PartitionLag, p int32) int { return cmp.Compare(l.Partition, p) })
	if !ok {
		return -1
	}
	return lag.Partitions[i].Rewinds
}
