package mysql

import (
	"context"
	"errors"
	"time"
)

// Scanner reads the events that follow a position, for a consumer that captures some schemas, and tables as schema.table; none: all.
// A Server has one scan under way at a time. What is kept from scan to scan belongs to inv.Server, and is worth nothing once that
// changes. An error for want of a privilege wraps ErrDenied; errors show no secret. A budget that ends a scan is no error: what was
// seen is returned, with After as Unread where it does not tell.
type Scanner interface {
	Scan(ctx context.Context, inv *Inventory, p *Position, captures ...string) (Scan, error)
	Close()
}

// ErrDenied is wrapped by errors that say which privilege is missing.
var ErrDenied = errors.New("a privilege is missing")

// Scan is what the events are that follow a position. The zero value is that nobody has looked.
type Scan struct {
	After After

	// First is when the first transaction that is not wholly consumed was committed, by the server's clock. Zero: there is
	// none, or it is not known.
	First time.Time

	// Written is when the position's file was last written to, or earlier, by the server's clock: when the next one was begun, or
	// else the time of an event in it, which a client may have set. Zero: not known.
	Written time.Time

	// Kind and GTID are of that first transaction: the event that it begins with, and its name. Empty: none, or not known.
	Kind, GTID string

	// Handled says that the transaction at the place was begun earlier, and all of it handled, as far as the position's Event and
	// Row tell.
	Handled bool

	// Packed says that the first transaction is compressed, and the position stands between its GTID and it.
	Packed bool

	// Events, Bytes and Transactions were read, Skipped of the transactions change nothing that counts: bookkeeping,
	// what the consumer does not capture, or has read by its set.
	Events, Bytes, Transactions, Skipped int64

	// Start is the offset in the position's file that it began at: of the places that the position can mean, since they begin anew at
	// 4 GiB, the lowest at which an event may begin. Of a position that names no file, StartFile and Start are the place of the first
	// transaction that is left. An empty StartFile: there is none, or it is not known.
	StartFile string
	Start     int64

	// File and Pos are where it ended.
	File string
	Pos  int64

	// Stopped is the budget that ended it, in words. Empty: it came to the end of the binlog, or had seen enough.
	Stopped string

	// Cached says that it was made for an earlier round, and nothing has been written since.
	Cached bool
}

// made says that the server was asked for events, in this round or in an earlier one, and sent some.
func (s *Scan) made() bool { return s.After != Unread || s.Events > 0 }
