package collector

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestFlightIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		f := flight[int64]{fly: func(ctx context.Context) (int64, error) {
			n := calls.Add(1)
			select {
			case <-time.After(time.Second):
				return n, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}}
		ask := func(ctx context.Context) chan int64 {
			c := make(chan int64, 1)
			go func() {
				v, err := f.do(ctx)
				if err != nil {
					v = -1
				}
				c <- v
			}()
			return c
		}
		first, leave := context.WithCancel(t.Context())
		a, b := ask(first), ask(t.Context())
		synctest.Wait()
		leave() // the one that began it goes; the other still waits
		if got := <-a; got != -1 {
			t.Errorf("the caller that left got %d", got)
		}
		if got := <-b; got != 1 {
			t.Errorf("the caller that stayed got %d, want the first call's answer", got)
		}
		if got := <-ask(t.Context()); got != 2 {
			t.Errorf("a later caller got %d, want a call of its own", got)
		}
		alone, leave := context.WithCancel(t.Context())
		c := ask(alone)
		synctest.Wait()
		leave()
		<-c
		if got := <-ask(t.Context()); got != 4 {
			t.Errorf("after an abandoned call got %d, want a new call", got)
		}
	})
}

func TestFlightKeepsTheDeadlineAndSurvivesPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := flight[int]{fly: func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.do(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		odd := flight[int]{fly: func(context.Context) (int, error) { panic("odd bytes") }}
		if _, err := odd.do(t.Context()); err == nil || !strings.Contains(err.Error(), "odd bytes") {
			t.Errorf("got %v, want the panic as an error", err)
		}
	})
}

func TestFlightsDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var flying atomic.Int64
		f := flight[int]{fly: func(context.Context) (int, error) {
			defer flying.Add(-1)
			if flying.Add(1) > 1 {
				t.Error("two calls at a time")
			}
			<-time.After(time.Second) // whatever its context says
			return 1, nil
		}}
		within := func(d time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			_, err := f.do(ctx)
			return err
		}
		for _, d := range []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond} {
			if err := within(d); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a call given up after %s: got %v, want its deadline", d, err)
			}
		}
		if err := within(2 * time.Second); err != nil { // until 1 s the first, until 2 s its own
			t.Errorf("after calls that were given up: %v", err)
		}
	})
}
