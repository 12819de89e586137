package kafka

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
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
	parts     []span  // take the place of spans when one answer did not hold the only one
	rate      int64   // bytes that an offset takes, as far as was seen; 0: parts were not needed
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
	intoTimes
	queues
)

// committed says that the job reads with isolation 1, whose answers end at the last stable offset and tell what is aborted.
func (j *job) committed() bool { return j.queue == intoStable || j.queue == intoRenewal }

// add appends a copy of the job for one map, if there is anything to read. Several spans that follow on each other are
// first tried as one from their beginning on: most often a single answer holds them all.
func (j job) add(jobs []*job, queue queueNumber, into *runs, spans []span) []*job {
	if len(spans) == 0 {
		return jobs
	}
	j.queue, j.into, j.spans = queue, into, spans
	for i := 1; i < len(spans); i++ {
		if spans[i].to != spans[i-1].from {
			return append(jobs, &j)
		}
	}
	if len(spans) > 1 {
		j.spans, j.parts = []span{{spans[len(spans)-1].from, spans[0].to}}, spans
	}
	return append(jobs, &j)
}

func (j *job) size() (n int64) {
	for _, s := range j.spans {
		n += s.to - s.from
	}
	return n
}

// advance notes that the log is mapped from the front of the first span up to next, by an answer of some bytes, and says
// whether the job is done.
func (j *job) advance(next, bytes int64) (done bool) {
	if len(j.parts) > 0 { // one answer did not hold all
		j.rate = bytes/(next-j.spans[0].from) + 1
		j.spans, j.parts = j.parts, nil
		for i := range j.spans {
			j.spans[i].from = max(j.spans[i].from, next)
		}
	}
	j.spans[0].from = max(j.spans[0].from, next)
	j.spans = slices.DeleteFunc(j.spans, func(s span) bool { return s.from >= s.to })
	return len(j.spans) == 0
}

// room is how many bytes the next answer may hold for the job. What lies above a span that ends below the log's end is
// known, so the answer need not be much longer than the span, nor than the batch of the last time that is looked up.
func (j *job) room() int64 {
	if j.queue == intoTimes && len(j.spans) == 1 {
		return int64(j.need)
	}
	n := min(partitionBytes, j.left)
	if s := j.spans[0]; j.rate > 0 {
		n = min(n, (s.to-s.from)*j.rate*5/4+probeBytes)
	}
	return max(n, int64(j.need))
}

// scanner reads batch headers at the tails of logs by raw Fetch requests. It never waits for data and never passes its
// context's deadline.
type scanner struct {
	ask   func(ctx context.Context, broker int32, req kmsg.Request) (kmsg.Response, error)
	books *books
	now   time.Time

	budget  atomic.Int64 // bytes that the scrape may still fetch
	decoder decoder
}

// run works the jobs down, each leader's by itself: the shortest first, and of two as long the one whose commit did not
// move. A group far behind, most often an abandoned one, must not use up the budget before those that are nearly there
// have their answers. What the budget of bytes does not reach stays as it is. A leader that does not answer loses its own
// jobs alone.
func (s *scanner) run(ctx context.Context, jobs []*job) {
	slices.SortStableFunc(jobs, func(a, b *job) int {
		if a.size() == b.size() && a.moved != b.moved {
			if a.moved {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.size(), b.size())
	})
	legs := map[int32]*leg{}
	for _, j := range jobs {
		l := legs[j.leader]
		if l == nil {
			l = &leg{scanner: s, leader: j.leader}
			legs[j.leader] = l
		}
		l.queues[j.queue].jobs = append(l.queues[j.queue].jobs, j)
	}
	var c guard.Crew
	for _, l := range legs {
		c.Go(func() { l.run(ctx) })
	}
	c.Wait()
}
