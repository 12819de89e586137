package collector

import (
	"context"
	"fmt"
	"sync"

	"truelag/guard"
)

// flight lets simultaneous callers share one call. The call goes on for as long as any of its callers waits, under the
// deadline of the one that began it; a caller whose own context ends leaves alone. There is never more than one call at a
// time: one that all have left has to end before the next is made.
type flight[T any] struct {
	fly func(context.Context) (T, error)

	mu     sync.Mutex
	now    *trip[T]
	runway chan struct{} // full while a call is made
}

type trip[T any] struct {
	waiting int
	cancel  context.CancelFunc
	landed  chan struct{} // closed when value and err are set
	value   T
	err     error
}

func (f *flight[T]) do(ctx context.Context) (T, error) {
	t := f.board(ctx)
	defer f.leave(t)
	select {
	case <-t.landed:
		return t.value, t.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// board joins the trip that is under way, or begins one.
func (f *flight[T]) board(ctx context.Context) *trip[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now != nil {
		f.now.waiting++
		return f.now
	}
	// The trip outlives the caller that began it when others have joined, but keeps its deadline.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if deadline, ok := ctx.Deadline(); ok {
		own, cancel = context.WithDeadline(context.WithoutCancel(ctx), deadline)
	}
	t := &trip[T]{waiting: 1, cancel: cancel, landed: make(chan struct{})}
	f.now = t
	if f.runway == nil {
		f.runway = make(chan struct{}, 1)
	}
	go func() {
		select {
		case f.runway <- struct{}{}:
			t.value, t.err = guarded(own, f.fly)
			<-f.runway
		case <-own.Done():
			t.err = fmt.Errorf("wait for an earlier reading that was given up to end: %w", context.Cause(own))
		}
		f.mu.Lock()
		if f.now == t {
			f.now = nil
		}
		f.mu.Unlock()
		close(t.landed)
	}()
	return t
}

// leave ends the trip when its last caller has gone; the next caller then begins another.
func (f *flight[T]) leave(t *trip[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.waiting--; t.waiting > 0 {
		return
	}
	t.cancel()
	if f.now == t {
		f.now = nil
	}
}

// guarded turns a panic into an error: what a broker sends must not end the process.
func guarded[T any](ctx context.Context, fly func(context.Context) (T, error)) (v T, err error) {
	err = guard.Do(func() error {
		v, err = fly(ctx)
		return err
	})
	return v, err
}
