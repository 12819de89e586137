package kafka

import "time"

// FollowerState says whether the commits of a cluster are followed, or why not.
type FollowerState uint8

// The states. In all but Following commits are polled, and what happens between two scrapes is not seen, or late.
const (
	FollowerStarting  FollowerState = iota // the end that __consumer_offsets had at the start is not reached yet
	FollowerFollowing                      // commits are seen soon after they were made
	FollowerBehind                         // some are not: a leader does not answer, or it is too much to read
	FollowerDenied                         // READ or DESCRIBE on __consumer_offsets is missing
	FollowerMissing                        // the cluster has no __consumer_offsets yet: no group has ever committed
	FollowerUnfit                          // the cluster does not file groups by the hash of their names, as Apache Kafka does
	followerStates
)

// following is follower.off while it is on.
const following = FollowerFollowing

// FollowerStates lists every state in the order of their values.
func FollowerStates() []FollowerState {
	return []FollowerState{FollowerStarting, FollowerFollowing, FollowerBehind, FollowerDenied, FollowerMissing, FollowerUnfit}
}

func (s FollowerState) String() string {
	return [followerStates]string{"starting", "following", "behind", "denied", "missing", "unfit"}[s]
}

// On says that commits are followed, be it late.
func (s FollowerState) On() bool { return s <= FollowerBehind }

// Following is what the follower of __consumer_offsets says of itself.
type Following struct {
	State   FollowerState
	Behind  int64 // offsets between its position and the high watermarks; -1: not known
	Records [commitRecordKinds]int64
}

// status is the state at a moment.
func (f *follower) status(now time.Time) *Following {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &Following{State: f.state(), Records: f.records, Behind: -1}
	if !s.State.On() || len(f.parts) == 0 {
		return s
	}
	for _, p := range f.parts {
		if p.position >= 0 {
			s.Behind = max(s.Behind, 0) + p.behind()
		}
		if !p.live(now, f.pace.overdue) {
			s.State = FollowerBehind
		}
	}
	if !f.ready {
		s.State = FollowerStarting
	}
	return s
}
