package kafka

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// CommitTrail is what was seen of a watched group's commits since the trail before.
type CommitTrail struct {
	Group string

	Followed bool // commits are seen soon after they were made; false: they are polled, or seen late
	Gapless  bool // each commit since the trail before is here, or will be in a later trail, unless Dropped

	Partitions []PartitionTrail // those with commits, by topic, then partition
}

// PartitionTrail is the part of a CommitTrail on one partition.
type PartitionTrail struct {
	Topic     string
	Partition int32
	Dropped   int64 // the oldest commits, which were too many

	// Commits are the offsets in the order in which the group held them; -1: the commit expired, or was deleted, and nothing is
	// committed any more.
	Commits []int64
}

// On is what was seen on a partition, the zero value if nothing was.
func (t CommitTrail) On(topic string, partition int32) PartitionTrail {
	i, ok := slices.BinarySearchFunc(t.Partitions, PartitionTrail{Topic: topic, Partition: partition}, comparePlaces)
	if !ok {
		return PartitionTrail{Topic: topic, Partition: partition}
	}
	return t.Partitions[i]
}

func comparePlaces(a, b PartitionTrail) int {
	return cmp.Or(strings.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

const (
	seenKept    = 1024    // of one partition
	seenKeptAll = 1 << 17 // of all; more are there only where nobody reads
)

// watchedGroups are the groups whose commits are kept one by one.
type watchedGroups struct {
	groups map[string]*watchedGroup
	kept   int
	taker  any // who was handed some last
}

type watchedGroup struct {
	gapless bool
	topics  places[watchedPart]
}

type watchedPart struct {
	PartitionTrail
	lastAt int64 // of the last commit's record in __consumer_offsets; -1: nothing is committed
}

// watch begins with the groups that are new, and forgets those that are not named any more.
func (w *watchedGroups) watch(names []string) {
	groups := make(map[string]*watchedGroup, len(names))
	for _, name := range names {
		if groups[name] = w.groups[name]; groups[name] == nil {
			groups[name] = newWatchedGroup()
		}
	}
	w.groups, w.kept = groups, 0
	for _, g := range groups {
		w.kept += g.kept()
	}
}

func newWatchedGroup() *watchedGroup {
	return &watchedGroup{topics: places[watchedPart]{}}
}

// kept is how many commits there are.
func (g *watchedGroup) kept() (n int) {
	for _, parts := range g.topics {
		for _, p := range parts {
			n += len(p.Commits)
		}
	}
	return n
}

// see enters a commit, or a tombstone. One whose record is older than that of the last one came with a transaction that
// ended later, and the broker drops it, too.
func (w *watchedGroups) see(c *seenCommit) {
	if w.groups[c.group] == nil {
		return
	}
	if w.kept >= seenKeptAll {
		w.lose(func(string) bool { return true })
	}
	p := w.groups[c.group].topics.of(c, watchedPart{lastAt: -1})
	offset := c.offset
	switch {
	case c.gone:
		offset, p.lastAt = noCommit, -1
	case c.at <= p.lastAt:
		return
	default:
		p.lastAt = c.at
	}
	if len(p.Commits) == seenKept {
		p.Commits = slices.Delete(p.Commits, 0, seenKept/4)
		p.Dropped += seenKept / 4
		w.kept -= seenKept / 4
	}
	p.Commits = append(p.Commits, offset)
	w.kept++
}

// lose forgets what was seen of some groups, or has missed something: the next trails have a gap.
func (w *watchedGroups) lose(which func(group string) bool) {
	for name, g := range w.groups {
		if which(name) {
			w.kept -= g.kept()
			w.groups[name] = newWatchedGroup()
		}
	}
}

// take hands over what was seen of a group.
func (g *watchedGroup) take() (seen []PartitionTrail) {
	for topic, parts := range g.topics {
		for number, p := range parts {
			if len(p.Commits) > 0 {
				p.Topic, p.Partition = topic, number
				seen = append(seen, p.PartitionTrail)
			}
			p.Commits, p.Dropped = nil, 0
			if p.lastAt < 0 {
				delete(parts, number)
			}
		}
	}
	slices.SortFunc(seen, comparePlaces)
	return seen
}

// watchFor names the groups whose commits are kept one by one from now on.
func (f *follower) watchFor(groups []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watched.watch(groups)
}

// loseWatched notes that commits were missed in a partition of __consumer_offsets.
func (f *follower) loseWatched(log int32) {
	f.watched.lose(func(group string) bool { return logPartition(group, len(f.parts)) == int(log) })
}

// takeTrails hands over what was seen of the watched groups, by name.
func (f *follower) takeTrails(taker any, now time.Time) []CommitTrail {
	f.mu.Lock()
	defer f.mu.Unlock()
	another := f.watched.taker != taker
	f.watched.taker = taker
	trails := make([]CommitTrail, 0, len(f.watched.groups))
	for _, name := range slices.Sorted(maps.Keys(f.watched.groups)) {
		g := f.watched.groups[name]
		t := CommitTrail{Group: name, Gapless: g.gapless && !another, Partitions: g.take()}
		g.gapless = false
		if len(f.parts) > 0 && f.groups.lets(name) {
			p := f.parts[logPartition(name, len(f.parts))]
			t.Followed = f.state() == following && p.live(now, f.pace.overdue)
			g.gapless = p.position >= 0 // else those until the end is known are missed
		}
		trails = append(trails, t)
	}
	f.watched.kept = 0
	return trails
}

// polledTrails say of groups that nothing is seen between two passes.
func polledTrails(groups []string) []CommitTrail {
	trails := make([]CommitTrail, 0, len(groups))
	for _, name := range slices.Compact(slices.Sorted(slices.Values(groups))) {
		trails = append(trails, CommitTrail{Group: name})
	}
	return trails
}
