package main

import (
	"context"
	"sync"
	"sync/atomic"
)

// shared is what several generations use, and what goes on between their scrapes: a reload that leaves the configuration of
// a system as it is leaves what is known of it known.
type shared struct {
	users atomic.Int32 // generations

	begin sync.Once
	stop  func() // ends what start began; nil: nothing
}

// start lets run go on until the last user has gone. It has an effect once, however many users there are.
func (s *shared) start(run func(context.Context)) {
	s.begin.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			run(ctx)
		}()
		s.stop = func() {
			cancel()
			<-ended
		}
	})
}

// release takes a user away. When it was the last, what start began ends, and then closing is called.
func (s *shared) release(closing func()) {
	if s.users.Add(-1) > 0 {
		return
	}
	if s.stop != nil {
		s.stop()
	}
	closing()
}
