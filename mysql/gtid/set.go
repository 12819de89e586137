// Package gtid reads the sets of global transaction identifiers that MySQL and MariaDB print, and reckons with them.
//
// A set is, for each source of transactions, the numbers that are in it. On MySQL a source is a server's UUID, or a UUID
// with a tag (8.3 and later): each has a counter of its own. On MariaDB it is a replication domain; which server wrote a
// transaction does not count, since all servers of a domain continue one numbering.
package gtid

import (
	"iter"
	"math"
	"math/bits"
	"slices"
)

// Set is a set of transactions. It is immutable; the zero value is the empty set.
//
// A MariaDB position such as 0-101-50 names the last transaction of domain 0, and stands for the sequence numbers 1 to 50.
// Numbers may have been left out there (gtid_seq_no is an ordinary variable), so what is counted is a distance between
// sequence numbers: the transactions are as many at most.
type Set struct {
	groups []group // ascending by source, none without spans
}

// group is what a set holds of one source.
type group struct {
	source Source
	spans  []span

	// On MariaDB, the server that wrote the transaction with this number: what names the group when it ends there.
	server   uint32
	sequence uint64
}

// IsEmpty tells whether no transaction is in s.
func (s Set) IsEmpty() bool { return len(s.groups) == 0 }

// Count is how many transactions are in s. Sets of several sources can hold more than a uint64 can tell: that is
// math.MaxUint64.
func (s Set) Count() uint64 {
	var count, carry uint64
	for _, g := range s.groups {
		for _, p := range g.spans {
			if count, carry = bits.Add64(count, p.last-p.first+1, 0); carry != 0 {
				return math.MaxUint64
			}
		}
	}
	return count
}

// Equal tells whether s and t hold the same transactions.
func (s Set) Equal(t Set) bool {
	return slices.EqualFunc(s.groups, t.groups, func(a, b group) bool {
		return a.source == b.source && slices.Equal(a.spans, b.spans)
	})
}

// Contains tells whether each transaction of t is in s.
func (s Set) Contains(t Set) bool { return t.Subtract(s).IsEmpty() }

// Union holds what is in s or in t.
func (s Set) Union(t Set) Set { return s.combine(t, unite) }

// Intersect holds what is in both s and t.
func (s Set) Intersect(t Set) Set { return s.combine(t, intersect) }

// Subtract holds what is in s and not in t.
func (s Set) Subtract(t Set) Set { return s.combine(t, subtract) }

// Before holds what is in s and has a lower number than the first that t holds of the same source: what a consumer that
// has read t was never to read. Sources of which t holds nothing are left out, since there is no first.
func (s Set) Before(t Set) Set {
	return s.combine(t, func(a, b []span) []span {
		if len(b) == 0 {
			return nil
		}
		return intersect(a, []span{{1, b[0].first - 1}}) // none from 1 to 0
	})
}

// Of holds what is in s of one source.
func (s Set) Of(source Source) Set {
	i, ok := slices.BinarySearchFunc(s.groups, source, func(g group, source Source) int { return g.source.compare(source) })
	if !ok {
		return Set{}
	}
	return Set{s.groups[i : i+1]}
}

// Sources iterates over the sources of s in the order in which String names them, each with what s holds of it: never
// the empty set.
func (s Set) Sources() iter.Seq2[Source, Set] {
	return func(yield func(Source, Set) bool) {
		for i, g := range s.groups {
			if !yield(g.source, Set{s.groups[i : i+1]}) {
				return
			}
		}
	}
}

// combine applies op to what s and t hold of each source that either names. The result may share spans with both, which
// is why nothing ever writes to those of a set.
func (s Set) combine(t Set, op func(a, b []span) []span) Set {
	var out []group
	a, b := s.groups, t.groups
	for len(a) > 0 || len(b) > 0 {
		var ga, gb group
		if len(b) == 0 || len(a) > 0 && a[0].source.compare(b[0].source) <= 0 {
			ga, a = a[0], a[1:]
		}
		if len(b) > 0 && (ga.spans == nil || b[0].source == ga.source) {
			gb, b = b[0], b[1:]
		}
		if spans := op(ga.spans, gb.spans); len(spans) > 0 {
			out = append(out, named(spans, ga, gb))
		}
	}
	return Set{out}
}

// named is the group of these spans, which come from a, from b, or from both, with the name of the one that ends where
// they end.
func named(spans []span, a, b group) group {
	g := a
	if a.spans == nil || b.spans != nil && a.sequence != spans[len(spans)-1].last {
		g = b
	}
	g.spans = spans
	return g
}
