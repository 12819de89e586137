package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"truelag/collector"
	"truelag/config"
	"truelag/flink"
	"truelag/kafka"
	"truelag/web"
)

// flinkPatience is how long a command waits for what Flink says, before it reads Kafka.
const flinkPatience = 6 * time.Second

// flinkLook is one look of a command at Flink clusters, held against one Kafka cluster.
type flinkLook struct {
	flink    *collector.Flink
	clusters []*flinkCluster
}

// openLook makes a look at the Flink clusters whose sources may read c; nil where there are none.
func openLook(cfg *config.Config, c *kafka.Cluster, logs loggers) (*flinkLook, error) {
	clusters, err := openFlinks(cfg, nil, logs)
	if err != nil {
		return nil, err
	}
	l := &flinkLook{}
	var heard []collector.FlinkCluster
	for _, f := range clusters {
		sources := f.sources(cfg)
		if !mayRead(&sources, c.Name()) {
			f.close()
			continue
		}
		l.clusters = append(l.clusters, f)
		heard = append(heard, collector.FlinkCluster{Reader: f, Sources: sources})
	}
	if len(heard) == 0 {
		return nil, nil
	}
	kc, err := collector.NewKafka(collector.KafkaConfig{}, c)
	if err == nil {
		l.flink, err = collector.NewFlink(collector.FlinkConfig{}, kc, heard...)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *flinkLook) close() {
	if l == nil {
		return
	}
	for _, f := range l.clusters {
		f.close()
	}
}

// mayRead says that the sources of a Flink cluster may read a Kafka cluster.
func mayRead(s *collector.FlinkSources, kafkaCluster string) bool {
	return s.Cluster == kafkaCluster ||
		slices.ContainsFunc(s.Rules, func(r collector.FlinkSourceRule) bool { return r.Cluster == kafkaCluster })
}

// narrowed leaves of a configuration only one group, whose commits are all that a comparison needs. A group that it
// leaves out stays so.
func narrowed(c kafka.Config, group string) kafka.Config {
	if utf8.ValidString(group) && c.Groups.Match(group) {
		c.Shard = kafka.Shard{} // whose part it is has been settled
		c.Groups.Include = []*regexp.Regexp{regexp.MustCompile(`\A` + regexp.QuoteMeta(group) + `\z`)}
	}
	return c
}

// compare hears Flink, and then reads Kafka: a commit that Flink knows of is one that the broker had before. It returns
// why what Flink says could not be had.
func (l *flinkLook) compare(c *kafka.Cluster) (unheard []string) {
	if l == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), flinkPatience)
	defer cancel()
	pollAll(ctx, l.clusters)
	ctx, cancel = context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	for _, o := range l.flink.Collect(ctx).Outcomes {
		if o.Err != nil {
			unheard = append(unheard, notHeard(o.Err))
		}
	}
	if c.Last() == nil {
		unheard = append(unheard, "not compared: Kafka could not be read as a whole")
	}
	return unheard
}

// pollAll lets each cluster's REST API be asked once.
func pollAll(ctx context.Context, clusters []*flinkCluster) {
	var polled sync.WaitGroup
	for _, f := range clusters {
		polled.Go(func() { f.Poll(ctx) })
	}
	polled.Wait()
}

// words is what the look has seen of a partition. Where no source is known to commit to the group, those are told of
// whose group is not known: after one look, none can be inferred.
func (l *flinkLook) words(p web.Place) []web.FlinkWord {
	if l == nil {
		return nil
	}
	if words := flinkWords(l.flink.Said(p.Cluster, p.Group, p.Topic, p.Partition)); len(words) > 0 {
		return words
	}
	return flinkWords(l.flink.Unattributed(p.Cluster, p.Topic, p.Partition))
}

// flinkWords is what Flink jobs have said of a partition.
func flinkWords(said []collector.FlinkSaid) []web.FlinkWord {
	var words []web.FlinkWord
	for _, s := range said {
		w := web.FlinkWord{
			Cluster: s.FlinkCluster, Job: s.Job, JobID: s.JobID, State: s.State, Ended: s.Ended, Operator: s.Operator, How: s.How,
			Compared: s.At, Interface: string(s.Interface), Heard: s.After, Fresh: s.Fresh,
			Emitted: s.Emitted, Committed: s.Committed, Broker: s.Broker, Agreement: s.Agreement.String(),
			Replay: s.Replay, Skip: s.Skip, Uncommitted: s.Uncommitted, Conditions: namesOf(s.Conditions),
		}
		if c := s.Checkpoints; c != nil {
			w.Completed, w.Failed, w.Failure, w.Stopped = c.LastCompleted, c.LastFailed, c.Failure, c.StoppedWith
			if r := c.Restored; r != nil {
				w.Restored, w.RestoredFrom = r.At, originOf(r)
			}
		}
		words = append(words, w)
	}
	return words
}

// originOf names what a job was restored from.
func originOf(r *flink.Restored) string {
	kind := "checkpoint"
	if r.Savepoint {
		kind = "savepoint"
	}
	if r.ID < 0 {
		return "a " + kind
	}
	return fmt.Sprintf("%s %d", kind, r.ID)
}

func namesOf(conditions []collector.Condition) []string {
	var names []string
	for _, c := range conditions {
		names = append(names, c.String())
	}
	return names
}
