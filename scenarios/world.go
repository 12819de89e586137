package scenarios

import (
	"context"
	"errors"

	"truelag/kafka"
)

// ErrCannot says that a world is unable to do an action: no client can ask a real broker for it, say. The case is not
// wrong, it has no place there.
var ErrCannot = errors.New("this world cannot do that")

// World is a cluster with one topic and some groups, on which a case acts. Its methods return when what they did can be
// read by any client, and an error when the cluster refused. They are called one after the other.
type World interface {
	// Client says how the exporter connects.
	Client() kafka.ClientConfig

	// Topic is the name that the case's topic t has here, Group that of a group of the case: a prefix and the name. Many
	// cases may share one real cluster. The topic exists from the start, with one partition.
	Topic() string
	Group(name string) string

	// Surplus is how many plain records a partition's log ends with that the case does not know of: a real cleaner
	// touches nothing that is not followed by others.
	Surplus(partition int32) int64

	Partitions(ctx context.Context, a Partitions) error
	Append(ctx context.Context, a Append) error
	End(ctx context.Context, a End) error
	Commit(ctx context.Context, a Commit) error
	Uncommit(ctx context.Context, a Uncommit) error
	Compact(ctx context.Context, a Compact) error
	DeleteBefore(ctx context.Context, a DeleteBefore) error
	SkipTo(ctx context.Context, a SkipTo) error
	Recreate(ctx context.Context, a Recreate) error
	DeleteTopic(ctx context.Context) error
	Truncate(ctx context.Context, a Truncate) error
	Leaderless(ctx context.Context, a Leaderless) error
	Deny(ctx context.Context, a Deny) error
	OldFormat(ctx context.Context, a OldFormat) error
}
