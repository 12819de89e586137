package binlog

import "time"

// kind is what an event means to somebody who asks what follows a position.
type kind uint8

const (
	outside    kind = iota // of no transaction: a file's header, a rotation, a checkpoint
	named                  // gives the transaction that begins with it a GTID
	begin                  // BEGIN, or XA START
	statement              // changes something by its text
	table                  // says what the events of rows that follow are about
	rows                   // changes rows
	annotation             // MariaDB's text of a statement, which only those are sent who ask for it
	within                 // of a transaction, and changes nothing
	idle                   // changes nothing by its text, and stands where a statement does
	end                    // of a transaction
	payload                // a transaction's other events, compressed
	other                  // of a kind that is not known: it may change anything
)

// event is what is looked at of an event.
type event struct {
	kind kind
	name string    // of its type, as SHOW BINLOG EVENTS prints it
	at   time.Time // of its header, in seconds; zero: none

	gtid      string    // of a named one; empty where it is anonymous
	committed time.Time // on the server that sends it; zero: not told
	alone     bool      // what follows a named one is a single statement that nothing ends

	id            uint64 // of the table, for table and rows
	schema, table string
	definition    []byte // of the table, as count wants it

	// schemas are those that a statement touches. nil: not told, or too many.
	schemas []string

	// count is how many rows an event of rows changes. It is called before the next event is read, or not at all.
	count func(definition []byte) (int64, error)

	// inner is the next event in a payload, and io.EOF after the last.
	inner func() (event, error)
}
