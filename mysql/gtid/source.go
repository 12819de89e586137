package gtid

// Source is what numbers transactions: on MySQL an UUID with its tag, on MariaDB a domain. It is comparable.
type Source struct {
	uuid    [16]byte
	tag     string // lower case; most have none
	mariadb bool
	domain  uint32
}

// String is the UUID in lower case, or UUID:tag, or the domain's number.
func (s Source) String() string { return "" }

// group is what a set holds of one source.
type group struct {
	source Source
	spans  []span // ascending, with at least one number between two
}

// span is an interval of transaction numbers, both included. They start at 1.
type span struct {
	first, last uint64
}
