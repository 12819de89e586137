package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/guard"
)

// ErrLeftOut is the error of a group or topic that the configuration leaves out: nothing is asked about it.
var ErrLeftOut = errors.New("the configuration leaves it out")

// Explanation is how far one group is behind on one partition and how that was found out: one read of this partition
// alone, kept request by request and batch by batch.
type Explanation struct {
	Group, Topic string
	Partition    int32
	Type         GroupType // as the last Reading told it; empty: it told none
	At           time.Time // when the read began
	Took         time.Duration
	Requests     []Request // in the order in which they were sent

	Partitions  int       // of the topic; 0: not known
	Coordinator int32     // -1: not found
	Ends        Partition // the leader and the three ends; Ends.Err is why they are not known
	Isolation   Isolation
	Source      IsolationSource

	// Err is why there is no lag. It is nil, and Committed -1, when the group has no committed offset on the partition.
	Err error

	// Lacks is the permission that would let the exporter know more, as kafka-acls spells it. With a Lag that is Known it
	// is that for Fetch, and offsets are Unscanned for want of it.
	Lacks string

	Committed   int64
	Lag         PartitionLag // as a scrape at this moment would tell it, but for its Rewinds
	Composition Composition
	BeyondEnd   int64     // offsets between high watermark and commit
	First       time.Time // of the first record left; zero: there is none, or its time is not known

	// Records is the true lag: exact, or else the least upper bound that this read and the last Reading give together. A
	// read of one partition stops after a MiB, where the index of the scrapes has gone on.
	Records int64
	Exact   bool

	Log     []Stretch // what the offsets between commit and high watermark are, in their order
	Blocker *Blocker  // what the last stable offset waits for; nil: nothing, or its first batch was not seen

	// Transaction is what leaders and coordinators tell of the same transaction, where it holds the group back: as the last
	// Reading has it, or else asked for afresh; nil: nothing. A StartedAt that is zero is not known.
	Transaction *OpenTransaction

	Scraped   *PartitionLag // what the last Reading told of the same partition; nil: nothing
	ScrapedAt time.Time
	Followed  bool    // commits are followed: Scraped.CommitAt is when the last one was made
	Rewinds   []Event // of the same partition, newest first
}

// Blocker is the oldest open transaction, as its first batch tells it.
type Blocker struct {
	Producer int64
	Epoch    int16
	First    int64     // its first offset on the partition
	Since    time.Time // when its first record was created or appended; zero: not told
}

// Bounds of what one Explain asks of a cluster, whatever the log looks like.
const (
	explainBytes   = 1 << 20   // fetched below the last stable offset, from the commit on; give or take a batch
	explainOpen    = 256 << 10 // fetched above it
	explainFetches = 8
	explainTime    = 5 * time.Second // for a context without a deadline
)

// Last is what the last Read that succeeded has returned; nil before the first one.
func (c *Cluster) Last() *Reading { return c.last.Load() }

// Explain reads one partition for one group afresh: the same steps in the same order as Read takes, the same arithmetic,
// and nothing that Read uses is waited for or changed, so that both may run at the same time. It sends one Metadata
// request (a slow broker gets company, as in Read), at most three FindCoordinator, three ListOffsets, one OffsetFetch and
// at most eight Fetch, and fetches little more than a MiB. For an open transaction that holds the group back and that no
// Read has looked into yet, it takes one or two looks of one DescribeProducers, a ListTransactions for each broker and a
// DescribeTransactions for each that lists the producer.
//
// The error is ErrLeftOut, or a panic over what a broker sent. Everything else that goes wrong stands in the Explanation.
func (c *Cluster) Explain(ctx context.Context, group, topic string, partition int32) (e *Explanation, err error) {
	switch {
	case !c.config.Shard.Owns(group):
		return nil, fmt.Errorf("group %q: it belongs to shard %s, not %s: %w", group, c.config.Shard.Of(group), c.config.Shard, ErrLeftOut)
	case !c.config.Groups.Match(group):
		return nil, fmt.Errorf("group %q: %w", group, ErrLeftOut)
	case !c.config.Topics.Match(topic):
		return nil, fmt.Errorf("topic %q: %w", topic, ErrLeftOut)
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, explainTime)
		defer cancel()
	}
	err = guard.Do(func() error {
		e = c.explained(ctx, group, topic, partition)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("explain partition %d of topic %q: %w", partition, topic, err)
	}
	return e, nil
}

func (c *Cluster) explained(ctx context.Context, group, topic string, partition int32) *Explanation {
	e := &Explanation{
		Group: group, Topic: topic, Partition: partition, At: time.Now(),
		Coordinator: -1, Committed: -1, Ends: Partition{Leader: -1, LeaderEpoch: -1, Err: errUnanswered},
	}
	last := c.Last()
	e.recall(last)
	e.Rewinds = c.events.rewindsOf(group, topic, partition)
	q := newInquiry(c, e)
	if e.Err = q.read(ctx); e.Err == nil && e.Committed >= 0 {
		c.measure(ctx, q, last)
	}
	e.Requests = q.sent()
	e.Lacks = e.lacks()
	e.Took = time.Since(e.At)
	return e
}

// lacks is the permission that an error, or a refused Fetch, is about.
func (e *Explanation) lacks() string {
	switch {
	case errors.Is(e.Err, kerr.GroupAuthorizationFailed):
		return "Describe on Group"
	case errors.Is(e.Err, kerr.TopicAuthorizationFailed):
		return "Describe on Topic"
	case e.Err == nil && refused(e.Requests):
		return "Read on Topic"
	}
	return ""
}

// refused says that Fetch was denied.
func refused(requests []Request) bool {
	return slices.ContainsFunc(requests, func(r Request) bool {
		return r.API == "Fetch" && errors.Is(r.Err, kerr.TopicAuthorizationFailed)
	})
}
