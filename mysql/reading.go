package mysql

import (
	"slices"
	"time"
)

// Reading is what one round has read of a server and its consumers. It is not changed once it is made.
type Reading struct {
	At time.Time // when the round began

	// Err is why nothing of the server could be read. Its consumers' notes are there all the same.
	Err error

	Version string // as the server tells it; empty: not known
	Flavor  Flavor // of no meaning without Version

	// Inventory is nil where it could not be read. What of it is missing, Features tell.
	Inventory *Inventory

	// FilesAsked is when the server was asked for the list of files that it has not answered with yet. Zero: none is on its way.
	FilesAsked time.Time

	Features  []Feature // in the order of their names' constants, all that are configured
	Consumers []ConsumerReading

	// Statements are those that the round has sent, and those for the list of files also where an earlier round has. What is not
	// answered yet is not among them.
	Statements []Statement
}

// Scanned tells whether the events after some consumer's position were asked for, now or in an earlier round.
func (r *Reading) Scanned() bool {
	return slices.ContainsFunc(r.Consumers, func(c ConsumerReading) bool {
		return c.ScanErr != nil || c.Scan != nil && c.Scan.made()
	})
}

// Feature is a part of a reading that can be missing by itself, for want of a privilege mostly.
type Feature struct {
	Name string
	Err  error // nil: it works
}

// The features.
const (
	FeatureFiles  = "files"  // SHOW BINARY LOGS
	FeatureGTIDs  = "gtids"  // the sets of executed and purged transactions
	FeatureExpiry = "expiry" // the settings that purge files by time
	FeatureScan   = "scan"   // the event scan; where there is none, it is left out
)

// ConsumerReading is one consumer.
type ConsumerReading struct {
	Name string

	Note   Note
	ReadAt time.Time // when Note was read
	Err    error     // why it could not be

	// Since is when this position was first read. Zero: there is none.
	Since time.Time

	Scan    *Scan // nil: there was none
	ScanErr error // why

	Distance Distance
}
