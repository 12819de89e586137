package collector

import (
	"context"
	"errors"
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

	mu    sync.Mutex
	round int           // of hearing
	last  []*flink.View // by reader; nil: not heard yet
	heard []int         // the round in which that was
}

func newFlinkSampler(readers []FlinkReader) *flinkSampler {
	s := &flinkSampler{readers: readers, last: make([]*flink.View, len(readers)), heard: make([]int, len(readers))}
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

// cutShare is the part of the time in which clusters are heard: a bit less than is waited for, so that who waits has what those
// said that did answer, of several TaskManagers too.
const cutShare = 0.9

func (s *flinkSampler) hear(ctx context.Context) ([]*flink.View, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(cutShare*float64(time.Until(deadline))))
		defer cancel()
	}
	s.mu.Lock()
	s.round++
	round := s.round
	s.mu.Unlock()
	views := make([]*flink.View, len(s.readers))
	var wg sync.WaitGroup
	for i, r := range s.readers {
		wg.Go(func() {
			views[i] = r.Read(ctx)
			if !errors.Is(ctx.Err(), context.Canceled) { // else nobody waits, and it was not heard out
				s.keep(round, i, views[i])
			}
		})
	}
	wg.Wait()
	return views, nil
}

func (s *flinkSampler) keep(round, reader int, v *flink.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if round > s.heard[reader] {
		s.last[reader], s.heard[reader] = v, round
	}
}
