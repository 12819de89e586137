package kafka

import (
	"sort"
	"time"
)

// TopicID is the identity that a topic keeps until it is deleted (KIP-516). It is zero on brokers before 2.8.
type TopicID [16]byte

// GroupType is the protocol that a group's members speak, as ListGroups v5 names it.
type GroupType string

// Brokers before 3.7 name no type; all their groups are classic.
const (
	Classic  GroupType = "classic"
	Consumer GroupType = "consumer" // KIP-848
	Streams  GroupType = "streams"  // KIP-1071
	Share    GroupType = "share"    // KIP-932
)

// Snapshot is what one pass over a cluster has read: log starts first, then commits, then last stable offsets, then
// high watermarks. It is never changed once it is handed out. Topics and groups that the filters exclude are not in it,
// and the broker was not asked about them.
//
// Every row carries its own error: one that could not be read says why, and the others stand.
type Snapshot struct {
	At          time.Time // when the pass began
	CommitsTold time.Time // after the last answer about commits, before last stable offsets and high watermarks are asked for
	ClusterID   string    // empty on brokers before 0.10.1
	Brokers     []Broker  // by id
	Topics      []Topic   // by name; also those that exist only in a commit or a subscription, with their Err
	Groups      []Group   // by name

	// GroupsComplete says that every broker answered ListGroups without an error, and that no coordinator is without a
	// leader. Only then may a group that is not in Groups be gone.
	GroupsComplete bool

	logLeaders []int32 // of the partitions of __consumer_offsets
	logEnds    []int64 // their high watermarks, read after the commits; -1: not known; empty: not read

	leaderless bool // some transactional ids have no coordinator at the moment
}

// Broker is one row of the Metadata answer.
type Broker struct {
	ID   int32
	Host string
	Port int32
	Rack string // empty: none
	Err  error  // the last request that this broker did not answer in this pass
}

// Topic is what Metadata and ListOffsets say of one topic.
type Topic struct {
	Name     string
	ID       TopicID
	Internal bool

	// Err is why nothing is known of the topic: kerr.UnknownTopicOrPartition when it does not exist,
	// kerr.TopicAuthorizationFailed without DESCRIBE. Partitions is then empty.
	Err        error
	Partitions []Partition // the index is the partition's number
}

// Partition is one partition's leader and ends. The three offsets mean nothing unless Err is nil.
type Partition struct {
	Leader          int32 // -1: none
	LeaderEpoch     int32 // -1: not told (brokers before 2.1)
	PreferredLeader int32 // the first replica; -1: none
	Replicas        int32
	InSync          int32

	LogStart      int64 // S: ListOffsets, timestamp -2; read before the commits
	LastStable    int64 // LSO: ListOffsets, timestamp -1, isolation 1; read after the commits
	HighWatermark int64 // HW: ListOffsets, timestamp -1, isolation 0; read after the last stable offset

	// Err is why the ends are unknown: kerr.LeaderNotAvailable without a leader, the broker's answer for this
	// partition, or why the leader did not answer.
	Err error
}

// Group is what ListGroups, the Describe request of its type, and OffsetFetch say of one group.
type Group struct {
	Name         string
	Coordinator  int32
	Type         GroupType
	State        string // as the broker spells it; empty when neither ListGroups (v4) nor Describe told
	ProtocolType string // "consumer", "connect", empty for a group that only commits

	Members       int // meaningful when DescribeErr is nil
	Subscriptions []Subscription
	DescribeErr   error

	// CommitsErr is why the group's commits could not be read. Topics is then empty and says nothing. Share groups
	// have no commits and are not asked.
	CommitsErr error
	Topics     []GroupTopic // by topic name
	bytes      int          // that its commits take in an answer, also those that the filter leaves out
	recalled   bool         // the coordinator has not listed it, because it was loading; it was asked about all the same

	Share *ShareState // of a share group in a Reading; else nil
}

// Subscription is a topic that some member of a group subscribes to or is assigned.
type Subscription struct {
	Topic      string
	Partitions int // how many are assigned to members; 0 also when no assignment was told
}

// GroupTopic is a group's commits on one topic.
type GroupTopic struct {
	Topic   string
	ID      TopicID  // from OffsetFetch v10 on; zero: not told
	Commits []Commit // by partition; partitions without a committed offset are left out
}

// Commit is one committed offset: the next offset that the group will read.
type Commit struct {
	Offset      int64
	Partition   int32
	LeaderEpoch int32 // -1: the committer told none
	Code        int16 // the protocol's error code of this row; Offset means nothing unless it is 0
}

// Topic finds a topic by name; nil when the snapshot does not hold it.
func (s *Snapshot) Topic(name string) *Topic {
	i := sort.Search(len(s.Topics), func(i int) bool { return s.Topics[i].Name >= name })
	if i < len(s.Topics) && s.Topics[i].Name == name {
		return &s.Topics[i]
	}
	return nil
}

// Group finds a group by name; nil when the snapshot does not hold it.
func (s *Snapshot) Group(name string) *Group {
	i := sort.Search(len(s.Groups), func(i int) bool { return s.Groups[i].Name >= name })
	if i < len(s.Groups) && s.Groups[i].Name == name {
		return &s.Groups[i]
	}
	return nil
}
