// Package gtid reads the sets of global transaction identifiers that MySQL and MariaDB print, and reckons with them.
//
// A set is, for each source of transactions, the numbers that are in it. On MySQL a source is a server's UUID, or a UUID
// with a tag (8.3 and later): each has a counter of its own. On MariaDB it is a replication domain; which server wrote a
// transaction does not count, since all servers of a domain continue one numbering.
package gtid

import "iter"

// Set is a set of transactions. It is immutable; the zero value is the empty set.
//
// A MariaDB position such as 0-101-50 names the last transaction of domain 0, and stands for the sequence numbers 1 to 50.
// Numbers may have been left out there (gtid_seq_no is an ordinary variable), so what is counted is a distance between
// sequence numbers: the transactions are as many at most.
type Set struct {
	groups []group
}

// ParseMySQL reads what gtid_executed, gtid_purged and GTID_SUBTRACT print and what MySQL accepts as such: UUIDs in any
// case, tags, spaces and newlines around each part, an UUID named again, empty parts, intervals in any order that overlap.
// The error says at which byte what was wrong.
func ParseMySQL(text string) (Set, error) { return Set{}, nil }

// ParseMariaDB reads what gtid_binlog_pos, gtid_slave_pos and gtid_binlog_state print, and likewise with spaces and
// newlines. Of several positions in one domain, as in a binlog state, the highest holds.
// The error says at which byte what was wrong.
func ParseMariaDB(text string) (Set, error) { return Set{}, nil }

// String is the set in the form in which the server prints it; parsed again it gives an equal set. MariaDB has no form for
// a set that is no position, such as a difference: that is domain:first-last, for people to read.
func (s Set) String() string { return "" }

// IsEmpty tells whether no transaction is in s.
func (s Set) IsEmpty() bool { return len(s.groups) == 0 }

// Count is how many transactions are in s, at most math.MaxUint64: what is more counts as that.
func (s Set) Count() uint64 { return 0 }

// Equal tells whether s and t hold the same transactions.
func (s Set) Equal(t Set) bool { return false }

// Contains tells whether each transaction of t is in s.
func (s Set) Contains(t Set) bool { return false }

// Union holds what is in s or in t.
func (s Set) Union(t Set) Set { return Set{} }

// Intersect holds what is in both s and t.
func (s Set) Intersect(t Set) Set { return Set{} }

// Subtract holds what is in s and not in t.
func (s Set) Subtract(t Set) Set { return Set{} }

// Before holds what is in s and has a lower number than the first that t holds of the same source: what a consumer that
// has read t was never to read. Sources of which t holds nothing are left out, since there is no first.
func (s Set) Before(t Set) Set { return Set{} }

// Of holds what is in s of one source.
func (s Set) Of(source Source) Set { return Set{} }

// Sources iterates over the sources of s in the order in which String names them, each with what s holds of it: never
// the empty set.
func (s Set) Sources() iter.Seq2[Source, Set] { return func(func(Source, Set) bool) {} }
