// Package collector turns readings into metrics. It is where two systems are compared, since it alone sees both, and it
// holds the catalogue: every family that the exporter may export is described here, beside the code that fills it.
//
// A Collector reads one kind of system and fills rows; a Set runs the collectors of one scrape and writes what they
// found. Neither keeps a value from one scrape to the next: what could not be read has no sample, and
// truelag_scrape_collector_success says so.
package collector

import (
	"context"
	"time"

	"truelag/exposition"
)

// Collector reads one kind of system.
type Collector interface {
	// Name is the value of the collector label, and what --collector.NAME and collect[]=NAME say.
	Name() string

	// Descs lists every family that Collect may fill.
	Descs() []exposition.Desc

	// Collect reads what there is to read before the context's deadline. What failed is in Outcomes; all that was read
	// is in Blocks all the same.
	Collect(ctx context.Context) Findings
}

// Findings is what one Collect has found.
type Findings struct {
	Blocks   []exposition.Block
	Outcomes []Outcome // one for each system that was read
}

// Outcome says how the reading of one system went.
type Outcome struct {
	Labels   string // rendered labels that tell the system from its like; empty when there is only one
	System   string // its name for people; empty when there is only one
	Duration time.Duration
	Err      error // nil: read, though single rows may be missing
}

// Status is the last outcome of a system, for people.
type Status struct {
	Collector   string
	System      string
	At          time.Time // when the last read ended; zero: none has
	LastSuccess time.Time // zero: none yet
	Duration    time.Duration
	Err         error
}
