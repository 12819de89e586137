package mysql

// State says what a consumer's position is worth. Each position has exactly one.
type State uint8

// The states.
const (
	Unknown    State = iota // the position or the server could not be read, or says nothing that can be judged
	OK                      // the consumer can go on from there, and has something left to read as far as is known
	CaughtUp                // the consumer can go on from there, and no transaction is left to read
	Purged                  // what the consumer would read next is gone from the server
	Ahead                   // the server has not written that far: it was reset, or has lost its last transactions, or is another one
	Foreign                 // the place is in the files of another server
	Invalid                 // there cannot be an event at such a place
	Snapshot                // the consumer takes a snapshot and reads no binlog meanwhile
	NoPosition              // the consumer has noted nothing down yet
	states
)

// States lists every state in the order of their values.
func States() []State {
	return []State{Unknown, OK, CaughtUp, Purged, Ahead, Foreign, Invalid, Snapshot, NoPosition}
}

func (s State) String() string {
	return [states]string{
		"unknown", "ok", "caught_up", "purged", "ahead", "foreign", "invalid", "snapshot", "no_position",
	}[s]
}

// well tells whether the consumer can go on.
func (s State) well() bool { return s == OK || s == CaughtUp }

// Lost tells whether it cannot: its place is gone, or was never one of the server's.
func (s State) Lost() bool { return s == Purged || s == Ahead || s == Foreign || s == Invalid }

// After says what the events are that follow a position. Bytes do not tell: a rotation leaves some that hold no transaction,
// and many consumers stay at the start of the last transaction that they have handled until the next one.
type After uint8

// What can follow.
const (
	Unread      After = iota // nobody has looked
	None                     // no transaction, or no more than the rest of one that was handled whole
	Rest                     // the transaction at the position goes on past what was handled of it
	Transaction              // a whole transaction
	NoEvent                  // the server finds no event at the position
	afters
)

// Afters lists everything that can follow in the order of their values.
func Afters() []After { return []After{Unread, None, Rest, Transaction, NoEvent} }

func (a After) String() string {
	return [afters]string{"unread", "none", "rest", "transaction", "no_event"}[a]
}
