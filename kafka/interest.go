package kafka

import (
	"context"
	"time"
)

// Interest is what a caller wants to know of a pass beside what every Reading tells.
type Interest struct {
	// Ask has questions, which may come of the commits, ends and trails of this very pass: it is called once those are in the
	// Reading, which is not whole yet, and before the logs are looked at. The answers stand in the Reading, in the order of the
	// questions. What they need of a log is read like what lies between commits and ends, out of the same budget, and is kept
	// while it is asked again. Nil: nothing is asked.
	Ask func(*Reading) []Question

	// Watch names the groups whose commits are kept one by one, if commits are followed, from this pass on until an
	// Interest does not name them any more. A pass without an Interest changes nothing, and takes none of them.
	Watch []string

	// Watcher is who watches them, by a value that is its own. A commit is handed out once: where another one has taken some
	// meanwhile, the trails of this pass have a gap. Nil: there is only one.
	Watcher any
}

// ReadFor makes a pass like Read, and says in the Reading what the caller is interested in. When it fails, nothing is asked, and
// no commit is taken from the trails.
func (c *Cluster) ReadFor(ctx context.Context, in Interest) (*Reading, error) {
	return c.read(ctx, &in)
}

// questions are what is asked of a pass that has come as far as r.
func (in *Interest) questions(r *Reading) []Question {
	if in == nil || in.Ask == nil {
		return nil
	}
	return in.Ask(r)
}

// watchFor tells the follower which groups somebody is interested in.
func (c *Cluster) watchFor(in *Interest) {
	if in != nil && c.follower != nil {
		c.follower.watchFor(in.Watch)
	}
}

// trails are the commits that were seen of the watched groups.
func (c *Cluster) trails(in *Interest) []CommitTrail {
	if in == nil || len(in.Watch) == 0 {
		return nil
	}
	if c.follower == nil {
		return polledTrails(in.Watch)
	}
	return c.follower.takeTrails(in.Watcher, time.Now())
}
