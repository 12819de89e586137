package scenarios

import (
	"context"

	"go.yaml.in/yaml/v3"
)

// Action changes a world.
type Action interface {
	Do(ctx context.Context, w World) error
}

// The actions of a case. README.md says how they are written.
type (
	// Partitions gives the topic so many partitions.
	Partitions struct{ Count int32 }

	// Append writes one batch of one-byte records, in transaction Txn unless that is empty. A transaction opens at its
	// first use.
	Append struct {
		Partition int32
		Records   int
		Txn       string
	}

	// End commits or aborts a transaction: each partition that it touched gets a marker.
	End struct {
		Txn    string
		Commit bool
	}

	// Commit is a committed offset.
	Commit struct {
		Group     string
		Partition int32
		Offset    int64
	}

	// Uncommit takes a committed offset away.
	Uncommit struct {
		Group     string
		Partition int32
	}

	// Compact removes the entries of the offsets From to To, both inclusive: records as well as markers.
	Compact struct {
		Partition int32
		From, To  int64
	}

	// DeleteBefore moves the log start offset up.
	DeleteBefore struct {
		Partition int32
		Offset    int64
	}

	// SkipTo writes plain records up to the offset before this one.
	SkipTo struct {
		Partition int32
		Offset    int64
	}

	// Recreate deletes the topic, if it is there, and creates it under the same name. Commits stay behind.
	Recreate struct{ Partitions int32 }

	// DeleteTopic deletes the topic. Commits stay behind.
	DeleteTopic struct{}

	// Truncate is an unclean leader election: the log ends at To, and the leader epoch is one higher.
	Truncate struct {
		Partition int32
		To        int64
	}

	// Leaderless takes a partition's leader away.
	Leaderless struct{ Partition int32 }

	// Deny takes a permission away from the exporter.
	Deny struct{ What string }

	// OldFormat writes records in message format 0 or 1: one entry each, or all in one compressed entry.
	OldFormat struct {
		Partition  int32
		Records    int
		Magic      int8
		Compressed bool
	}
)

// What Deny can take away.
const (
	DenyTopic    = "topic"    // requests that name the topic are refused for it; commits on it are still told
	DenyDescribe = "describe" // the same, and commits on the topic are left out too: a real broker without DESCRIBE
	DenyRead     = "read"     // only Fetch is refused
	DenyGroup    = "group"    // requests that name group g are refused for it
)

func (a Partitions) Do(ctx context.Context, w World) error   { return w.Partitions(ctx, a) }
func (a Append) Do(ctx context.Context, w World) error       { return w.Append(ctx, a) }
func (a End) Do(ctx context.Context, w World) error          { return w.End(ctx, a) }
func (a Commit) Do(ctx context.Context, w World) error       { return w.Commit(ctx, a) }
func (a Uncommit) Do(ctx context.Context, w World) error     { return w.Uncommit(ctx, a) }
func (a Compact) Do(ctx context.Context, w World) error      { return w.Compact(ctx, a) }
func (a DeleteBefore) Do(ctx context.Context, w World) error { return w.DeleteBefore(ctx, a) }
func (a SkipTo) Do(ctx context.Context, w World) error       { return w.SkipTo(ctx, a) }
func (a Recreate) Do(ctx context.Context, w World) error     { return w.Recreate(ctx, a) }
func (a DeleteTopic) Do(ctx context.Context, w World) error  { return w.DeleteTopic(ctx) }
func (a Truncate) Do(ctx context.Context, w World) error     { return w.Truncate(ctx, a) }
func (a Leaderless) Do(ctx context.Context, w World) error   { return w.Leaderless(ctx, a) }
func (a Deny) Do(ctx context.Context, w World) error         { return w.Deny(ctx, a) }
func (a OldFormat) Do(ctx context.Context, w World) error    { return w.OldFormat(ctx, a) }

// actions reads each action by its name.
var actions = map[string]func(n *yaml.Node) (Action, error){
	"partitions": func(n *yaml.Node) (Action, error) {
		var a Partitions
		return &a, atLeast(1, &a.Count)(n)
	},
	"append": func(n *yaml.Node) (Action, error) {
		var a Append
		return &a, fields(n, "append", map[string]reader{
			"partition": atLeast(0, &a.Partition), "records": atLeast(1, &a.Records), "txn": into(&a.Txn),
		}, "records")
	},
	"end": func(n *yaml.Node) (Action, error) {
		var a End
		return &a, fields(n, "end", map[string]reader{"txn": into(&a.Txn), "commit": into(&a.Commit)}, "txn", "commit")
	},
	"commit": func(n *yaml.Node) (Action, error) {
		a := Commit{Group: "g"}
		return &a, short(n, "commit", "offset", map[string]reader{
			"partition": atLeast(0, &a.Partition), "offset": atLeast(0, &a.Offset), "group": into(&a.Group),
		}, "offset")
	},
	"uncommit": func(n *yaml.Node) (Action, error) {
		a := Uncommit{Group: "g"}
		return &a, short(n, "uncommit", "partition", map[string]reader{
			"partition": atLeast(0, &a.Partition), "group": into(&a.Group),
		})
	},
	"compact": func(n *yaml.Node) (Action, error) {
		var a Compact
		err := fields(n, "compact", map[string]reader{
			"partition": atLeast(0, &a.Partition), "from": atLeast(0, &a.From), "to": atLeast(0, &a.To),
		}, "from", "to")
		if err == nil && a.To < a.From {
			err = wrong(n, "compact: from %d is above to %d", a.From, a.To)
		}
		return &a, err
	},
	"delete_before": func(n *yaml.Node) (Action, error) {
		var a DeleteBefore
		return &a, short(n, "delete_before", "offset", map[string]reader{
			"partition": atLeast(0, &a.Partition), "offset": atLeast(0, &a.Offset),
		}, "offset")
	},
	"skip_to": func(n *yaml.Node) (Action, error) {
		var a SkipTo
		return &a, short(n, "skip_to", "offset", map[string]reader{
			"partition": atLeast(0, &a.Partition), "offset": atLeast(0, &a.Offset),
		}, "offset")
	},
	"recreate": func(n *yaml.Node) (Action, error) {
		a := Recreate{Partitions: 1}
		return &a, fields(n, "recreate", map[string]reader{"partitions": atLeast(1, &a.Partitions)})
	},
	"delete_topic": func(n *yaml.Node) (Action, error) {
		var yes bool
		if err := into(&yes)(n); err != nil {
			return nil, err
		}
		if !yes {
			return nil, wrong(n, "delete_topic: false does nothing; leave it out")
		}
		return &DeleteTopic{}, nil
	},
	"truncate": func(n *yaml.Node) (Action, error) {
		var a Truncate
		return &a, short(n, "truncate", "to", map[string]reader{
			"partition": atLeast(0, &a.Partition), "to": atLeast(0, &a.To),
		}, "to")
	},
	"leaderless": func(n *yaml.Node) (Action, error) {
		var a Leaderless
		return &a, short(n, "leaderless", "partition", map[string]reader{"partition": atLeast(0, &a.Partition)})
	},
	"deny": func(n *yaml.Node) (Action, error) {
		var a Deny
		return &a, oneOf(&a.What, DenyTopic, DenyDescribe, DenyRead, DenyGroup)(n)
	},
	"old_format": func(n *yaml.Node) (Action, error) {
		a := OldFormat{Magic: 1}
		err := fields(n, "old_format", map[string]reader{
			"partition": atLeast(0, &a.Partition), "records": atLeast(1, &a.Records),
			"magic": into(&a.Magic), "compressed": into(&a.Compressed),
		}, "records")
		if err == nil && a.Magic != 0 && a.Magic != 1 {
			err = wrong(n, "old_format: magic is 0 or 1, not %d", a.Magic)
		}
		return &a, err
	},
}

// readActs reads one item of a step's list: mostly one action, but a mapping of several is done in its order.
func readActs(n *yaml.Node) (acts []Act, err error) {
	err = eachField(n, "an action", func(name string, at, value *yaml.Node) error {
		read, ok := actions[name]
		if !ok {
			return wrong(at, "unknown action %q; there are %s", name, names(actions))
		}
		a, err := read(value)
		acts = append(acts, Act{a, name, at.Line})
		return err
	})
	return acts, err
}

// short reads an action that may be written as one scalar instead of a mapping.
func short(n *yaml.Node, what, scalar string, readers map[string]reader, must ...string) error {
	if n.Kind == yaml.ScalarNode {
		return readers[scalar](n)
	}
	return fields(n, what, readers, must...)
}
