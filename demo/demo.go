// Package demo is a Kafka cluster inside this process and the actors that use it: each topic shows one thing that a lag
// can mean. Nothing else in the program may start it.
package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kfake"
)

// Config says how large the cluster is and how fast its actors are. The zero value is the demo as users see it.
type Config struct {
	Brokers int           // 0: three
	Pace    time.Duration // how long an actor waits between two steps; 0: one second
	Logger  log.Logger    // nil: silent
}

// Demo is a running cluster.
type Demo struct {
	cluster *kfake.Cluster
	pace    time.Duration
	logger  log.Logger
}

// New starts a cluster on free loopback ports and creates the topics, so that its addresses can be handed out. Nothing
// is written to it before Run.
func New(cfg Config) (*Demo, error) {
	if cfg.Brokers == 0 {
		cfg.Brokers = 3
	}
	if cfg.Pace == 0 {
		cfg.Pace = time.Second
	}
	if cfg.Logger == nil {
		cfg.Logger = log.NewNopLogger()
	}
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(cfg.Brokers),
		kfake.ClusterID("truelag-demo"),
		// How often the broker applies retention: a demo may run for days.
		kfake.BrokerConfigs(map[string]string{"log.cleaner.backoff.ms": "60000"}),
	)
	if err != nil {
		return nil, fmt.Errorf("start the demo's cluster: %w", err)
	}
	d := &Demo{cluster: cluster, pace: cfg.Pace, logger: cfg.Logger}
	for _, s := range scenes {
		if err := cluster.CreateTopic(s.topic, s.partitions, s.configs); err != nil {
			cluster.Close()
			return nil, fmt.Errorf("create the demo's topic %q: %w", s.topic, err)
		}
	}
	return d, nil
}

// Addrs are the brokers' addresses.
func (d *Demo) Addrs() []string { return d.cluster.ListenAddrs() }

// Run plays all scenes until ctx is done. A scene that fails begins again: a laptop that slept has lost its members and
// transactions.
func (d *Demo) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, s := range scenes {
		wg.Go(func() {
			for ctx.Err() == nil {
				err := s.play(ctx, &stage{scene: s, addrs: d.Addrs(), pace: d.pace})
				if ctx.Err() == nil {
					level.Warn(d.logger).Log("msg", "A demo scene begins again", "topic", s.topic, "err", err)
				}
				sleep(ctx, d.pace)
			}
		})
	}
	wg.Wait()
}

// Close ends the cluster. Call it after Run has returned.
func (d *Demo) Close() { d.cluster.Close() }

// stage is one scene being played.
type stage struct {
	scene
	addrs []string
	pace  time.Duration
	step  int
}

// steps calls next for each step until it fails or ctx is done.
func (s *stage) steps(ctx context.Context, next func() error) error {
	for ; ; s.step++ {
		if err := next(); err != nil {
			return err
		}
		if !sleep(ctx, s.pace) {
			return ctx.Err()
		}
	}
}

// sleep waits, and says whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

var errClosed = errors.New("the client is closed")
