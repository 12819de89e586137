package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	answerBytes    = 8 << 20  // what one Fetch may answer
	partitionBytes = 1 << 20  // what it may answer for one partition
	batchBytes     = 64 << 20 // the largest batch that is read at all
	probeBytes     = 1 << 10  // enough for the first batch's base offset
	fetchWidth     = 2000     // partitions in one Fetch
)

// leg is the part of a scan that one leader answers.
type leg struct {
	*scanner
	leader int32

	queues [queues]queue // worked down one after the other: a Fetch may name a partition only once
}

// queue is the work for one kind of map.
type queue struct {
	jobs    []*job
	puzzles []*job // an empty answer below the last stable offset is to be explained
}

func (l *leg) run(ctx context.Context) {
	failures := 0
	for i := range l.queues {
		q := &l.queues[i]
		for len(q.jobs)+len(q.puzzles) > 0 {
			if ctx.Err() != nil || l.budget.Load() <= 0 {
				return
			}
			step := l.round
			if len(q.jobs) == 0 {
				step = l.probe
			}
			if err := step(ctx, q); err != nil { // counted where it was asked; the rows stay unscanned until the next scrape
				if failures++; timedOut(err) || failures > failuresBorne {
					return
				}
			}
		}
	}
}

// failuresBorne is how many requests of a leg may fail before it ends. A batch that is too large for any answer breaks
// the connection, if it is first in the request: that job is given up, and the others go on.
const failuresBorne = 3

// progress is what an answer meant for a job.
type progress int

const (
	ended   progress = iota // all is read, or refused, or over budget
	grown                   // the map grew, or the next batch's size is known now
	waiting                 // its turn in the answer did not come
	puzzled                 // nothing is there where something should be
)

// round sends one Fetch for a queue's first jobs and leaves those that are still to be worked on.
func (l *leg) round(ctx context.Context, q *queue) error {
	asked, later := q.jobs[:min(len(q.jobs), fetchWidth)], q.jobs[min(len(q.jobs), fetchWidth):]
	limit := min(answerBytes, l.budget.Load())
	answers, total, err := l.fetch(ctx, asked, asked[0].committed(), limit, (*job).room)
	if err != nil {
		q.jobs = q.jobs[1:]
		return err
	}
	var again []*job
	stuck := true
	for i, j := range asked {
		p := l.take(j, answers[i], total >= limit)
		stuck = stuck && p == waiting
		switch p {
		case grown, waiting:
			again = append(again, j)
		case puzzled:
			q.puzzles = append(q.puzzles, j)
		case ended:
		}
	}
	if stuck { // the same question would get the same answer
		again = nil
	}
	q.jobs = append(again, later...)
	return nil
}

// take maps what an answer holds for a job. full says that the answer had no room for more.
func (l *leg) take(j *job, a *kmsg.FetchResponseTopicPartition, full bool) progress {
	if a == nil {
		return ended
	}
	if err := kerr.ErrorForCode(a.ErrorCode); err != nil {
		if errors.Is(err, kerr.TopicAuthorizationFailed) {
			j.tail.denied = l.now
		}
		l.books.failed("Fetch", err)
		return ended
	}
	j.tail.denied = time.Time{}
	j.tail.high = max(j.tail.high, a.HighWatermark)
	if j.queue == intoTimes {
		return l.time(j, a.RecordBatches)
	}
	from, size := j.spans[0].from, int64(len(a.RecordBatches))
	j.left -= size
	m, next, err := classify(a.RecordBatches, a.AbortedTransactions, from, j.cuts, &l.decoder)
	j.into.lay(&m)
	switch {
	case err != nil:
		l.books.failed("Fetch", kerr.CorruptMessage)
		return ended
	case next > from:
		j.need = 0
		if j.advance(next, size) || j.left <= 0 {
			return ended
		}
		return grown
	case size > 0: // the first batch is cut
		return l.widen(j, a.RecordBatches)
	case full:
		return waiting
	case j.committed() && !j.probed:
		return puzzled
	}
	return ended
}

// widen makes room for the batch that log begins with and that did not fit.
func (j *job) widen(log []byte) progress {
	if len(log) < 12 {
		return waiting
	}
	need := 12 + int64(int32(binary.BigEndian.Uint32(log[8:])))
	switch {
	case need > batchBytes:
		return ended
	case need <= int64(j.need):
		return waiting
	}
	j.need = int32(need)
	return grown
}

// widen makes room for the first batch of an answer, and counts one for which there is none.
func (l *leg) widen(j *job, log []byte) progress {
	p := j.widen(log)
	if p == ended {
		_ = l.decoder.met(errLarge)
	}
	return p
}

// probe explains empty answers below the last stable offset. They are no end: the cleaner may have removed all that is
// left below an open transaction. When what isolation 0 holds next lies at or above the span's end, the span is a gap.
// Else a batch was held back because it is larger than what was asked for.
func (l *leg) probe(ctx context.Context, q *queue) error {
	jobs := q.puzzles[:min(len(q.puzzles), fetchWidth)]
	q.puzzles = q.puzzles[len(jobs):]
	answers, _, err := l.fetch(ctx, jobs, false, answerBytes, func(*job) int64 { return probeBytes })
	if err != nil {
		q.puzzles = append(jobs[1:len(jobs):len(jobs)], q.puzzles...)
		return err
	}
	for i, j := range jobs {
		j.probed = true
		a := answers[i]
		if a == nil || a.ErrorCode != 0 {
			continue
		}
		if len(a.RecordBatches) < 8 {
			if i > 0 { // a broker that cuts no batches promises an answer to the first partition alone
				q.puzzles = append(q.puzzles, j)
			}
			continue
		}
		at := j.spans[0]
		if base := int64(binary.BigEndian.Uint64(a.RecordBatches)); base < at.to {
			if l.widen(j, a.RecordBatches) == ended {
				continue
			}
			q.jobs = append(q.jobs, j)
			continue
		}
		var m runs
		m.push(at.from, at.to, Gap, at.to-at.from)
		j.into.lay(&m)
		if !j.advance(at.to, 0) {
			j.probed = false
			q.jobs = append(q.jobs, j)
		}
	}
	return nil
}
