package kafka

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Stretch is a piece of a log between a commit and the high watermark: what lies there of one batch, a hole between
// batches, or all that a long list leaves out in its middle.
type Stretch struct {
	From, To    int64 // the offsets of [From, To)
	Kind        Kind  // the most that is so: a batch with a record and holes is of kind Record
	Composition Composition

	Batches  int       // 0: a hole, lost or not looked at; more than 1: left out here
	Bytes    int64     // of the whole batches
	Producer int64     // -1: none that has an id, or several
	Epoch    int16     // of the producer
	Marker   string    // of a control batch: COMMIT, ABORT, or empty for another one
	Open     bool      // the batch belongs to the open transaction that the last stable offset waits for
	First    time.Time // of the batch's first record; zero: the header does not tell it
}

// stretchRows is how many stretches an Explanation lists; of more, the middle is summed up.
const stretchRows = 200

// list says what lies between commit and high watermark, from the answers that the tail was made of: each stretch's kinds
// are those that the tail counts there.
func (q *inquiry) list(t *tail) []Stretch {
	e := q.explanation
	l := lister{t: t, p: &e.Ends, isolation: e.Isolation, at: e.Committed}
	for _, a := range q.answers {
		l.take(a.log)
	}
	l.hole(e.Ends.HighWatermark)
	e.Blocker = l.blocker
	return shorten(l.list)
}

// lister walks answers in the order of their offsets. What was passed already, it skips.
type lister struct {
	t         *tail
	p         *Partition
	isolation Isolation
	at        int64
	list      []Stretch
	blocker   *Blocker
}

func (l *lister) take(log []byte) {
	for {
		b, rest, err := nextBatch(log)
		if err != nil || b.base >= l.p.HighWatermark {
			return
		}
		log = rest
		l.blocks(&b)
		if b.last < l.at {
			continue
		}
		if b.old() { // it tells its last offset alone
			b.base = l.at
		}
		l.hole(b.base)
		s := batchStretch(&b)
		s.Open = l.blocker != nil && b.transactional() && !b.control() && s.Producer == l.blocker.Producer && b.base >= l.blocker.First
		l.add(s, min(b.last+1, l.p.HighWatermark))
	}
}

// blocks notes the batch with which the oldest open transaction begins.
func (l *lister) blocks(b *batch) {
	if lso := l.p.LastStable; lso < l.p.HighWatermark && b.base <= lso && lso <= b.last && b.transactional() && !b.control() {
		l.blocker = &Blocker{Producer: b.producer, Epoch: epochOf(b), First: lso, Since: timeOf(b)}
	}
}

// hole adds what no batch was seen of. Borders of the log are borders of what that means, too.
func (l *lister) hole(to int64) {
	borders := []int64{l.p.LogStart, l.p.LastStable, to}
	slices.Sort(borders)
	for _, border := range borders {
		l.add(Stretch{Producer: -1}, min(border, to))
	}
}

func (l *lister) add(s Stretch, to int64) {
	if to <= l.at {
		return
	}
	s.From, s.To = l.at, to
	from := min(max(l.at, l.p.LogStart), to)
	s.Composition[Lost] = from - l.at
	l.t.count(l.p, l.isolation, from, to, &s.Composition)
	s.Kind = s.Composition.most()
	l.list = append(l.list, s)
	l.at = to
}

// most is the kind to name several offsets by, if any: records and what may be records come before what is none.
func (c *Composition) most() Kind {
	for _, k := range []Kind{Record, Aborted, Unscanned, Blocked, Control, Lost} {
		if c[k] > 0 {
			return k
		}
	}
	return Gap
}

func batchStretch(b *batch) Stretch {
	s := Stretch{Batches: 1, Bytes: int64(len(b.raw)), Producer: -1}
	if b.old() {
		return s
	}
	s.Producer, s.Epoch = max(b.producer, -1), epochOf(b)
	switch {
	case b.control():
		s.Marker = markerOf(b)
		s.First = timeOf(b)
	case b.count > 0:
		s.First = timeOf(b)
	}
	return s
}

func epochOf(b *batch) int16 { return int16(binary.BigEndian.Uint16(b.raw[51:])) }

func timeOf(b *batch) time.Time {
	if millis := stampOf(b).time; millis > 0 {
		return time.UnixMilli(millis)
	}
	return time.Time{}
}

// markerOf is how a control batch ends a transaction; empty for an emptied batch, and for the controls of KRaft.
func markerOf(b *batch) string {
	answer := kmsg.NewFetchResponseTopicPartition()
	answer.RecordBatches = b.raw
	p, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Offset: b.base, KeepControlRecords: true}, &answer, decompressor{}, nil)
	if len(p.Records) == 0 || len(p.Records[0].Key) < 4 {
		return ""
	}
	switch binary.BigEndian.Uint16(p.Records[0].Key[2:]) { // after the version of the key
	case 0:
		return "ABORT"
	case 1:
		return "COMMIT"
	}
	return ""
}

// shorten sums up the middle of a long list.
func shorten(list []Stretch) []Stretch {
	if len(list) <= stretchRows {
		return list
	}
	middle := list[stretchRows/2 : len(list)-stretchRows/2+1]
	sum := Stretch{From: middle[0].From, To: middle[len(middle)-1].To, Producer: -1}
	for i := range middle {
		sum.Composition.add(&middle[i].Composition)
		sum.Batches += middle[i].Batches
		sum.Bytes += middle[i].Bytes
	}
	sum.Batches = max(sum.Batches, 2)
	sum.Kind = sum.Composition.most()
	short := append(list[:stretchRows/2:stretchRows/2], sum)
	return append(short, list[len(list)-stretchRows/2+1:]...)
}
