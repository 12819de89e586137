package kafka

import "math"

// Kind says what an offset between a group's commit and the high watermark is. Each such offset is exactly one of them.
type Kind uint8

// The kinds.
const (
	Record    Kind = iota // a record that a consumer of the group's isolation level will be handed
	Control               // a commit or abort marker: an offset of a control batch
	Aborted               // a record of an aborted transaction; for read_uncommitted it is a Record
	Blocked               // at or above the last stable offset: held back from read_committed by an open transaction
	Gap                   // no entry: removed by compaction, inside a batch or between batches
	Lost                  // below the log start offset: deleted before the group read it
	Unscanned             // not looked at, or without a count (message formats 0 and 1): might be a record
	kinds
)

// Kinds lists every kind in the order of their values.
func Kinds() []Kind { return []Kind{Record, Control, Aborted, Blocked, Gap, Lost, Unscanned} }

func (k Kind) String() string {
	return [kinds]string{"record", "control", "aborted", "blocked", "gap", "lost", "unscanned"}[k]
}

// Composition counts offsets by kind. The counts of a lag sum to the raw lag.
type Composition [kinds]int64

// Offsets is the number of all offsets: the raw lag.
func (c *Composition) Offsets() int64 {
	var n int64
	for _, v := range c {
		n = sum(n, v)
	}
	return n
}

// Records is the true lag: never less than the truth, and exact where nothing is unscanned.
func (c *Composition) Records() int64 { return sum(c[Record], c[Unscanned]) }

func (c *Composition) add(o *Composition) {
	for k := range c {
		c[k] = sum(c[k], o[k])
	}
}

// sum adds two numbers of offsets. It ends at the greatest number there is: anybody may commit any offset, and a broker
// may answer any, also such whose true sum would come out negative.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
