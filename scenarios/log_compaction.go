package scenarios

import (
	"slices"
)

// compact removes the entries of some offsets. Batches keep their first and last offset.
func (l *partitionLog) compact(s span) {
	// A claimed batch cannot have holes: its parts about the borders are written out.
	for _, border := range []int64{s.from, s.to + 1} {
		l.split(border - fillBatch/2)
		l.split(border + fillBatch/2)
		for i := range l.batches {
			if b := &l.batches[i]; b.last-b.base < fillBatch {
				b.claimed = false
			}
		}
	}
	var emptied []batch
	for i := range l.batches {
		b := &l.batches[i]
		had := len(b.kept) > 0
		b.kept = without(b.kept, s)
		if had && len(b.kept) == 0 {
			emptied = append(emptied, *b)
		}
	}
	for _, b := range emptied {
		if b.control && !b.commit {
			l.unmark(&b)
		}
	}
}

// split makes two batches of a claimed one, so that the second begins at an offset.
func (l *partitionLog) split(offset int64) {
	for i, b := range l.batches {
		if b.claimed && b.base < offset && offset <= b.last {
			tail := b
			tail.base, tail.kept = offset, without(b.kept, span{0, offset - 1})
			l.batches[i].last, l.batches[i].kept = offset-1, without(b.kept, span{offset, endless})
			l.batches = slices.Insert(l.batches, i+1, tail)
			return
		}
	}
}

// unmark forgets an aborted transaction whose marker is gone. A real cleaner removes a marker after all of the data;
// where a case leaves data behind, later batches of the producer get another id, for nothing ends the transaction now.
func (l *partitionLog) unmark(marker *batch) {
	i := slices.IndexFunc(l.txns, func(t *txn) bool { return t.aborted && t.last == marker.base })
	if i < 0 {
		return
	}
	t := l.txns[i]
	isData := func(b batch) bool {
		return b.transactional && !b.control && b.producer == t.producer && b.base >= t.first && b.last < t.last && len(b.kept) > 0
	}
	if !slices.ContainsFunc(l.batches, isData) {
		l.txns = slices.Delete(l.txns, i, i+1)
		return
	}
	old, fresh := t.producer, firstAlias+int64(l.renamed)
	l.renamed++
	for id, now := range l.aliases {
		if now == old {
			l.aliases[id] = fresh
		}
	}
	if _, known := l.aliases[old]; !known {
		l.aliases[old] = fresh
	}
	for i := range l.batches {
		if b := &l.batches[i]; b.producer == old && b.base > t.last {
			b.producer = fresh
		}
	}
	for _, later := range l.txns {
		if later.producer == old && later.first > t.last {
			later.producer = fresh
		}
	}
}

func (l *partitionLog) alias(producer int64) int64 {
	if now, ok := l.aliases[producer]; ok {
		return now
	}
	return producer
}

// without takes a span out of some.
func without(spans []span, s span) []span {
	var left []span
	for _, have := range spans {
		if before := (span{have.from, min(have.to, s.from-1)}); before.from <= before.to {
			left = append(left, before)
		}
		if after := (span{max(have.from, s.to+1), have.to}); after.from <= after.to {
			left = append(left, after)
		}
	}
	return left
}
