// Package kafka reads a Kafka cluster and says how far its consumer groups are behind: in offsets, as every tool does,
// and in records that will still be handed to them, which no other tool knows. It knows no Prometheus.
//
// A Cluster's Read makes one pass. First a Snapshot is read: log start offsets, commits, last stable offsets and high
// watermarks, in that order, so that no number can be an artefact of the reading. Then the batch headers between
// commits and ends are read as far as they are not known yet (index, tail, runs), and commits are compared with those
// of the pass before (tracker). The rest is arithmetic on what was read (standing), and its result, a Reading, is never
// changed again. Between passes, a Cluster's Run follows the commits as they are made (follower).
package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Cluster reads one Kafka cluster.
type Cluster struct {
	config Config
	logger log.Logger
	client *kgo.Client
	reader *reader
	books  *books
	events *events
	last   atomic.Pointer[Reading]

	turn    chan struct{} // holds the one that may read and change what follows
	index   *index
	tracker *tracker
	watch   *watch

	follower *follower // nil: commits are not followed

	novelties    *novelties
	transactions *transactions
	shareLevels  shareLevels
}

// NewCluster makes a cluster's reader. It connects when it is first asked to read. The error is one of the
// configuration: a certificate, a mechanism, an address that cannot be used.
func NewCluster(cfg Config, logger log.Logger) (*Cluster, error) {
	if cfg.Name != "" {
		logger = log.With(logger, "kafka_cluster", cfg.Name)
	}
	cfg.Groups.shard = cfg.Shard
	opts, err := cfg.Client.options(logger)
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		config: cfg, logger: logger, client: client, books: newBooks(), events: newEvents(logger),
		turn: make(chan struct{}, 1), index: newIndex(cfg.Scan), tracker: newTracker(), watch: newWatch(),
		transactions: newTransactions(), shareLevels: shareLevels{},
	}
	c.reader = newReader(client, readerConfig{Groups: cfg.Groups, Topics: cfg.Topics, Follow: cfg.Follow}, c.books, logger)
	c.novelties = newNovelties(c.reader.wire)
	if cfg.Follow {
		if c.follower, err = openFollower(c.reader.config, opts, c.books, logger); err != nil {
			client.Close()
			return nil, err
		}
	}
	return c, nil
}

// Name is which cluster this is; empty where there is only one.
func (c *Cluster) Name() string { return c.config.Name }

// Close ends the connections. A Read that is under way fails; a Run must have ended.
func (c *Cluster) Close() {
	c.client.Close()
	if c.follower != nil {
		c.follower.close()
	}
}

// scanShare is the part of the time that the pass leaves which the scan may take. The rest is for the answer.
const scanShare = 0.75

// Read makes one pass, clearly inside the context's deadline (10 s without one). Only one runs at a time; a second one
// waits for its turn.
//
// It fails only when nothing at all can be said: no broker answers, the credentials are refused, or the context ends.
// The Reading then holds the Ledger alone. Everything smaller stands in its row.
func (c *Cluster) Read(ctx context.Context) (*Reading, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer c.end()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, defaultTime)
		defer cancel()
	}
	c.collect()
	s, err := c.reader.read(ctx)
	if err != nil {
		return &Reading{Snapshot: &Snapshot{}, Follower: c.following(nil), Ledger: c.ledger()}, err
	}
	deadline, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(scanShare*float64(time.Until(deadline))))
	defer cancel()

	follower := c.following(s)
	standings, lower := c.stand(s, follower)
	r := &Reading{Snapshot: s, Shard: c.config.Shard, Follower: follower, Lags: make([]TopicLag, 0, len(standings))}
	work := []func(context.Context){
		func(ctx context.Context) { r.Transactions = c.openTransactions(ctx, s) },
		func(ctx context.Context) { c.readShares(ctx, s) },
	}
	if c.config.Scan.Enabled {
		c.index.begin(s.At, c.partial(s)) // not in the scan: the share groups' states are written beside it
		work = append(work, func(ctx context.Context) { c.scan(ctx, s, standings, lower) })
	}
	within(ctx, 5./6, work...) // rewinds are looked at a second time, however slow the scan is
	c.rewinds(ctx, standings, lower)
	for i := range standings {
		r.Lags = append(r.Lags, standings[i].judge())
	}
	c.events.add(s.At, c.watch.next(r)...)
	r.Ledger = c.ledger()
	c.last.Store(r)
	return r, nil
}

// ledger is what everything has cost and met so far.
func (c *Cluster) ledger() Ledger {
	l := c.books.snapshot()
	l.Events = c.events.counted()
	return l
}

// begin waits for the read before to end.
func (c *Cluster) begin(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the read before to end: %w", context.Cause(ctx))
	}
}

func (c *Cluster) end() { <-c.turn }

// stand lines up what each group has committed on each topic with what is known of the topic, compares the commits with
// those of the pass before, and decides by which isolation level the group is judged.
func (c *Cluster) stand(s *Snapshot, follower *Following) (standings []standing, lower []*rewind) {
	c.tracker.scrape++
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Type == Share || g.CommitsErr != nil {
			continue
		}
		by := sight{live: c.tracker.sees(g.Name), fence: s.fence(g), now: s.At}
		for _, gt := range g.named() {
			topic := s.Topic(gt.Topic)
			if topic == nil {
				continue
			}
			st := standing{group: g, topic: topic, commits: gt.Commits, follows: follower != nil && follower.State.On(), now: s.At}
			if topic.Err == nil {
				var rewinds []*rewind
				st.history, rewinds = c.tracker.observe(g.Name, topic, gt.Commits, by)
				for _, r := range rewinds {
					r.at = len(standings)
				}
				lower = append(lower, rewinds...)
			}
			st.isolation, st.source = c.isolation(&st)
			standings = append(standings, st)
		}
	}
	c.tracker.end(s)
	return standings, lower
}

// isolation is what the configuration says of the group, else what its commits show.
func (c *Cluster) isolation(st *standing) (Isolation, IsolationSource) {
	for _, rule := range c.config.Isolation {
		if rule.Groups.MatchString(st.group.Name) {
			return rule.Isolation, Configured
		}
	}
	if st.history == nil {
		return ReadCommitted, Assumed
	}
	return c.tracker.isolation(st.history, st.topic)
}

// scan reads the batch headers between commits and ends as far as they are not known.
func (c *Cluster) scan(ctx context.Context, s *Snapshot, standings []standing, lower []*rewind) {
	for i := range standings {
		standings[i].want(c.index)
	}
	for _, r := range lower {
		standings[r.at].wantReplay(c.index, r)
	}
	c.settle(ctx, c.index.settle(s))
	c.learnPolicies(ctx, s)
	sc := scanner{ask: c.reader.wire.ask, books: c.books, now: s.At}
	sc.budget.Store(c.config.Scan.BytesPerScrape)
	sc.run(ctx, c.index.plan(s))
	c.index.renewed(s)
	sc.run(ctx, c.index.date(standings))
}

// partial says that a group's commits are not known in this scrape, or that a group is missing that may only be on its
// way from one coordinator to another.
func (c *Cluster) partial(s *Snapshot) bool {
	return !s.GroupsComplete || len(c.tracker.absent) > 0 || slices.ContainsFunc(s.Groups, func(g Group) bool {
		return g.CommitsErr != nil && !errors.Is(g.CommitsErr, kerr.GroupAuthorizationFailed)
	})
}

// settle asks the new leaders of partitions where the log under the old leader ended, so that an election makes nothing
// be read again that still stands. A log of which nothing can be learned is forgotten; one whose leader does not answer is
// doubted until it does.
func (c *Cluster) settle(ctx context.Context, moved []movedTail) {
	asks := make([]epochAsk, len(moved))
	for i, m := range moved {
		asks[i] = askEpoch(m.topic, m.partition, m.tail.epoch)
	}
	for i, end := range c.reader.epochEnds(ctx, asks) {
		m := &moved[i]
		switch {
		case end.Err != nil: // the next scrape asks again
			m.tail.doubted = true
			continue
		case end.End < 0:
			m.tail.forget()
		default:
			m.tail.truncate(end.End)
		}
		m.tail.epoch = m.topic.Partitions[m.partition].LeaderEpoch
	}
}

func askEpoch(topic *Topic, partition, epoch int32) epochAsk {
	p := &topic.Partitions[partition]
	return epochAsk{Topic: topic.Name, Partition: partition, Leader: p.Leader, Current: p.LeaderEpoch, Epoch: epoch}
}

// learnPolicies asks for the cleanup policy of topics whose maps would be read again otherwise.
func (c *Cluster) learnPolicies(ctx context.Context, s *Snapshot) {
	names := c.index.unsure(s)
	if len(names) == 0 {
		return
	}
	policies, err := c.reader.policies(ctx, s, names)
	if err != nil {
		level.Debug(c.logger).Log("msg", "cleanup policies not learned, topics are taken as compacted", "topics", len(names), "err", err)
	}
	c.index.learn(s.At, names, policies)
}

// rewinds counts the lower commits that are rewinds: those whose topic is still the one of the pass's beginning, and
// whose log was not cut below the commit before by an election.
func (c *Cluster) rewinds(ctx context.Context, standings []standing, lower []*rewind) {
	if len(lower) == 0 {
		return
	}
	recreated := c.recreated(ctx, lower)
	ends := c.epochsOf(ctx, lower)
	for i, r := range lower {
		if recreated[r.Topic] {
			continue
		}
		if end := ends[i]; end >= 0 {
			r.From = min(r.From, end)
		}
		if r.To < r.From {
			replayed := standings[r.at].replay(&r.Rewind)
			r.count(replayed)
			c.events.rewound(standings[r.at].now, &r.Rewind, replayed)
		}
	}
}

// recreated asks once more for the ids of topics: one that was recreated during the pass has commits of two topics
// under one name.
func (c *Cluster) recreated(ctx context.Context, lower []*rewind) map[string]bool {
	was := map[string]TopicID{}
	var names []string
	for _, r := range lower {
		if _, ok := was[r.Topic]; !ok && r.topic.ID != (TopicID{}) {
			was[r.Topic] = r.topic.ID
			names = append(names, r.Topic)
		}
	}
	if len(names) == 0 {
		return nil
	}
	is, err := c.reader.confirm(ctx, names)
	if err != nil {
		level.Warn(c.logger).Log("msg", "rewinds counted without a second look at their topics", "topics", len(names), "err", err)
		return nil
	}
	recreated := map[string]bool{}
	for name, id := range was {
		recreated[name] = is[name] != id
	}
	return recreated
}

// epochsOf asks where the log ended under the leader of the commit before, for those lower commits that see another
// leader epoch; -1 for the others, and where it cannot be learned.
func (c *Cluster) epochsOf(ctx context.Context, lower []*rewind) []int64 {
	asks := make([]epochAsk, len(lower)) // the zero value: none is needed
	learned := map[epochAsk]int64{{}: -1}
	var left []epochAsk
	for i, r := range lower {
		if r.epoch < 0 || r.epoch == r.topic.Partitions[r.Partition].LeaderEpoch {
			continue
		}
		asks[i] = askEpoch(r.topic, r.Partition, r.epoch)
		if _, ok := learned[asks[i]]; !ok {
			learned[asks[i]] = -1
			left = append(left, asks[i])
		}
	}
	for len(left) > 0 { // one request may not ask about a partition twice
		type place struct {
			topic     string
			partition int32
		}
		taken := map[place]bool{}
		var now, later []epochAsk
		for _, a := range left {
			if at := (place{a.Topic, a.Partition}); taken[at] {
				later = append(later, a)
			} else {
				taken[at] = true
				now = append(now, a)
			}
		}
		for i, end := range c.reader.epochEnds(ctx, now) {
			if end.Err == nil {
				learned[now[i]] = end.End
			}
		}
		left = later
	}
	ends := make([]int64, len(lower))
	for i := range asks {
		ends[i] = learned[asks[i]]
	}
	return ends
}
