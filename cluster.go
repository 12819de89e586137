package main

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"

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

	begin sync.Once
	stop  func() // ends what start began; nil: nothing
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

// start begins what goes on between scrapes. It has an effect once, however many generations share the cluster.
func (c *cluster) start(logger log.Logger) {
	c.begin.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if err := c.kafka.Run(ctx); err != nil {
				level.Error(logger).Log("msg", "Commits are not followed any more", "kafka_cluster", c.Name(), "err", err)
			}
		}()
		c.stop = func() {
			cancel()
			<-ended
		}
	})
}

// release lets go of the cluster; its last user's release closes it.
func (c *cluster) release() {
	if c.users.Add(-1) > 0 {
		return
	}
	if c.stop != nil {
		c.stop()
	}
	c.kafka.Close()
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
