package kafka

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// While the follower does not keep up, what the polls find counts, and what the follower then comes to does not count again.
func TestChangesBetweenFollowingAndPolling(t *testing.T) {
	for _, overdue := range []time.Duration{0, time.Hour} {
		t.Run(fmt.Sprint("overdue after ", overdue), func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.reader.follower.pace.overdue = overdue
			b.committed("g", 8)
			b.keepUp()
			b.read()
			b.stop()
			b.committed("g", 3)
			b.read()
			b.read() // has seen where the log ends, and that nobody follows
			polled := findings(t, b.read(), "g")
			if want := map[bool]int64{true: 0, false: 1}[overdue > 0]; polled.rewinds != want {
				t.Errorf("%d rewinds counted while nobody follows, want %d", polled.rewinds, want)
			}
			b.committed("g", 5)
			b.start()
			b.keepUp()
			b.read()
			if got := findings(t, b.read(), "g"); got != (found{3, 1, 5, 5}) {
				t.Errorf("got %+v, want one rewind", got)
			}
			b.committed("g", 4)
			b.keepUp()
			if got := findings(t, b.read(), "g"); got != (found{4, 2, 6, 6}) {
				t.Errorf("got %+v, want the second one, too", got)
			}
		})
	}
}

// A follower whose position is gone begins at the end, and histories begin anew.
func TestPositionThatIsGone(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	b.committed("g", 8)
	b.keepUp()
	b.read()
	b.stop()
	fault := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: commitTopic, Err: kerr.OffsetOutOfRange, Count: -1})
	b.logged("g", 3)
	b.logged("g", 9)
	b.committed("g", 7)
	b.start()
	b.await("Fetches were refused", func() bool { return fault.Hits() >= 3 }) // one may be from before the stop
	fault.Remove()
	b.keepUp()
	b.read()
	if got := findings(t, b.read(), "g"); got != (found{1, 0, 0, 0}) {
		t.Errorf("got %+v, want no event", got)
	}
	b.committed("g", 6)
	b.keepUp()
	if got := findings(t, b.read(), "g"); got != (found{2, 1, 1, 1}) {
		t.Errorf("got %+v, want the rewind after it", got)
	}
}

// A __consumer_offsets of another identity is no reason for events, and is followed.
func TestCommitsLogMadeAnew(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	for range 20 {
		b.logged("g", 8)
	}
	b.committed("g", 8)
	b.keepUp()
	b.read()
	if err := b.cluster.DeleteTopic(commitTopic); err != nil {
		t.Fatal(err)
	}
	b.create()
	b.fresh()
	b.committed("g", 3)
	b.keepUp()
	b.read()
	before := findings(t, b.read(), "g")
	if before.rewinds > 1 { // the poll may have seen one
		t.Errorf("%d rewinds of one", before.rewinds)
	}
	b.logged("g", 9)
	b.committed("g", 2)
	b.keepUp()
	if got := findings(t, b.read(), "g"); got.rewinds != before.rewinds+1 || got.rewound != before.rewound+7 {
		t.Errorf("got %+v after %+v, want one rewind of 7 more", got, before)
	}
}

// Leaders that move and brokers that close connections cost time, and nothing is invented or lost.
func TestFollowerSurvives(t *testing.T) {
	for name, disturb := range map[string]func(b *followedBed) (end func()){
		"leaders move": func(b *followedBed) func() {
			for p := range int32(b.logs) {
				if err := b.cluster.MoveTopicPartition(commitTopic, p, (p+1)%3); err != nil {
					b.t.Fatal(err)
				}
			}
			return func() {}
		},
		"a Fetch is answered by nobody": func(b *followedBed) func() {
			var over sync.Once
			ended := make(chan struct{})
			b.cluster.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
				select {
				case <-ended:
					return nil, nil, false
				default:
					b.cluster.KeepControl()
					return nil, fmt.Errorf("closed"), true
				}
			})
			return func() { over.Do(func() { close(ended) }) }
		},
		"leaders are not known": func(b *followedBed) func() {
			return b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch, kmsg.Metadata}, Topic: commitTopic, Err: kerr.LeaderNotAvailable, Count: -1}).Remove
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFollowed(t, Config{}, 10, kfake.NumBrokers(3))
			group := func() *groupTrails {
				b.reader.follower.mu.Lock()
				defer b.reader.follower.mu.Unlock()
				return b.reader.follower.trails["g"]
			}
			b.logged("g", 8)
			b.keepUp()
			over := disturb(b)
			b.logged("g", 3)
			over()
			b.logged("g", 9)
			b.keepUp()
			tr := group().topics["t"][0]
			if tr.commits != 3 || len(tr.steps) != 1 || tr.steps[0].from != 8 || tr.steps[0].to != 3 || tr.last != 9 {
				t.Errorf("trail %+v, want all three commits", tr)
			}
		})
	}
}

// Without READ or DESCRIBE commits are polled; the log says it once, and what is granted later is used.
func TestFollowerIsDenied(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Fetch, kmsg.Metadata} {
		t.Run(kmsg.NameForKey(key.Int16()), func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.committed("g", 8)
			b.keepUp()
			b.read()
			b.stop()
			fault := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: commitTopic, Err: kerr.TopicAuthorizationFailed, Count: -1})
			b.start()
			b.await("it was refused three times", func() bool { return fault.Hits() >= 3 })
			b.committed("g", 3)
			b.read()
			r := b.read()
			if got := r.Follower; got.State != FollowerDenied || got.Behind != -1 {
				t.Errorf("the follower says %+v", got)
			}
			if l := r.lag(t, "g", "t"); l.Followed || l.Partitions[0].Rewinds != 1 || l.Rewound != 5 {
				t.Errorf("got %+v, want the rewind that the poll has found", l)
			}
			if !b.reader.CaughtUp() {
				t.Error("there is nothing to wait for")
			}
			if n := b.output.count("Commits are not followed"); n != 1 {
				t.Errorf("%d lines about it", n)
			}
			if r.Ledger.Errors[Failure{kmsg.NameForKey(key.Int16()), "TOPIC_AUTHORIZATION_FAILED"}] < 2 {
				t.Errorf("not counted: %v", r.Ledger.Errors)
			}
			fault.Remove()
			b.keepUp()
			b.read() // without DESCRIBE nobody knew until here where the log ended when commits were polled
			b.logged("g", 1)
			b.committed("g", 9)
			b.keepUp()
			b.read()
			r = b.read()
			if got := findings(t, r, "g"); got.rewinds != 2 || got.rewound != 7 || r.Follower.State != FollowerFollowing {
				t.Errorf("got %+v in state %v, want a second rewind", got, r.Follower.State)
			}
		})
	}
}

// While a follower that was refused tries again, it is still refused.
func TestFollowerThatIsRefusedTriesAgain(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	b.stop()
	fault := b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: commitTopic, Err: kerr.TopicAuthorizationFailed, Count: -1})
	b.start()
	b.await("it is denied", func() bool { return b.reader.follower.status(time.Now()).State == FollowerDenied })
	asked, release := make(chan struct{}, 1), make(chan struct{})
	b.cluster.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.cluster.KeepControl()
		select {
		case asked <- struct{}{}:
		default:
		}
		b.cluster.SleepControl(func() { <-release })
		return nil, nil, false
	})
	<-asked
	if got := b.read().Follower; got.State != FollowerDenied || got.Behind != -1 {
		t.Errorf("while it asks, the follower says %+v", got)
	}
	fault.Remove()
	close(release)
	b.await("it follows", func() bool { return b.reader.follower.status(time.Now()).State == FollowerFollowing })
}

// A topic that does not exist costs no request: the pass that finds it says so.
func TestFollowerWithoutATopic(t *testing.T) {
	cfg := Config{Follow: true}
	b := &followedBed{fake: newFake(t, cfg, kfake.NumBrokers(1)), logs: 4, output: &lines{}}
	b.reader.follower.pace = quickPace
	b.reader.follower.pace.denied = time.Hour
	b.start()
	b.await("it is missed", b.reader.CaughtUp)
	if r := b.read(); r.Follower.State != FollowerMissing || r.Follower.Behind != -1 {
		t.Errorf("the follower says %+v", r.Follower)
	}
	b.create()
	b.await("it is followed", func() bool { return b.read().Follower.State == FollowerFollowing })
	b.keepUp()
	if r := b.read(); r.Follower.State != FollowerFollowing || r.Follower.Behind != 0 {
		t.Errorf("the follower says %+v", r.Follower)
	}
}

// What is under way when the following ends, as each reload may end it, is no trouble of the cluster's.
func TestFollowerEndsInSilence(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Metadata, kmsg.Fetch} {
		t.Run(key.Name(), func(t *testing.T) {
			b := &followedBed{fake: newFake(t, Config{Follow: true}, kfake.NumBrokers(1)), logs: 4, output: &lines{}}
			b.reader.follower.logger = log.NewLogfmtLogger(b.output)
			b.create()
			asked, release := make(chan struct{}, 100), make(chan struct{})
			defer close(release)
			b.cluster.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
				b.cluster.KeepControl()
				asked <- struct{}{}
				b.cluster.SleepControl(func() { <-release })
				return nil, nil, false
			})
			b.start()
			<-asked
			b.stop()
			if n := b.output.count("level=warn"); n > 0 {
				t.Errorf("the log says\n%s", b.output.out.String())
			}
		})
	}
}

// A cluster that files groups in another way is not followed: the ends by which polled and followed commits are told
// apart would be those of another partition. That is said once, whichever partition shows it, however often it is tried.
func TestFollowerOfAnUnfitCluster(t *testing.T) {
	for _, group := range []string{"d", "e", "f", "g"} { // each in a partition of its own
		t.Run(group, func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			r := b.record(group, commitKey(group, "t", 0), commitValue(3, 8, 1, TopicID{}))
			r.Partition = (r.Partition + 1) % int32(b.logs)
			b.produce(b.client, r)
			b.await("it is told", func() bool { return b.output.count("Commits are not followed") > 0 })
			plans := b.books().Requests["Metadata"]
			b.await("it is tried again", func() bool { return b.books().Requests["Metadata"] >= plans+4 })
			if got := b.reader.follower.status(time.Now()).State; got != FollowerUnfit {
				t.Errorf("while it is tried, the follower is %s", got)
			}
			for line, want := range map[string]int{"Commits are not followed": 1, "Commits are followed": 1} {
				if n := b.output.count(line); n != want {
					t.Errorf("%q %d times, want %d", line, n, want)
				}
			}
		})
	}
}
