// Package mysql reckons how far a reader of a MySQL or MariaDB server's binlog is from its end, and whether the place that it
// has noted down is still there. It knows no Prometheus.
//
// The server's side is an Inventory, a consumer's side a Position; Measure makes a Distance of the two. A position is to be
// read before the inventory that it is measured by: what was written in between then counts as not yet read, and never the
// other way round.
package mysql

import (
	"slices"
	"time"

	"truelag/mysql/gtid"
)

// Flavor is the kind of a server: it decides how transactions are named.
type Flavor uint8

// The flavors.
const (
	MySQL Flavor = iota
	MariaDB
)

// Flavors lists every flavor in the order of their values.
func Flavors() []Flavor { return []Flavor{MySQL, MariaDB} }

func (f Flavor) String() string { return [...]string{"mysql", "mariadb"}[f] }

// Parse reads a set of transactions as servers of the flavor print it.
func (f Flavor) Parse(text string) (gtid.Set, error) {
	if f == MariaDB {
		return gtid.ParseMariaDB(text)
	}
	return gtid.ParseMySQL(text)
}

// Inventory is what a server has in its binlog. It is not changed once it is made.
type Inventory struct {
	Flavor Flavor

	// Server names the server whose files these are, and is compared with Position.Server: server_uuid, say. Empty: not known.
	Server string

	// Files are the rows of SHOW BINARY LOGS in their order, which is the order in which they are read; nil: not known.
	Files []File

	// FilesAt is when the server was asked for Files. The answer may be old: the statement waits for a huge transaction to be
	// flushed.
	FilesAt time.Time

	// Executed are all transactions that the server's binlog holds or held: gtid_executed, or of MariaDB gtid_binlog_pos and, where a
	// domain has had higher numbers before its last, gtid_binlog_state. nil: not known, which is not the empty set of a server that was
	// reset.
	Executed *gtid.Set

	// Purged are those of Executed whose files are gone: gtid_purged, and what the server had written when it began the file at
	// Begin, if that is not the first, or it is MariaDB, which has no variable for that. nil: not known.
	Purged *gtid.Set

	// Anonymous says that the server writes transactions that have no GTID (gtid_mode is OFF or OFF_PERMISSIVE), or that the last of a
	// domain of MariaDB has not the highest number of it: Executed does not tell of such ones, and so not how many are left.
	Anonymous bool

	// SetsAt is when the server was asked for Executed and Purged: no statement holds these up.
	SetsAt time.Time

	// Clock is what the server's own clock showed at SetsAt. Zero: not known.
	Clock time.Time

	// Expire is after which time without a write a file is purged. 0: not by time, or not known.
	Expire time.Duration
}

// Find is the index of the file of a name among Files, or -1. A name that is listed twice, as MySQL does that writes each file over the
// one before (log_bin with two dots), is the first.
func (inv *Inventory) Find(name string) (at int, twice bool) {
	named := func(f File) bool { return f.Name == name }
	at = slices.IndexFunc(inv.Files, named)
	return at, at >= 0 && slices.ContainsFunc(inv.Files[at+1:], named)
}

// Begin is the index of the first file that can be read from its beginning to the end of the last. What stands before it is lost to
// whoever has not read it: one of those files is listed and not there any more, as one that somebody has removed by hand. The last
// one counts as there, since the server writes to it.
func (inv *Inventory) Begin() int {
	for i := len(inv.Files) - 2; i >= 0; i-- {
		if inv.Files[i].gone() {
			return i + 1
		}
	}
	return 0
}

// Size is how many bytes all files have on disk. It is not known where that of one is not.
func (inv *Inventory) Size() Number {
	size := known(0)
	for _, f := range inv.Files {
		if f.Size <= 0 {
			return Number{}
		}
		size = size.plus(known(f.Size))
	}
	return size
}

// File is a file of a binlog.
type File struct {
	Name      string
	Size      int64 // in bytes, as SHOW BINARY LOGS tells it, 0 of one that the server cannot open; negative: it tells none
	Encrypted bool

	// Written is a time, by the server's clock, at or after which the file was written to last. Zero: not known.
	Written time.Time
}

const (
	// magicSize is what each file begins with: no event has a position before it.
	magicSize = 4

	// encryptionSize is the header of an encrypted file of MySQL. It counts in the size and not in positions. MariaDB's files
	// have none, and it does not tell which are encrypted.
	encryptionSize = 512
)

// gone tells whether no event of the file can be read: the server cannot open it, or it has less than each begins with. A file that
// a server rotates to, or was killed in, has more as soon as it is listed.
func (f File) gone() bool { return f.Size >= 0 && f.Size < magicSize }

// End is the position after the file's last event. It is not known of a file whose size is not.
func (f File) End() Number {
	end := f.Size
	if f.Encrypted {
		end -= encryptionSize
	}
	if end < magicSize {
		return Number{}
	}
	return known(end)
}

// span is how many bytes some files hold, in the space of positions. One that is not known makes the sum so.
func span(files []File) Number {
	n := known(0)
	for _, f := range files {
		n = n.plus(f.End())
	}
	return n
}
