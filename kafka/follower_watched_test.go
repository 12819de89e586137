package kafka

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

var watchG = Interest{Watch: []string{"g"}}

// trail is what a Reading tells of the only watched group, once the follower has read all that there is.
func (b *followedBed) trail(in Interest) CommitTrail {
	b.t.Helper()
	b.keepUp()
	r := b.readFor(in)
	if len(r.Trails) != 1 || r.Trails[0].Group != in.Watch[0] {
		b.t.Fatalf("%d trails, want that of %s: %+v", len(r.Trails), in.Watch[0], r.Trails)
	}
	return r.Trails[0]
}

func TestTrailsOfWatchedGroups(t *testing.T) {
	id := TopicID{7}
	for _, c := range []struct {
		name string
		then func(b *followedBed)
		want []int64
	}{
		{"nothing happens", func(*followedBed) {}, nil},
		{"commits that no poll sees", func(b *followedBed) {
			b.logged("g", 3)
			b.logged("g", 3)
			b.logged("g", 1)
			b.committed("g", 9)
		}, []int64{3, 3, 1, 9}},
		{"a deletion", func(b *followedBed) {
			b.logged("g", 3)
			b.tombstone("g")
			b.logged("g", 2)
		}, []int64{3, -1, 2}},
		{"another group", func(b *followedBed) { b.logged("h", 3) }, nil},
		{"passes that others make take none", func(b *followedBed) {
			b.logged("g", 3)
			b.keepUp()
			b.read()
			b.logged("g", 4)
		}, []int64{3, 4}},
		{"nor does one that fails", func(b *followedBed) {
			b.logged("g", 3)
			b.keepUp()
			ctx, cancel := context.WithCancel(b.t.Context())
			cancel()
			if _, err := b.reader.ReadFor(ctx, watchG); err == nil {
				b.t.Error("the pass has not failed")
			}
			b.logged("g", 4)
		}, []int64{3, 4}},
		{"a transaction counts when it is committed, with its last commit", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 1)
			b.loggedIn(p, "g", 3)
			b.finish(p, kgo.TryCommit)
			b.logged("g", 9)
		}, []int64{3, 9}},
		{"an aborted one does not, nor one that is open", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.finish(p, kgo.TryAbort)
			b.loggedIn(b.begin("y"), "g", 4)
			b.logged("g", 9)
		}, []int64{9}},
		{"nor one that ends after a later commit", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.logged("g", 9)
			b.trail(watchG)
			b.finish(p, kgo.TryCommit)
		}, nil},
		{"but it does after a deletion", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.tombstone("g")
			b.trail(watchG)
			b.finish(p, kgo.TryCommit)
		}, []int64{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.committed("g", 8)
			if first := b.trail(watchG); first.Gapless || !first.Followed || len(first.Partitions) > 0 {
				t.Fatalf("it was not watched before: %+v", first)
			}
			c.then(b)
			got := b.trail(watchG)
			if !slices.Equal(got.On("t", 0).Commits, c.want) || !got.Followed || !got.Gapless {
				t.Errorf("got %+v, want %v", got, c.want)
			}
			if again := b.trail(watchG); len(again.Partitions) > 0 || !again.Gapless {
				t.Errorf("handed out a second time: %+v", again)
			}
			b.produce(b.client, b.record("g", commitKey("g", "t", 0), commitValue(4, 5, 1, id)))
			if got := b.trail(watchG).On("t", 0).Commits; !slices.Equal(got, []int64{5}) {
				t.Errorf("with a topic's identity: %v", got)
			}
		})
	}
}

// What is kept is bounded. The newest stay, and what was dropped is told.
func TestTrailsAreBounded(t *testing.T) {
	b := newFollowed(t, Config{}, 1)
	b.trail(watchG)
	const n = seenKept + 10
	for i := range int64(n) {
		r := b.record("g", commitKey("g", "t", 0), commitValue(3, i, 1, TopicID{}))
		b.client.Produce(t.Context(), r, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	b.must(b.client.Flush(t.Context()))
	got := b.trail(watchG)
	p := got.On("t", 0)
	if len(p.Commits) > seenKept || p.Dropped != seenKept/4 || int64(len(p.Commits))+p.Dropped != n || p.Commits[len(p.Commits)-1] != n-1 || !got.Gapless {
		t.Errorf("%d commits, %d dropped, gapless %v", len(p.Commits), p.Dropped, got.Gapless)
	}

	w := watchedGroups{}
	w.watch([]string{"a", "b"})
	for _, g := range w.groups {
		g.gapless = true
	}
	for i := range seenKeptAll + 1 {
		w.see(&seenCommit{group: "a", topic: fmt.Sprint(i % 1000), at: int64(i)})
		if w.kept > seenKeptAll {
			t.Fatalf("%d commits are kept", w.kept)
		}
	}
	if w.kept != 1 || w.groups["a"].gapless || w.groups["b"].gapless {
		t.Errorf("%d are kept after there were too many, and no gap is told: %+v", w.kept, w.groups)
	}
}

// A group that is named no more costs nothing, and begins anew when it is named again.
func TestGroupsThatAreNotWatchedAnyMore(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	b.trail(watchG)
	b.logged("g", 3)
	if got := b.trail(Interest{Watch: []string{"h"}}); got.Gapless || len(got.Partitions) > 0 {
		t.Errorf("%+v", got)
	}
	b.logged("g", 4)
	if got := b.trail(watchG); got.Gapless || len(got.Partitions) > 0 {
		t.Errorf("%+v", got)
	}
	b.logged("g", 5)
	b.keepUp()
	if r := b.readFor(Interest{}); len(r.Trails) > 0 {
		t.Errorf("nobody is watched: %+v", r.Trails)
	}
	if n := len(b.reader.follower.watched.groups) + b.reader.follower.watched.kept; n > 0 {
		t.Errorf("%d groups and commits are kept for nobody", n)
	}
}

// Two generations of a configuration may read at the same time: each hears that the other has taken commits.
func TestTrailsOfTwoWatchers(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	older, newer := watchG, watchG
	older.Watcher, newer.Watcher = "older", "newer"
	for i, c := range []struct {
		in      Interest
		gapless bool
	}{{older, false}, {older, true}, {newer, false}, {older, false}, {newer, false}, {newer, true}} {
		got := b.trail(c.in)
		if got.Gapless != c.gapless {
			t.Errorf("trail %d, of the %s one: gapless is %v", i, c.in.Watcher, got.Gapless)
		}
		b.logged("g", int64(i))
	}
}

// Where commits may have been missed, the trail says so, once.
func TestTrailsWithGaps(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(b *followedBed)
	}{
		{"the commits' topic is made anew", func(b *followedBed) {
			b.must(b.cluster.DeleteTopic(commitTopic))
			b.create()
			b.fresh()
			b.reader.follower.outdate()
		}},
		{"the position is gone", func(b *followedBed) {
			b.stop()
			b.logged("g", 3)
			log := int32(logPartition("g", b.logs))
			b.must(b.cluster.DeleteRecords(commitTopic, log, b.cluster.PartitionInfo(commitTopic, log).HighWatermark))
			b.start()
		}},
		{"a commit of a version that is not known", func(b *followedBed) {
			b.produce(b.client, b.record("g", commitKey("g", "t", 0), []byte{0, 99, 1}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.logged("g", 1)
			b.trail(watchG)
			b.trail(watchG)
			c.then(b)
			b.await("a trail with a gap", func() bool { return !b.trail(watchG).Gapless })
			b.await("one without", func() bool { return b.trail(watchG).Gapless })
			b.logged("g", 5)
			if got := b.trail(watchG); !slices.Equal(got.On("t", 0).Commits, []int64{5}) || !got.Gapless {
				t.Errorf("%+v", got)
			}
		})
	}
}

// What a trail lacks of the newest commits comes later.
func TestTrailsThatAreBehind(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	b.trail(watchG)
	b.stop()
	b.committed("g", 3)
	if got := b.readFor(watchG).Trails[0]; len(got.Partitions) > 0 {
		t.Errorf("nobody follows: %+v", got)
	}
	b.start()
	if got := b.trail(watchG); !got.Gapless || !slices.Equal(got.On("t", 0).Commits, []int64{3}) {
		t.Errorf("%+v", got)
	}
}

func TestTrailsWhereCommitsArePolled(t *testing.T) {
	f := newFake(t, Config{})
	f.commit("g", 0, 0)
	r := f.readFor(Interest{Watch: []string{"h", "g", "h"}})
	want := []CommitTrail{{Group: "g"}, {Group: "h"}}
	if !slices.EqualFunc(r.Trails, want, func(a, b CommitTrail) bool {
		return a.Group == b.Group && !a.Followed && !a.Gapless && a.Partitions == nil
	}) {
		t.Errorf("%+v", r.Trails)
	}
}
