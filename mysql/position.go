package mysql

import (
	"slices"
	"strings"
	"time"
)

// Position is the place in a binlog from which a consumer would go on, as it has noted it down.
type Position struct {
	// File and Pos are the place: an offset in a file. An empty File is none; such a consumer goes on by GTIDs. A Pos below 4
	// is the file's beginning.
	File string
	Pos  int64

	// GTIDs is the set of the transactions that the consumer has read, in the form of the server's flavor. Empty: not told,
	// which is not the empty set.
	GTIDs string

	// Event and Row are how many events of the transaction at the place, and rows of the last of them, were handled. They are
	// for who reads the events there; the distance does not depend on them.
	Event, Row int64

	// SetBefore says that GTIDs lacks the transaction at the place, of which Event tells how much was handled: such a consumer
	// begins it anew, and passes over that much.
	SetBefore bool

	// SetAhead says that GTIDs is what the consumer was sent, not what it has read: where the transaction at the place is compressed,
	// it may have it already.
	SetAhead bool

	// Ends says that the consumer notes down the end of a transaction, too: Event is that of the event that ends it then, and Row 0.
	Ends bool

	// Logged is when the last event that was handled was logged, by the server's clock in seconds. Zero: not told. It tells the
	// events of a compressed transaction apart for a consumer to which all are at one place, and that does not count them.
	Logged time.Time

	// Snapshot is the consumer's own word for the kind of snapshot that it is taking; empty: none.
	Snapshot string

	// Server names the server whose files File and Pos are about, and is compared with Inventory.Server. Empty: not told.
	Server string

	// ReadAt is when the consumer's notes were read.
	ReadAt time.Time
}

// IsZero tells whether the position names no place at all.
func (p *Position) IsZero() bool { return p.File == "" && strings.TrimSpace(p.GTIDs) == "" }

// standstills are the words of a snapshot after which streaming begins, or that interrupts it: meanwhile the place stands where
// the snapshot began. Debezium notes down the kind (initial or blocking), and older releases true. The others are words of its own
// that a file or a query may repeat: a mode of snapshots, and what it calls their records.
var standstills = []string{
	"initial", "initial_only", "blocking", "true", "first", "first_in_data_collection", "last_in_data_collection", "last",
}

// InSnapshot tells whether the consumer takes a snapshot and reads no binlog meanwhile. An incremental snapshot runs beside
// streaming, and is none.
func (p *Position) InSnapshot() bool {
	return slices.Contains(standstills, strings.ToLower(strings.TrimSpace(p.Snapshot)))
}
