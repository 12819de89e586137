package collector

import (
	"maps"
	"time"
)

// groupRounds is how many rounds in a row it takes to believe in a group.
const groupRounds = 3

// partitionKey is a partition of one Kafka cluster's topic.
type partitionKey struct {
	Topic     string
	Partition int32
}

// groupCommit is a group's commit. Flink tells no leader epoch with its own: -1.
type groupCommit struct {
	Offset      int64
	LeaderEpoch int32
}

// groupRound is what one reading says of a source and of the groups that might be its own.
type groupRound struct {
	At    time.Time // when the commits were read
	After time.Time // the earliest time at which the source may have said what it says; zero: At

	Committed map[partitionKey]int64 // Flink's committedOffset; where negative, none is acknowledged

	// Groups are all that have a commit on any of the source's partitions. A group whose commits could not be read is left out.
	Groups map[groupKey]map[partitionKey]groupCommit
}

// groupInference finds the group whose commits a source acknowledges, by the offsets alone. A round counts only when some
// acknowledged offset has moved: at rest, many groups have the same commits. A group is right in a round when it has or had,
// within the least patience, each offset that the source says is committed, and no standing commit that Flink cannot have
// made. Of those that are right, the ones that were seen at most of the moved offsets are ahead of the others.
//
// A group is believed after three rounds in which it was ahead, unless another was as often; and until another one has
// taken its place, itself being wrong.
type groupInference struct {
	committed  map[partitionKey]int64 // of the last round
	candidates map[groupKey]*groupCandidate
	believed   *groupKey
}

type groupCandidate struct {
	held    map[partitionKey]*held
	ahead   int // rounds in a row
	wrong   int // rounds in a row
	missing int // readings in a row
}

// maxMissing is in how many readings in a row a group may be missing before it is forgotten.
const maxMissing = 20

// observe takes a round and says which group is believed; false: none is.
func (g *groupInference) observe(r groupRound) (groupKey, bool) {
	if r.After.IsZero() {
		r.After = r.At
	}
	g.hold(&r)
	if moved := g.move(r.Committed); len(moved) > 0 {
		g.rate(&r, moved)
		g.choose()
	}
	if g.believed == nil {
		return groupKey{}, false
	}
	if only, settled := g.settled(); settled { // the commits of all groups of a topic that many jobs read are many
		maps.DeleteFunc(g.candidates, func(key groupKey, _ *groupCandidate) bool { return key != only })
	}
	return *g.believed, true
}

// settled is the group that is believed and was right in the last round that counted: while it is, no other group can take its
// place, and none is to be looked at.
func (g *groupInference) settled() (groupKey, bool) {
	if g.believed == nil {
		return groupKey{}, false
	}
	c := g.candidates[*g.believed]
	return *g.believed, c != nil && c.wrong == 0
}

// hold notes the commits of each group.
func (g *groupInference) hold(r *groupRound) {
	if g.candidates == nil {
		g.candidates = map[groupKey]*groupCandidate{}
	}
	for key, commits := range r.Groups {
		c := g.candidates[key]
		if c == nil {
			c = &groupCandidate{held: map[partitionKey]*held{}}
			g.candidates[key] = c
		}
		c.missing = 0
		for p, commit := range commits {
			if c.held[p] == nil {
				c.held[p] = &held{}
			}
			c.held[p].poll(r.At, commit.Offset)
		}
		for p, h := range c.held {
			if _, there := commits[p]; !there {
				h.poll(r.At, 0)
			}
			h.forget(r.After.Add(-leastPatience))
		}
	}
	for key, c := range g.candidates {
		if _, there := r.Groups[key]; !there {
			if c.missing++; c.missing > maxMissing {
				delete(g.candidates, key)
			}
		}
	}
}

// move notes the source's offsets and returns the partitions whose offset is another than in the last round. A source that
// begins a new attempt, or one that is seen for the first time, has not moved.
func (g *groupInference) move(committed map[partitionKey]int64) []partitionKey {
	var moved []partitionKey
	now := make(map[partitionKey]int64, len(committed))
	for p, offset := range committed {
		if offset < 0 {
			continue
		}
		now[p] = offset
		if was, ok := g.committed[p]; ok && was != offset {
			moved = append(moved, p)
		}
	}
	g.committed = now
	return moved
}

// rate says of each group that was read whether it is ahead, or wrong.
func (g *groupInference) rate(r *groupRound, moved []partitionKey) {
	since := r.After.Add(-leastPatience)
	seen, most := map[groupKey]int{}, 0
	for key, commits := range r.Groups {
		c := g.candidates[key]
		if !c.right(commits, g.committed, since) {
			c.wrong, c.ahead = c.wrong+1, 0
			continue
		}
		c.wrong = 0
		n := 0
		for _, p := range moved {
			if h := c.held[p]; h != nil && h.saw(g.committed[p], since) {
				n++
			}
		}
		seen[key], most = n, max(most, n)
	}
	for key, n := range seen {
		if c := g.candidates[key]; n == most {
			c.ahead++
		} else {
			c.ahead = 0
		}
	}
}

// right says that a group may be the source's.
func (c *groupCandidate) right(commits map[partitionKey]groupCommit, committed map[partitionKey]int64, since time.Time) bool {
	for p, offset := range committed {
		h := c.held[p]
		if h == nil && offset > 0 || h != nil && !h.admits(offset, since) {
			return false
		}
		if commit, ok := commits[p]; ok && commit.LeaderEpoch >= 0 {
			return false
		}
	}
	return true
}

// choose believes in the only group that has been ahead for long enough.
func (g *groupInference) choose() {
	var best []groupKey
	for key, c := range g.candidates {
		if c.ahead >= groupRounds {
			best = append(best, key)
		}
	}
	if g.believed != nil {
		c := g.candidates[*g.believed]
		if len(best) == 0 || c != nil && c.wrong < groupRounds {
			return
		}
	}
	g.believed = nil
	if len(best) == 1 {
		g.believed = &best[0]
	}
}
