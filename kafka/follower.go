package kafka

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/guard"
)

// commitTopic is the topic in which a cluster keeps the commits of its groups.
const commitTopic = "__consumer_offsets"

// follower reads __consumer_offsets from the end on and keeps, for the next pass, what happened to each group's commits.
// It reads uncommitted: behind one transaction that hangs, plain commits go on, and a reader of committed records would
// see none of them. Commits in transactions are held back until their marker instead.
//
// It asks each leader by raw Fetch requests, over a client of its own, since a Fetch that waits for data makes others
// wait on the same connection. It never ends by itself: a broker that is down, a leader that moves and an answer that
// makes no sense cost time or, at the worst, a gap in what was seen, which is then said (collected.anew).
type follower struct {
	reader *reader // sends the requests
	groups *sieve
	topics *sieve
	logger log.Logger
	pace   pace

	stale   chan struct{} // holds a token when the leaders should be looked up again
	created chan struct{} // holds one when a pass has found the topic, which did not exist

	// What follows is guarded by mu, which is never held across I/O.
	mu      sync.Mutex
	off     FollowerState // why commits are not followed; following: they are, or it is tried again
	refusal FollowerState // denied or unfit, as which the following ended last and which nothing has disproved; starting: neither
	topic   TopicID
	parts   []*logPart // the index is the partition's number
	legs    map[int32]bool
	trails  trails
	dead    int // trails that ended in a tombstone
	records [commitRecordKinds]int64
	began   time.Time
	ready   bool // the ends at the start were reached once
	told    bool // the log knows that commits are followed
	said    map[string]time.Time
	odd     map[string]bool // what the log was told of undecodable records
	watched watchedGroups
}

// pace is how fast a follower does things. Tests are in a hurry.
type pace struct {
	wait    time.Duration // that a Fetch may wait for data
	replan  time.Duration // between two looks for leaders, at least
	refresh time.Duration // and at most
	denied  time.Duration // before the next try when something must change on the cluster first
	overdue time.Duration // see logPart.live
}

var steadyPace = pace{
	wait: 500 * time.Millisecond, replan: time.Second, refresh: 5 * time.Minute,
	denied: 5 * time.Minute, overdue: 30 * time.Second,
}

// openFollower makes a follower of the groups and topics that a reader's configuration lets through.
func openFollower(cfg readerConfig, opts []kgo.Opt, books *books, logger log.Logger) (*follower, error) {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	return newFollower(newReader(client, cfg, books, logger)), nil
}

// newFollower makes a follower that asks by a reader whose client nobody else uses.
func newFollower(r *reader) *follower {
	return &follower{
		reader: r, groups: newSieve(r.config.Groups), topics: newSieve(r.config.Topics), logger: r.logger, pace: steadyPace,
		stale: make(chan struct{}, 1), created: make(chan struct{}, 1), off: FollowerStarting, legs: map[int32]bool{}, trails: trails{},
		said: map[string]time.Time{}, odd: map[string]bool{},
	}
}

// close ends the connections.
func (f *follower) close() { f.reader.wire.client.Close() }

// errUnfit is the error of a cluster that does not file groups as Apache Kafka does.
var errUnfit = errors.New("groups are not filed by the hash of their names")

// run follows until the context ends.
func (f *follower) run(ctx context.Context) {
	var legs sync.WaitGroup
	defer legs.Wait()
	for tries := 0; ctx.Err() == nil; {
		err := guard.Do(func() error { return f.plan(ctx, &legs) })
		if ctx.Err() != nil {
			return // what a plan that was cut off says is no trouble
		}
		tries++
		if err == nil {
			tries = 0
		}
		f.rest(ctx, f.judge(err, tries))
	}
}

// judge says what the outcome of a plan means and how long it holds.
func (f *follower) judge(err error, tries int) time.Duration {
	switch {
	case err == nil && f.whole():
		return f.pace.refresh
	case err == nil: // nobody will say that a leader is back
		return f.pace.replan * leaderless
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		f.switchOff(FollowerDenied, err)
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		f.switchOff(FollowerMissing, err)
	default:
		f.say("Commits are not followed for the moment", err, time.Hour)
		return f.pace.replan * time.Duration(min(tries, 10))
	}
	return 0
}

// leaderless is how many times longer the next plan may wait while a partition has no leader.
const leaderless = 5

// whole says that every partition has somebody who asks for it.
func (f *follower) whole() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !slices.ContainsFunc(f.parts, func(p *logPart) bool { return p.leader < 0 || p.position < 0 })
}

// rest waits until it is time for the next plan: after d, or earlier when the plan has become stale, or when whatever
// switched the follower off may have changed.
func (f *follower) rest(ctx context.Context, d time.Duration) {
	if d > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(d):
		case <-f.stale:
		}
	}
	f.mu.Lock()
	off := f.off
	f.mu.Unlock()
	if d = f.pace.denied; off.On() {
		d = f.pace.replan
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	case <-f.created:
	}
	select {
	case <-f.stale:
	default:
	}
}

// outdate asks for a new plan.
func (f *follower) outdate() {
	select {
	case f.stale <- struct{}{}:
	default:
	}
}

// switchOff ends the following until the next plan. What the brokers answer then decides.
func (f *follower) switchOff(why FollowerState, err error) {
	f.mu.Lock()
	if f.off, f.told = why, false; why != FollowerMissing {
		f.refusal = why
	}
	f.mu.Unlock()
	f.outdate()
	if why != FollowerMissing {
		f.say("Commits are not followed: rewinds between two scrapes are not seen", err, 24*time.Hour)
	}
}

// state says whether commits are followed. While it is only tried again, what has refused it before may do so again, so it
// is still refused: a scrape that falls into that moment must not take what it polls for what is followed.
func (f *follower) state() FollowerState {
	if f.off == following && !f.told && f.refusal != FollowerStarting {
		return f.refusal
	}
	return f.off
}

// say logs what is new, or was said long ago.
func (f *follower) say(msg string, err error, again time.Duration) {
	what, now := msg+failureName(err), time.Now()
	f.mu.Lock()
	at, said := f.said[what]
	said = said && now.Sub(at) < again
	if !said {
		f.said[what] = now
	}
	f.mu.Unlock()
	if !said {
		level.Warn(f.logger).Log("msg", msg, "topic", commitTopic, "err", err)
	}
}

// arrive notes when the ends at the start are reached, and tells the log when commits are followed, or are so again.
func (f *follower) arrive() {
	if f.told {
		return
	}
	for _, p := range f.parts {
		if p.position >= 0 && !p.reached {
			return
		}
	}
	f.ready, f.told, f.refusal = true, true, FollowerStarting
	clear(f.said)
	level.Info(f.logger).Log("msg", "Commits are followed", "topic", commitTopic, "partitions", len(f.parts))
}

// caughtUp says that there is no reason to wait: the ends at the start were reached once, or commits cannot be followed, or
// something takes so long that it is not the start any more.
func (f *follower) caughtUp(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ready || !f.state().On() || !f.began.IsZero() && now.Sub(f.began) >= f.pace.overdue
}
