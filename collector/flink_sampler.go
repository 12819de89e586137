package collector

import (
	"context"
	"slices"
	"sync"
	"time"

	"truelag/flink"
)

// FlinkReader hears one Flink cluster. *flink.Cluster is one.
type FlinkReader interface {
	Name() string // empty: the only one
	Read(context.Context) *flink.View
}

// flinkSampler hears all Flink clusters at once, for the pass over Kafka that follows.
type flinkSampler struct {
	readers []FlinkReader
	flight  flight[[]*flink.View]

	mu   sync.Mutex
	last []*flink.View // by reader; nil: not heard yet
}

func newFlinkSampler(readers []FlinkReader) *flinkSampler {
	s := &flinkSampler{readers: readers, last: make([]*flink.View, len(readers))}
	s.flight.fly = s.hear
	return s
}

// flinkShare is the part of a scrape's time that hearing Flink may take, and flinkTime how long it may take at most: a
// pass over Kafka waits for it, since what Flink says must be heard before the commits are read.
const (
	flinkShare = 0.25
	flinkTime  = 3 * time.Second
)

// sample is what each cluster says now; of one that does not answer in time, what it said before.
func (s *flinkSampler) sample(ctx context.Context) []*flink.View {
	bound := flinkTime
	if deadline, ok := ctx.Deadline(); ok {
		bound = min(bound, time.Duration(flinkShare*float64(time.Until(deadline))))
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	views, err := s.flight.do(ctx)
	if err != nil {
		return s.latest()
	}
	return views
}

// latest is what was heard last.
func (s *flinkSampler) latest() []*flink.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.last)
}

func (s *flinkSampler) hear(ctx context.Context) ([]*flink.View, error) {
	views := make([]*flink.View, len(s.readers))
	var wg sync.WaitGroup
	for i, r := range s.readers {
		wg.Go(func() { views[i] = r.Read(ctx) })
	}
	wg.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	copy(s.last, views)
	return views, nil
}
