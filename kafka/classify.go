package kafka

import (
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// classify maps the log that one Fetch answer holds for a partition, from offset at on, and returns the offset that the
// map has reached. It reads batch headers alone, except where at or one of the cuts lies inside a batch with holes: that
// one is decoded, so that the offsets on both sides of the cut can be counted. One that cannot be is Unscanned.
//
// With the aborted list of a read_committed answer the kinds are final. Without one (isolation 0) what is aborted later,
// or was, counts as Record. An error wraps errCorrupt; the map then ends before the corrupt entry.
func classify(log []byte, aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction, at int64, cuts []int64, d *decoder) (m runs, next int64, err error) {
	ended := newAbortions(aborted)
	for len(log) > 0 {
		var b batch
		b, log, err = nextBatch(log)
		if errors.Is(err, errCut) {
			return m, at, nil
		}
		if err != nil {
			return m, at, fmt.Errorf("log at offset %d: %w", at, d.met(err))
		}
		kind := Record
		if ended.next(&b) {
			kind = Aborted
		}
		if b.last < at { // an answer may begin before the offset that was asked for
			continue
		}
		if b.base < at && len(m.list) > 0 {
			return m, at, fmt.Errorf("log at offset %d: batch at %d overlaps the one before: %w", at, b.base, d.met(errCorrupt))
		}
		if b.old() { // a compressed message holds others, and tells only the last one's offset
			_ = d.met(errOld)
			m.push(at, b.last+1, Unscanned, b.last+1-at)
			at = b.last + 1
			continue
		}
		m.push(at, b.base, Gap, b.base-at)
		m.batch(&b, kind, at, cuts, d)
		at = b.last + 1
	}
	return m, at, nil
}

// batch maps the offsets of a batch from at on.
func (r *runs) batch(b *batch, kind Kind, at int64, cuts []int64, d *decoder) {
	start, end := max(at, b.base), b.last+1
	if b.dense() { // what lies before is known too, and may be where another commit is
		start = b.base
	}
	switch {
	case b.control():
		// A marker's batch has one record, or none when the cleaner has removed it.
		r.push(start, min(end, start+b.count), Control, min(end-start, b.count))
		r.push(min(end, start+b.count), end, Gap, end-min(end, start+b.count))
	case b.count == 0:
		r.push(start, end, Gap, end-start)
	case b.dense():
		r.push(start, end, kind, end-start)
		r.stamps = append(r.stamps, stampOf(b))
	case start == b.base && !slices.ContainsFunc(cuts, func(c int64) bool { return b.base < c && c <= b.last }):
		r.push(start, end, kind, b.count)
		r.stamps = append(r.stamps, stampOf(b))
	default:
		// Mapped from its base on, so that what is known of the batch stays of one piece.
		records, err := d.decode(b)
		if errors.Is(err, errLater) {
			return // not known yet
		}
		if err != nil {
			r.push(start, end, Unscanned, end-start)
			return
		}
		s := stampOf(b)
		s.first = records[0].offset
		r.stamps = append(r.stamps, s)
		was := b.base
		for _, record := range records {
			r.push(was, record.offset, Gap, record.offset-was)
			r.push(record.offset, record.offset+1, kind, 1)
			was = record.offset + 1
		}
		r.push(was, end, Gap, end-was)
	}
}
