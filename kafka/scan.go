package kafka

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// job is a stretch of one partition's log to be read into one of its maps.
type job struct {
	topic     *Topic
	partition int32
	leader    int32
	epoch     int32
	tail      *tail
	into      *runs
	spans     []span  // in this order; the front of the first one moves on
	cuts      []int64 // where commits are
	queue     queueNumber
	moved     bool
	left      int64 // bytes that the partition may still cost
	need      int32 // bytes that the next batch is known to take, when it did not fit
	probed    bool  // an empty answer was looked into
}

// queueNumber says which of a tail's maps a job reads into.
type queueNumber int

const (
	intoStable queueNumber = iota
	intoOpen
	intoRenewal
	queues
)

// committed says that the job reads with isolation 1, whose answers end at the last stable offset and tell what is aborted.
func (j *job) committed() bool { return j.queue != intoOpen }

// add appends a copy of the job for one map, if there is anything to read.
func (j job) add(jobs []*job, queue queueNumber, into *runs, spans []span) []*job {
	if len(spans) == 0 {
		return jobs
	}
	j.queue, j.into, j.spans = queue, into, spans
	return append(jobs, &j)
}

func (j *job) size() (n int64) {
	for _, s := range j.spans {
		n += s.to - s.from
	}
	return n
}

// advance says how far the log is mapped, and whether the job is done.
func (j *job) advance(next int64) (done bool) {
	for len(j.spans) > 0 && next >= j.spans[0].to {
		j.spans = j.spans[1:]
		next = 0
	}
	if len(j.spans) > 0 {
		j.spans[0].from = max(j.spans[0].from, next)
	}
	return len(j.spans) == 0
}

// scanner reads batch headers at the tails of logs by raw Fetch requests. It never waits for data and never passes its
// context's deadline.
type scanner struct {
	ask   func(ctx context.Context, broker int32, req kmsg.Request) (kmsg.Response, error)
	books *books
	now   time.Time
}

// run works the jobs down, each leader's by itself: first those whose commit did not move, then the shortest. What the
// budget of bytes does not reach stays as it is. A leader that does not answer loses its own jobs alone.
func (s *scanner) run(ctx context.Context, jobs []*job, budget int64) {
	slices.SortStableFunc(jobs, func(a, b *job) int {
		if a.moved != b.moved {
			if a.moved {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.size(), b.size())
	})
	var left atomic.Int64
	left.Store(budget)
	legs := map[int32]*leg{}
	for _, j := range jobs {
		l := legs[j.leader]
		if l == nil {
			l = &leg{scanner: s, leader: j.leader, budget: &left}
			legs[j.leader] = l
		}
		l.queues[j.queue].jobs = append(l.queues[j.queue].jobs, j)
	}
	var wg sync.WaitGroup
	for _, l := range legs {
		wg.Go(func() { l.run(ctx) })
	}
	wg.Wait()
}
