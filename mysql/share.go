package mysql

import (
	"context"
	"time"
)

// share bounds a step of a round by a time of its own, and by half of what is left of the round: a step that hangs leaves the
// others theirs.
func share(ctx context.Context, own time.Duration) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		own = min(own, time.Until(deadline)/2)
	}
	return context.WithTimeout(ctx, own)
}
