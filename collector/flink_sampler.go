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
	turns   []chan struct{} // by reader: full while it reads, whoever waits for that
	flight  flight[[]*flink.View]

	mu    sync.Mutex
	round int           // of hearing
	last  []*flink.View // by reader; nil: not heard yet
	heard []int         // the round in which that was
}

func newFlinkSampler(readers []FlinkReader) *flinkSampler {
	s := &flinkSampler{readers: readers, last: make([]*flink.View, len(readers)), heard: make([]int, len(readers))}
	for range readers {
		s.turns = append(s.turns, make(chan struct{}, 1))
	}
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

// hear waits for each cluster as long as somebody waits for all. Of one that does not end by then, it is what was heard before
// that counts; the others are heard again meanwhile.
func (s *flinkSampler) hear(ctx context.Context) ([]*flink.View, error) {
	own := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		own, cancel = context.WithTimeout(ctx, time.Duration(cutShare*float64(time.Until(deadline))))
		defer cancel()
	}
	s.mu.Lock()
	s.round++
	round := s.round
	s.mu.Unlock()
	type answer struct {
		reader int
		view   *flink.View
	}
	answers := make(chan answer, len(s.readers))
	for i := range s.readers {
		go func() { answers <- answer{i, s.ask(own, round, i)} }()
	}
	views := s.latest()
	for range s.readers {
		select {
		case a := <-answers:
			if a.view != nil {
				views[a.reader] = a.view
			}
		case <-ctx.Done():
			return views, nil
		}
	}
	return views, nil
}

// ask hears one cluster, once whoever asked before has ended; nil: it did not in time.
func (s *flinkSampler) ask(ctx context.Context, round, reader int) *flink.View {
	select {
	case s.turns[reader] <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	defer func() { <-s.turns[reader] }()
	v, err := guarded(ctx, func(ctx context.Context) (*flink.View, error) { return s.readers[reader].Read(ctx), nil })
	if err != nil {
		v = s.broken(reader, err)
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // else nobody waits, and it was not heard out
		s.keep(round, reader, v)
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

func (s *flinkSampler) keep(round, reader int, v *flink.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if round > s.heard[reader] {
		s.last[reader], s.heard[reader] = v, round
	}
}
