package mysql

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// guarded turns a panic into an error: what a server or a consumer sends must not end the process.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// share bounds a step of a round by a time of its own, and by half of what is left of the round: a step that hangs leaves the
// others theirs.
func share(ctx context.Context, own time.Duration) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		own = min(own, time.Until(deadline)/2)
	}
	return context.WithTimeout(ctx, own)
}
