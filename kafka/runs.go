package kafka

import (
	"slices"
	"sort"
)

// A run says what a stretch of offsets is. It ends where the next one begins.
//
// A stretch of records or aborted records may be sparse: it then has fewer entries than offsets, the others are gaps,
// and which is which is not known. That is how a compacted batch looks from its header.
type run struct {
	start  int64
	packed uint64 // entries<<3 | kind
}

const unknown Kind = 7 // a run that nobody looked at yet, between others

func newRun(start int64, kind Kind, entries int64) run {
	return run{start, uint64(entries)<<3 | uint64(kind)}
}

func (r run) kind() Kind     { return Kind(r.packed & 7) }
func (r run) entries() int64 { return int64(r.packed >> 3) }

// runs is a map of a log: what the offsets of [start of the first run, end) are. The zero value maps nothing.
type runs struct {
	list []run
	end  int64
	sums []Composition // sums[i] is what list[:i*stride] holds; made when first needed

	stamps []stamp // of the batches with records in it, by offset
}

const stride = 64

// len is how many runs and stamps there are.
func (r *runs) len() int { return len(r.list) + len(r.stamps) }

// stop is where run i ends.
func (r *runs) stop(i int) int64 {
	if i+1 < len(r.list) {
		return r.list[i+1].start
	}
	return r.end
}

func (r *runs) sparse(i int) bool {
	k := r.list[i].kind()
	return (k == Record || k == Aborted) && r.list[i].entries() < r.stop(i)-r.list[i].start
}

// find is the index of the run that holds offset, or of the first one after it.
func (r *runs) find(offset int64) int {
	i := sort.Search(len(r.list), func(i int) bool { return r.list[i].start > offset })
	if i > 0 && offset < r.stop(i-1) {
		return i - 1
	}
	return i
}

// push adds a stretch at the end of the map. A stretch that does not begin there leaves an unknown one between.
func (r *runs) push(start, end int64, kind Kind, entries int64) {
	if end <= start {
		return
	}
	n := len(r.list)
	if n > 0 && start > r.end {
		r.list = append(r.list, newRun(r.end, unknown, 0))
		n++
	}
	if n > 0 && start == r.end {
		last := r.list[n-1]
		whole := entries == end-start && last.entries() == start-last.start // sparse ones keep their own borders
		if last.kind() == kind && (whole || kind == unknown) {
			if kind == unknown {
				entries = 0
			}
			r.list[n-1] = newRun(last.start, kind, last.entries()+entries)
			r.end = end
			r.cut(n - 1)
			return
		}
	}
	r.list = append(r.list, newRun(start, kind, entries))
	r.end = end
}

// cut forgets the sums that run i is part of.
func (r *runs) cut(i int) {
	if keep := i/stride + 1; keep < len(r.sums) {
		r.sums = r.sums[:keep]
	}
}

// lay puts what is newly known over what was: over's stretch replaces that of r. A sparse run that the stretch cuts
// becomes unknown outside it.
func (r *runs) lay(over *runs) {
	if len(over.list) == 0 {
		return
	}
	r.layStamps(over.stamps)
	from, to := over.list[0].start, over.end
	if len(r.list) == 0 {
		r.list, r.end = slices.Clone(over.list), over.end
		return
	}
	if from >= r.end { // the usual case: the log has grown
		r.append(over, from, to)
		return
	}
	old := *r
	*r = runs{list: make([]run, 0, len(old.list)+len(over.list)+3), stamps: old.stamps}
	r.append(&old, old.list[0].start, from)
	r.append(over, from, to)
	r.append(&old, to, old.end)
}

// append pushes what o says of [from, to).
func (r *runs) append(o *runs, from, to int64) {
	for i := o.find(from); i < len(o.list) && o.list[i].start < to; i++ {
		start, end := max(from, o.list[i].start), min(to, o.stop(i))
		kind, entries := o.list[i].kind(), o.list[i].entries()
		if end-start < o.stop(i)-o.list[i].start {
			if o.sparse(i) {
				kind = unknown
			}
			entries = end - start
		}
		r.push(start, end, kind, entries)
	}
}

// trimBelow forgets the runs that end at or before an offset, and the stamps of such batches.
func (r *runs) trimBelow(from int64) {
	i := r.find(from)
	if i == len(r.list) {
		*r = runs{}
		return
	}
	r.stamps = dropped(r.stamps, sort.Search(len(r.stamps), func(i int) bool { return r.stamps[i].last >= from }))
	if i > 0 {
		r.list, r.sums = dropped(r.list, i), nil
	}
}

// dropped is a list without its first n elements. Memory that the list does not need any more is let go.
func dropped[E any](list []E, n int) []E {
	list = slices.Delete(list, 0, n)
	if len(list) < cap(list)/4 {
		return slices.Clone(list)
	}
	return list
}

// after is an offset with about n runs or stamps below it.
func (r *runs) after(n int) int64 {
	switch {
	case n >= r.len():
		return r.end
	case len(r.stamps) > len(r.list):
		return r.stamps[n*len(r.stamps)/r.len()].first
	}
	return r.list[n*len(r.list)/r.len()].start
}

// trimFrom forgets all from an offset on.
func (r *runs) trimFrom(from int64) {
	if len(r.list) == 0 || from >= r.end {
		return
	}
	old := *r
	*r = runs{stamps: old.stamps[:sort.Search(len(old.stamps), func(i int) bool { return old.stamps[i].first >= from })]}
	r.append(&old, old.list[0].start, from)
}

// span is a stretch of offsets, end excluded.
type span struct{ from, to int64 }

// missing lists the stretches of [from, to) that must be read before they can be counted.
func (r *runs) missing(from, to int64) []span {
	var out []span
	for at := from; at < to; {
		i := r.find(at)
		if i == len(r.list) {
			return append(out, span{at, to})
		}
		if r.list[i].start > at {
			out = append(out, span{at, min(to, r.list[i].start)})
			at = r.list[i].start
			continue
		}
		end := r.stop(i)
		if r.list[i].kind() == unknown || at == from && at > r.list[i].start && r.sparse(i) {
			out = append(out, span{at, min(to, end)})
		}
		at = end
	}
	return out
}
