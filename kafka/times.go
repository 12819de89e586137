package kafka

import (
	"cmp"
	"errors"
	"maps"
	"slices"
)

// When a first record was created or appended, in milliseconds since 1970, where it is no time.
const (
	noRecord = 0
	notKnown = -1
)

// oldest says when the first record of [from, HW) that a group of an isolation level is still to be handed was created
// or appended: noRecord when none is left, notKnown when that cannot be said. For a record inside a batch whose header
// does not tell its time, at is its offset and size how many bytes must be fetched to know.
func (t *tail) oldest(p *Partition, isolation Isolation, from int64) (millis, at int64, size int32) {
	if t == nil {
		return notKnown, -1, 0
	}
	border := min(max(p.LastStable, from), p.HighWatermark)
	m := &t.stable
	at, found := m.firstRecord(from, border, isolation == ReadUncommitted)
	if found == searchNone && isolation == ReadUncommitted {
		m = &t.open
		at, found = m.firstRecord(border, p.HighWatermark, true)
	}
	switch found {
	case searchNone:
		return noRecord, -1, 0
	case searchUnknown:
		return notKnown, -1, 0
	case searchFound:
	}
	size = blindBytes
	if s := m.stampAt(at); s != nil { // else it was forgotten, as those below all commits are, or for want of room
		if s.time > 0 && (s.all || at == s.first) {
			return s.time, -1, 0
		}
		size = s.size
	}
	if millis, ok := t.times[at]; ok {
		return millis, at, 0
	}
	return notKnown, at, size
}

// blindBytes is how much is fetched at first for a batch whose size is not known.
const blindBytes = 64 << 10

// time takes the times of records from the batches that hold them. A partition's records are one job, since a Fetch may
// name a partition only once; they are asked for by the first of them, and one answer may hold several.
func (l *leg) time(j *job, log []byte) progress {
	j.left -= int64(len(log))
	learned := false
	for len(j.spans) > 0 {
		b, rest, err := nextBatch(log)
		switch {
		case errors.Is(err, errCut) && len(log) > 0 && !learned:
			return l.widen(j, log)
		case errors.Is(err, errCut) && learned && j.left > 0:
			return grown
		case len(log) == 0 && j.need < partitionBytes: // the cleaner may have written the batch anew, and larger
			j.need = partitionBytes
			return grown
		case err != nil:
			_ = l.decoder.met(err)
			return ended
		case b.last < j.spans[0].from:
			log = rest
			continue
		}
		records, err := l.decoder.decode(&b)
		if errors.Is(err, errLater) {
			return ended
		}
		for len(j.spans) > 0 && j.spans[0].from <= b.last {
			at := j.spans[0].from
			millis := int64(notKnown) // of a batch that cannot be decoded, which the next scrape need not fetch again
			if i := slices.IndexFunc(records, func(r record) bool { return r.offset >= at }); i >= 0 {
				millis = records[i].millis
			}
			j.tail.learn(at, millis)
			j.spans, learned = j.spans[1:], true
		}
		log = rest
	}
	return ended
}

// learn keeps a record's time; one that tells none is not known.
func (t *tail) learn(at, millis int64) {
	if t.times == nil {
		t.times = map[int64]int64{}
	}
	if millis <= 0 {
		millis = notKnown
	}
	t.times[at] = millis
}

// date lists what must be fetched to know the times of the first records that are left, and forgets the times of those
// before which no commit stands any more.
func (x *index) date(standings []standing) (jobs []*job) {
	type place struct {
		tail *tail
		at   int64
	}
	asked := map[place]bool{}
	of := map[*tail]*job{}
	for i := range standings {
		s := &standings[i]
		if s.tails == nil {
			continue
		}
		for _, c := range s.commits {
			p := s.ends(c)
			if p == nil || c.Offset >= p.HighWatermark {
				continue
			}
			t := s.tail(c.Partition)
			_, at, size := t.oldest(p, s.isolation, max(c.Offset, p.LogStart))
			if at < 0 || asked[place{t, at}] {
				continue
			}
			asked[place{t, at}] = true
			if size == 0 {
				continue
			}
			j := of[t]
			if j == nil {
				j = &job{
					topic: s.topic, partition: c.Partition, leader: p.Leader, epoch: p.LeaderEpoch, tail: t,
					queue: intoTimes, left: x.scan.BytesPerPartition,
				}
				of[t] = j
				jobs = append(jobs, j)
			}
			j.spans, j.need = append(j.spans, span{at, at + 1}), max(j.need, size)
		}
	}
	for _, j := range jobs {
		slices.SortFunc(j.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
	if x.partial {
		return jobs
	}
	for t := range x.tails() {
		if len(t.wants) == 0 { // its leader may be back at the next scrape
			continue
		}
		maps.DeleteFunc(t.times, func(at, _ int64) bool { return !asked[place{t, at}] })
	}
	return jobs
}
