package collector

import (
	"math/rand/v2"
	"time"
)

// simJob is a Flink source on one partition, the group's commits, and a writer of the log. One step is a tenth of a second.
type simJob struct {
	rnd      *rand.Rand
	now      time.Time
	interval time.Duration // between checkpoints
	burst    float64       // how likely a burst of records is in a step
	stall    time.Duration // the longest that backpressure holds a poll back
	lie      int64         // what the metric says less than was committed

	end   int64 // of the log
	ready int64 // records below it were polled and may be emitted

	state     simState
	next      int64 // to be emitted
	snapshots []int64
	waiting   []int64 // offsets of completed checkpoints whose commit was not sent
	sent      []int64 // offsets whose acknowledgement was not seen
	poll      time.Time
	check     time.Time

	broker int64   // -1: none
	trail  []int64 // all that was committed, in order

	restored, rewound time.Time
	past              []simState
}

// simState is what Flink says at one time.
type simState struct {
	at                          time.Time
	emitted, committed, commits int64
	attempt                     int64
	done                        int64 // checkpoints of all attempts
}

func newSimJob(seed uint64) *simJob {
	rnd := rand.New(rand.NewPCG(seed, 7))
	j := &simJob{rnd: rnd, now: time.Unix(1_000_000, 0), broker: -1, end: rnd.Int64N(50)}
	j.interval = []time.Duration{time.Second, 5 * time.Second, 10 * time.Second, time.Minute, 5 * time.Minute}[rnd.IntN(5)]
	j.burst = []float64{0.001, 0.02, 0.5}[rnd.IntN(3)]
	j.stall = []time.Duration{0, 0, 30 * time.Second, 100 * time.Second}[rnd.IntN(4)]
	j.start(0)
	return j
}

// start begins an attempt at an offset.
func (j *simJob) start(at int64) {
	j.state = simState{emitted: -1, committed: -1, attempt: j.state.attempt + 1, done: j.state.done}
	j.next, j.ready = at, at
	j.waiting, j.sent = nil, nil
	j.snapshots = append(j.snapshots, at)
	j.poll, j.check = j.now.Add(time.Second), j.now.Add(j.interval)
}

func (j *simJob) step() {
	j.now = j.now.Add(100 * time.Millisecond)
	if j.rnd.Float64() < j.burst {
		j.end += j.rnd.Int64N(40)
	}
	if n := min(j.rnd.Int64N(10), j.ready-j.next); n > 0 {
		j.next += n
		j.state.emitted = j.next - 1
	}
	if !j.now.Before(j.check) {
		j.check = j.now.Add(j.interval)
		j.snapshots = append(j.snapshots, j.next)
		j.state.done++
		if j.next > 0 {
			j.waiting = append(j.waiting, j.next)
		}
	}
	if !j.now.Before(j.poll) {
		j.polled()
	}
	j.state.at = j.now
	j.past = append(j.past, j.state)
}

// polled ends a poll: acknowledgements are seen, commits are sent, and the next poll begins.
func (j *simJob) polled() {
	acknowledge := func() {
		for _, offset := range j.sent {
			j.state.committed = offset - j.lie
			j.state.commits++
		}
		j.sent = nil
	}
	acknowledge()
	for _, offset := range j.waiting {
		j.commit(offset)
	}
	j.sent, j.waiting = j.waiting, nil
	if j.rnd.IntN(3) == 0 {
		acknowledge()
	}
	wait := 10 * time.Second // idle
	if j.end > j.ready {
		wait = 300*time.Millisecond + time.Duration(j.rnd.Int64N(int64(j.stall)+1))
	}
	j.ready = j.end
	j.poll = j.now.Add(wait)
}

func (j *simJob) commit(offset int64) {
	if offset < j.broker {
		j.rewound = j.now
	}
	j.broker = offset
	j.trail = append(j.trail, offset)
}

// restart begins a new attempt from the last checkpoint, or from one that is older.
func (j *simJob) restart(older int) {
	j.restored = j.now
	j.start(j.snapshots[max(len(j.snapshots)-1-older, 0)])
}

// sample is what is heard of Flink, some seconds old, and then of the broker.
func (j *simJob) sample(age time.Duration) CommitSample {
	n := max(len(j.past)-1-int(age/(100*time.Millisecond)), 0)
	s := j.past[n]
	return CommitSample{
		At: j.now, Known: true, Broker: j.broker, After: s.at.Add(-100 * time.Millisecond), Before: s.at,
		Committed: s.committed, Emitted: s.emitted, Commits: s.commits, Attempt: s.attempt,
	}
}
