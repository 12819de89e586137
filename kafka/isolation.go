package kafka

// Isolation is the isolation.level of a group's consumers: it decides which offsets they are handed.
type Isolation uint8

// The levels, as consumers are configured with them.
const (
	ReadCommitted Isolation = iota
	ReadUncommitted
)

func (i Isolation) String() string {
	if i == ReadUncommitted {
		return "read_uncommitted"
	}
	return "read_committed"
}

// IsolationSource says how a group's isolation is known. The broker does not know it.
type IsolationSource uint8

// The sources, in the order in which a later one wins.
const (
	Assumed    IsolationSource = iota // nothing says otherwise: read_committed
	Observed                          // a commit stands where no read_committed consumer gets by reading
	Configured                        // the configuration says so
)

func (s IsolationSource) String() string {
	return [...]string{"assumed", "observed", "configured"}[s]
}
