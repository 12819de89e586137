package main

import (
	"sync/atomic"

	"github.com/go-kit/log"

	"truelag/config"
	"truelag/kafka"
)

// cluster is an open Kafka cluster. Generations share it for as long as a reload leaves its configuration as it is: what
// is known of its logs and of earlier commits stays known.
type cluster struct {
	*summary
	config config.Cluster
	kafka  *kafka.Cluster
	users  atomic.Int32 // generations
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

// release lets go of the cluster; its last user's release closes it.
func (c *cluster) release() {
	if c.users.Add(-1) == 0 {
		c.kafka.Close()
	}
}

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
