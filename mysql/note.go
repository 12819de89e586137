package mysql

import "context"

// Consumer reads what one consumer of a server's binlog has noted down of its place. Read keeps to its context, and is not
// called again before it has returned. Errors show no secret.
type Consumer interface {
	Name() string
	Read(ctx context.Context) (Note, error)
	Close()
}

// Note is what a consumer has noted down, and what is said of it.
type Note struct {
	// Position is nil where nothing is noted down yet. Its ReadAt may be left out: a Server then fills in when Read returned.
	Position *Position

	// Captures are the schemas, and tables as schema.table, that the consumer reads, in any case. A transaction that changes
	// nothing of them is not left to read. None: it reads all.
	Captures []string

	// State is the consumer's, as whoever runs it tells it: running, paused, stopped, failed, restarting, unassigned, missing
	// and so on. Empty: nobody tells.
	State string

	// Reason is why it failed, in one line and without secrets. Empty: not told.
	Reason string

	// Which says which of several places was taken, and why; where there is no Position, what is noted down in place of one. Empty:
	// there is one, or nothing at all.
	Which string

	// LeftOut is what could not be read beside what is in the note, and why, in one line and without secrets. Empty: nothing.
	LeftOut string

	// Reported are lags that the consumer reckons itself, as it reports them.
	Reported []Reported
}

// Reported is a number that a consumer reports. Source is the consumer's own name of it, such as MilliSecondsBehindSource, and
// its unit is the consumer's.
type Reported struct {
	Source string
	Value  float64
}
