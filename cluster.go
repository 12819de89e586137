package main

import (
	"context"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"

	"truelag/config"
	"truelag/kafka"
)

// cluster is an open Kafka cluster: what is known of its logs and of earlier commits outlives a generation.
type cluster struct {
	shared
	*summary
	config config.Cluster
	kafka  *kafka.Cluster
}

// openCluster makes a cluster with one user. It connects when it is first read.
func openCluster(settings config.Cluster, wants kafka.Config, logger log.Logger) (*cluster, error) {
	k, err := kafka.NewCluster(wants, logger)
	if err != nil {
		return nil, err
	}
	c := &cluster{summary: &summary{KafkaReader: k}, config: settings, kafka: k}
	c.users.Add(1)
	return c, nil
}

// follow begins what goes on between scrapes.
func (c *cluster) follow(logger log.Logger) {
	c.start(func(ctx context.Context) {
		if err := c.kafka.Run(ctx); err != nil {
			level.Error(logger).Log("msg", "Commits are not followed any more", "kafka_cluster", c.Name(), "err", err)
		}
	})
}

func (c *cluster) close() { c.release(c.kafka.Close) }

// cluster is the generation's cluster of this configuration, with one more user; nil when it has none.
func (g *generation) cluster(settings config.Cluster) *cluster {
	if g == nil {
		return nil
	}
	for _, c := range g.clusters {
		if c.config.Equal(settings) {
			c.users.Add(1)
			return c
		}
	}
	return nil
}
