package gtid

import (
	"cmp"
	"slices"
)

// span is an interval of transaction numbers, both included. They start at 1. A list of spans is ascending, and between
// two there is at least one number that is in neither.
type span struct {
	first, last uint64
}

// normal brings spans into the form of a list, in place.
func normal(spans []span) []span {
	byFirst := func(a, b span) int { return cmp.Compare(a.first, b.first) }
	if !slices.IsSortedFunc(spans, byFirst) {
		slices.SortFunc(spans, byFirst)
	}
	out := spans[:0]
	for _, s := range spans {
		out = extend(out, s)
	}
	return out
}

// extend appends s, or makes the last span longer where s begins in it or right behind it.
func extend(spans []span, s span) []span {
	if n := len(spans); n > 0 && s.first >= spans[n-1].first && s.first-1 <= spans[n-1].last {
		spans[n-1].last = max(spans[n-1].last, s.last)
		return spans
	}
	return append(spans, s)
}

func unite(a, b []span) []span {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return normal(slices.Concat(a, b))
}

func intersect(a, b []span) []span {
	var out []span
	for len(a) > 0 && len(b) > 0 {
		both := span{max(a[0].first, b[0].first), min(a[0].last, b[0].last)}
		if both.first <= both.last {
			out = append(out, both)
		}
		if a[0].last < b[0].last {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

func subtract(a, b []span) []span {
	if len(b) == 0 {
		return a
	}
	var out []span
	for _, s := range a {
		for len(b) > 0 && b[0].last < s.last {
			if b[0].first > s.first {
				out = append(out, span{s.first, b[0].first - 1})
			}
			s.first = max(s.first, b[0].last+1) // at most s.last
			b = b[1:]
		}
		// What is left of b ends at s.last or later.
		switch {
		case len(b) == 0 || b[0].first > s.last:
			out = append(out, s)
		case b[0].first > s.first:
			out = append(out, span{s.first, b[0].first - 1})
		}
	}
	return out
}
