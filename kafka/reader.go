package kafka

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

// readerConfig chooses what is read. What it leaves out is named in no request.
type readerConfig struct {
	Groups Filter
	Topics Filter
	Follow bool // also read where __consumer_offsets ends
}

// reader reads a cluster, one pass at a time.
type reader struct {
	wire   *wire
	config readerConfig
	logger log.Logger

	// What the last pass found; one pass runs at a time.
	roster roster          // the groups that were seen
	silent map[int32]bool  // brokers that did not answer
	named  map[string]bool // topics that groups name; only with shards
}

// newReader makes a reader. The client must have no consumer and no producer, and is not closed.
func newReader(client *kgo.Client, config readerConfig, books *books, logger log.Logger) *reader {
	return &reader{wire: &wire{client: client, books: books}, config: config, logger: logger, roster: roster{}}
}

const (
	defaultTime = 10 * time.Second // for a pass whose context has no deadline
	passShare   = 0.8              // of the time to the deadline; the rest is for reading the logs' tails
)

// read makes one pass over the cluster, in the order that makes its numbers comparable: log starts, commits, last
// stable offsets, high watermarks. Each step is one request for each broker, at the same time for all, however many
// groups and partitions there are, and ends for all before the next one begins. It returns clearly before the deadline
// of its context. A broker that does not answer in its step's time costs its own rows, and is not asked again.
//
// Requests: Metadata 1, ListGroups B, ListOffsets 3 B, OffsetFetch B, and one Describe request for each type of group and
// broker (B brokers), so at the most 8 for a broker with classic and KIP-848 groups. Metadata once more if a commit or
// subscription names a topic that the first answer does not hold, and ListOffsets B more with Follow where the filter
// leaves __consumer_offsets out. Brokers before 3.0 take one OffsetFetch for each group.
//
// The error is that of Metadata, or the cancellation of the context; every other one stands in its row.
func (r *reader) read(ctx context.Context) (*Snapshot, error) {
	now := time.Now()
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = now.Add(defaultTime)
	}
	whole := ctx
	ctx, cancel := context.WithDeadline(ctx, now.Add(time.Duration(passShare*float64(deadline.Sub(now)))))
	defer cancel()

	p := &pass{reader: r, strangers: map[string]bool{}, strangerIDs: map[TopicID]bool{}}
	var err error
	within(ctx, 1./3, func(ctx context.Context) { err = p.readMetadata(ctx) })
	if err != nil {
		return nil, err
	}
	p.ownTopics()
	within(ctx, 1./3, p.listGroups, func(ctx context.Context) { p.readEnds(ctx, logStart) })
	within(ctx, 1./2, p.fetchCommits, p.describeGroups)
	within(ctx, 1./4, p.meetStrangers)
	p.groupTopics()
	within(ctx, 1./4, func(ctx context.Context) { p.readEnds(ctx, logStart) }) // of topics that are new
	within(ctx, 1./2, func(ctx context.Context) { p.readEnds(ctx, lastStable) })
	within(ctx, 1./2, func(ctx context.Context) { p.readEnds(ctx, highWatermark) })
	within(ctx, 1./2, p.readLogEnds)
	if err := whole.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	s := p.snapshot()
	s.At, s.CommitsTold = now, p.commitsTold
	r.remember(s)
	return s, nil
}

// within runs a step's parts at the same time, in a share of the time that the pass has left.
func within(ctx context.Context, share float64, parts ...func(context.Context)) {
	deadline, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(share*float64(time.Until(deadline))))
	defer cancel()
	var c guard.Crew
	for _, part := range parts {
		c.Go(func() { part(ctx) })
	}
	c.Wait()
}

// remember keeps what the next pass goes by, and tells the log of brokers that fell silent or are back.
func (r *reader) remember(s *Snapshot) {
	r.roster.take(s)
	silent := map[int32]bool{}
	for _, b := range s.Brokers {
		if b.Err != nil {
			silent[b.ID] = true
		}
		switch {
		case b.Err != nil && !r.silent[b.ID]:
			level.Warn(r.logger).Log("msg", "broker does not answer", "broker", b.ID, "host", b.Host, "port", b.Port, "err", b.Err)
		case b.Err == nil && r.silent[b.ID]:
			level.Info(r.logger).Log("msg", "broker answers again", "broker", b.ID, "host", b.Host, "port", b.Port)
		}
	}
	r.silent = silent
}

// pass is one read in the making.
type pass struct {
	*reader
	clusterID    string
	nodes        []*node // by id
	byID         map[int32]*node
	met          kgo.BrokerMetadata // who answered Metadata
	coordinators []int32            // leader of each partition of __consumer_offsets; empty if it may not be described
	logEnds      []int64            // high watermark of each; -1: not known; empty if they were not read

	txnCoordinators []int32 // the same of __transaction_state

	commitsTold time.Time // as in Snapshot

	topics []Topic         // by name
	wanted map[string]bool // those whose ends are read; nil: all
	index  map[string]int
	names  map[TopicID]string // empty for topics that the filter leaves out

	mu          sync.Mutex
	strangers   map[string]bool // topics that groups name and the Metadata answer does not
	strangerIDs map[TopicID]bool
}

// leftOut is the index of a topic that the filter leaves out.
const leftOut = -1

// node is a broker in a pass.
type node struct {
	Broker
	groups []Group // those it listed and the filter lets through, by name
	listed bool    // it listed its groups without an error

	mu  sync.Mutex
	err error // the last request without an answer
	mum bool  // time ran out on it: it is not asked again
	big bool  // an answer was too large, which has broken the connection that others waited on
}

// ask sends a request to a broker, unless it has let the pass wait before. One whose connection was broken is sent again
// where answers that are too large break connections.
func (p *pass) ask(ctx context.Context, n *node, req kmsg.Request) (kmsg.Response, error) {
	n.mu.Lock()
	mum, err := n.mum, n.err
	n.mu.Unlock()
	if mum {
		return nil, err
	}
	resp, err := p.wire.ask(ctx, n.ID, req)
	for range triesBesideLarge {
		if err == nil || ctx.Err() != nil || !kgo.IsRetryableBrokerErr(err) || !n.large() {
			break
		}
		resp, err = p.wire.ask(ctx, n.ID, req)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, errUnsupported):
	case errors.Is(err, errTooLarge): // the broker has answered
		n.big = true
	default:
		n.err = err
		n.mum = n.mum || timedOut(err)
	}
	return resp, err
}

// triesBesideLarge is how often a request is sent again beside those whose answers are too large.
const triesBesideLarge = 10

func (n *node) large() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.big
}

// atEach runs something for all brokers at the same time.
func (p *pass) atEach(do func(*node)) {
	var c guard.Crew
	for _, n := range p.nodes {
		c.Go(func() { do(n) })
	}
	c.Wait()
}

func (p *pass) snapshot() *Snapshot {
	s := &Snapshot{
		ClusterID:      p.clusterID,
		Topics:         p.wantedTopics(),
		Groups:         p.mergeGroups(),
		GroupsComplete: len(p.nodes) > 0,
		logLeaders:     p.coordinators,
		logEnds:        p.logEnds,
	}
	for _, leader := range p.coordinators { // without a leader, a partition's groups are listed by nobody
		s.GroupsComplete = s.GroupsComplete && p.byID[leader] != nil
	}
	for _, leader := range p.txnCoordinators {
		s.leaderless = s.leaderless || p.byID[leader] == nil
	}
	for _, n := range p.nodes {
		n.Err = n.err
		s.Brokers = append(s.Brokers, n.Broker)
		s.GroupsComplete = s.GroupsComplete && n.listed
	}
	return s
}

// ordered sorts rows unless they are sorted, and drops all but one of equal ones: no broker answers a row twice, and
// nothing that follows is made for it.
func ordered[S ~[]E, E any](rows S, compare func(a, b E) int) S {
	for i := 1; i < len(rows); i++ {
		if compare(rows[i-1], rows[i]) >= 0 {
			slices.SortFunc(rows, compare)
			return slices.CompactFunc(rows, func(a, b E) bool { return compare(a, b) == 0 })
		}
	}
	return rows
}
