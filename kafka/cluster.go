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
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-kit/log"
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
	books := newBooks()
	opts, err := cfg.Client.options(books, logger)
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		config: cfg, logger: logger, client: client, books: books, events: newEvents(logger),
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
func (c *Cluster) Read(ctx context.Context) (*Reading, error) { return c.read(ctx, nil) }

// read makes a pass for a caller who is interested in more than usual, or is not (nil).
func (c *Cluster) read(ctx context.Context, in *Interest) (*Reading, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer c.end()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, defaultTime)
		defer cancel()
	}
	c.watchFor(in)
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
	r.Trails = c.trails(in)
	answers, questions := c.examine(s, standings, in.questions(r))
	r.Answers = answers
	work := []func(context.Context){
		func(ctx context.Context) { r.Transactions = c.openTransactions(ctx, s) },
		func(ctx context.Context) { c.readShares(ctx, s) },
	}
	if c.config.Scan.Enabled {
		c.index.begin(s.At, c.partial(s)) // not in the scan: the share groups' states are written beside it
		work = append(work, func(ctx context.Context) { c.scan(ctx, s, standings, lower, questions) })
	}
	within(ctx, 5./6, work...) // rewinds are looked at a second time, however slow the scan is
	c.rewinds(ctx, standings, lower)
	for i := range standings {
		r.Lags = append(r.Lags, standings[i].judge())
	}
	for i := range questions {
		questions[i].count()
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
