package main

import (
	"context"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"

	"truelag/collector"
	"truelag/config"
	"truelag/flink"
)

// flinkCluster is a Flink cluster that is heard: what jobs have said last outlives a generation.
type flinkCluster struct {
	shared
	*flink.Cluster
	config config.FlinkCluster
}

// openFlink makes a cluster with one user. It connects when it is started, or first read.
func openFlink(settings config.FlinkCluster, wants flink.Config, logger log.Logger) (*flinkCluster, error) {
	f, err := flink.New(wants, logger)
	if err != nil {
		return nil, err
	}
	c := &flinkCluster{Cluster: f, config: settings}
	c.users.Add(1)
	return c, nil
}

// poll begins what goes on between scrapes.
func (c *flinkCluster) poll(logger log.Logger) {
	c.start(func(ctx context.Context) {
		if err := c.Run(ctx); err != nil {
			level.Error(logger).Log("msg", "Flink is not polled any more", "flink_cluster", c.Name(), "err", err)
		}
	})
}

func (c *flinkCluster) close() { c.release(c.Close) }

// sources is whose commits the jobs of the cluster make.
func (c *flinkCluster) sources() collector.FlinkSources {
	s := collector.FlinkSources{
		Cluster: c.config.KafkaCluster, Parameter: c.config.GroupParameter, Infer: c.config.InferGroups,
	}
	for _, r := range c.config.Sources {
		s.Rules = append(s.Rules, collector.FlinkSourceRule{
			Job: r.Job.MatchString, Operator: r.Operator.MatchString, DynamicID: r.DynamicID.MatchString,
			Group: r.Group, Cluster: r.KafkaCluster,
		})
	}
	return s
}

// heard is the generation's Flink cluster of this configuration, with one more user; nil when it has none.
func (g *generation) heard(settings config.FlinkCluster) *flinkCluster {
	if g == nil {
		return nil
	}
	for _, c := range g.flinks {
		if c.config.Equal(settings) {
			c.users.Add(1)
			return c
		}
	}
	return nil
}
