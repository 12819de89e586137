package kafka

import "sort"

// Condition is a reason for which a partition of a group's topic is special, or has no lag.
type Condition uint8

// The conditions. Only beyond_end, below_start and unreadable go with a lag.
const (
	Uncommitted  Condition = iota // no committed offset, on a topic where the group has others or a member subscribes
	NoLeader                      // the partition has no leader
	TopicMissing                  // the commit's topic or partition does not exist
	Denied                        // the broker refuses to describe the topic
	Unreadable                    // described, but Fetch was refused: its offsets are unscanned
	BeyondEnd                     // the commit is above the high watermark
	BelowStart                    // the commit is below the log start offset
	Unavailable                   // commit or end offsets could not be read for another reason, counted as an error
	conditions
)

// Conditions lists every condition in the order of their values.
func Conditions() []Condition {
	return []Condition{Uncommitted, NoLeader, TopicMissing, Denied, Unreadable, BeyondEnd, BelowStart, Unavailable}
}

func (c Condition) String() string {
	return [conditions]string{"uncommitted", "no_leader", "topic_missing", "denied", "unreadable", "beyond_end", "below_start", "unavailable"}[c]
}

// Reading is one scrape's view of a cluster: the snapshot and what follows from it. It is never changed once handed out.
type Reading struct {
	*Snapshot
	Shard Shard      // what the groups are a part of; topics that it does not own are there for the groups' sake alone
	Lags  []TopicLag // by group, then topic; share groups have none

	// Transactions are those that hold last stable offsets back which have not moved since the pass before, by topic and
	// partition.
	Transactions []OpenTransaction

	Follower *Following // of commits; nil: it is switched off

	Answers []Answer      // to the questions of the Interest, in their order
	Trails  []CommitTrail // of the groups that the Interest watches, by name

	Ledger Ledger // what the reads have cost and met since the start, this one included
}

// TopicLag is how far one group is behind on one topic.
type TopicLag struct {
	Group, Topic string

	Isolation Isolation
	Source    IsolationSource

	// Partitions has a row for each partition with a committed offset, by partition.
	Partitions []PartitionLag

	// Composition and BeyondEnd sum over the partitions whose lag is Known; they mean nothing when Known is 0.
	Known       int
	Composition Composition
	BeyondEnd   int64 // offsets between high watermark and commit
	Conditions  [conditions]int

	Followed bool  // Commits means something
	Commits  int64 // that were seen since the first sight of the group
	Rewound  int64 // offsets that commits have moved back, since the first sight of the group
	Replayed int64 // records among them (unscanned offsets count as records)
}

// PartitionLag is how far one group is behind on one partition.
type PartitionLag struct {
	Committed int64
	Offsets   int64 // raw lag: offsets in [commit, high watermark); 0 when the commit is beyond the end
	Records   int64 // true lag
	Unscanned int64 // of the Records: offsets that were not looked at
	Age       int64 // of the first record left since it was created or appended, in ms; 0: none is left; -1: not known
	Rewinds   int64 // how often a commit was lower than the one before it, since the first sight of the group
	CommitAt  int64 // when the last commit was made, in ms since 1970; if it was polled, when a scrape saw it; 0: none was seen
	Partition int32
	Known     bool // Offsets and Records mean something
}

// Lag finds a group's topic; nil when the reading does not hold it.
func (r *Reading) Lag(group, topic string) *TopicLag {
	i := sort.Search(len(r.Lags), func(i int) bool {
		l := &r.Lags[i]
		return l.Group > group || l.Group == group && l.Topic >= topic
	})
	if i < len(r.Lags) && r.Lags[i].Group == group && r.Lags[i].Topic == topic {
		return &r.Lags[i]
	}
	return nil
}

// partition finds a partition's row; nil when the group has no committed offset there.
func (l *TopicLag) partition(number int32) *PartitionLag {
	for i := range l.Partitions {
		if l.Partitions[i].Partition == number {
			return &l.Partitions[i]
		}
	}
	return nil
}
