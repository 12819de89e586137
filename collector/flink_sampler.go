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
	flights []flight[*flink.View] // by reader: one that does not end keeps itself alone from being heard again

	mu   sync.Mutex
	last []*flink.View // by reader; nil: not heard yet
}

func newFlinkSampler(readers []FlinkReader) *flinkSampler {
	s := &flinkSampler{readers: readers, flights: make([]flight[*flink.View], len(readers)), last: make([]*flink.View, len(readers))}
	for i := range readers {
		s.flights[i].fly = func(ctx context.Context) (*flink.View, error) { return s.hear(ctx, i), nil }
	}
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
	views := s.latest()
	var wg sync.WaitGroup
	for i := range s.flights {
		wg.Go(func() {
			if v, err := s.flights[i].do(ctx); err == nil {
				views[i] = v
			}
		})
	}
	wg.Wait()
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

// hear hears one cluster.
func (s *flinkSampler) hear(ctx context.Context, reader int) *flink.View {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(cutShare*float64(time.Until(deadline))))
		defer cancel()
	}
	v, err := guarded(ctx, func(ctx context.Context) (*flink.View, error) { return s.readers[reader].Read(ctx), nil })
	if err != nil {
		v = s.broken(reader, err)
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // else nobody waits, and it was not heard out
		s.mu.Lock()
		defer s.mu.Unlock()
		s.last[reader] = v
	}
	return v
}

// broken stands for a cluster whose reading broke down: what it said before, and why there is nothing newer.
func (s *flinkSampler) broken(reader int, err error) *flink.View {
	v := flink.View{Cluster: s.readers[reader].Name(), Reaches: []flink.Reach{{}}}
	if last := s.latest()[reader]; last != nil && len(last.Reaches) > 0 {
		v = *last
	}
	v.Reaches = slices.Clone(v.Reaches)
	for i := range v.Reaches {
		v.Reaches[i].At, v.Reaches[i].Err = time.Now(), err
	}
	return &v
}
