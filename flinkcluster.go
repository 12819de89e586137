package main

import (
	"context"
	"fmt"

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

// openFlinks makes the Flink clusters of a configuration, or takes them from the generation before. Each gets a user.
func openFlinks(cfg *config.Config, before *generation, logs loggers) (clusters []*flinkCluster, err error) {
	defer func() {
		if err != nil {
			for _, c := range clusters {
				c.close()
			}
			clusters = nil
		}
	}()
	wanted, err := cfg.FlinkClusters()
	if err != nil {
		return nil, err
	}
	for i, wants := range wanted {
		settings := cfg.Flink.Clusters[i]
		c := before.heard(settings)
		if c == nil {
			if c, err = openFlink(settings, wants, logs.kit); err != nil {
				return clusters, fmt.Errorf("flink.clusters[%d]: %w", i, err)
			}
		}
		clusters = append(clusters, c)
	}
	return clusters, nil
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

// sources is whose commits the jobs of the cluster make, which is one of cfg.
func (c *flinkCluster) sources(cfg *config.Config) collector.FlinkSources {
	s := collector.FlinkSources{
		Cluster: c.config.KafkaCluster, Parameter: c.config.GroupParameter, Infer: c.config.InferGroups,
	}
	if s.Cluster == "" && len(cfg.Kafka.Clusters) == 1 {
		s.Cluster = cfg.Kafka.Clusters[0].Name // the only one may have a name, too
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
