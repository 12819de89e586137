package kafka

import (
	"slices"
	"sort"
)

// stamp is when the records of one batch were created, or appended, as far as its header tells.
type stamp struct {
	first, last int64 // offset of the batch's first record, as far as it is known, and the batch's last offset
	time        int64 // of the first record, in milliseconds since 1970; 0: the header does not tell it
	all         bool  // time is that of each record: the broker's clock stamped them together
	size        int32 // bytes of the whole batch
}

// stampOf reads a data batch's header. With the delete horizon flag (KIP-534) the base timestamp is no record's.
func stampOf(b *batch) stamp {
	s := stamp{first: b.base, last: b.last, size: int32(len(b.raw))}
	switch {
	case b.attributes&attrLogAppendTime != 0:
		s.time, s.all = max(b.maxTime, 0), true
	case b.attributes&attrDeleteHorizon == 0:
		s.time = max(b.baseTime, 0)
	}
	return s
}

// layStamps puts newer stamps in the place of those of the same batches.
func (r *runs) layStamps(over []stamp) {
	if len(over) == 0 {
		return
	}
	from, to := over[0].first, over[len(over)-1].last
	i := sort.Search(len(r.stamps), func(i int) bool { return r.stamps[i].last >= from })
	k := sort.Search(len(r.stamps), func(i int) bool { return r.stamps[i].first > to })
	r.stamps = slices.Replace(r.stamps, i, max(i, k), over...)
}

// stampAt is the stamp of the batch that holds an offset; nil when it is not known.
func (r *runs) stampAt(offset int64) *stamp {
	i := sort.Search(len(r.stamps), func(i int) bool { return r.stamps[i].last >= offset })
	if i < len(r.stamps) && r.stamps[i].first <= offset {
		return &r.stamps[i]
	}
	return nil
}

// search is what looking for the first record has come to.
type search uint8

const (
	searchNone    search = iota // there is none
	searchFound                 // at the offset, or in the batch that begins there
	searchUnknown               // offsets that were not looked at, or cannot be counted, come first
)

// firstRecord looks for the first record of [from, to), with aborted ones counted as records or not.
func (r *runs) firstRecord(from, to int64, aborted bool) (int64, search) {
	for at := from; at < to; {
		i := r.find(at)
		if i == len(r.list) || r.list[i].start > at {
			return at, searchUnknown
		}
		if i%stride == 0 && i+stride < len(r.list) && r.list[i+stride].start <= to {
			r.sum(i/stride + 1)
			lower, upper := &r.sums[i/stride], &r.sums[i/stride+1]
			if lower[Record] == upper[Record] && lower[Unscanned] == upper[Unscanned] && (!aborted || lower[Aborted] == upper[Aborted]) {
				at = r.list[i+stride].start
				continue
			}
		}
		switch kind := r.list[i].kind(); {
		case kind == Record, kind == Aborted && aborted:
			if at > r.list[i].start && r.sparse(i) {
				return at, searchUnknown
			}
			return at, searchFound
		case kind == unknown, kind == Unscanned:
			return at, searchUnknown
		}
		at = r.stop(i)
	}
	return to, searchNone
}
