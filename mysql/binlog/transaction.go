package binlog

import (
	"time"

	"truelag/mysql"
)

// transaction is one that has begun.
type transaction struct {
	name    string // of the event that it begins with
	named   bool   // by that
	gtid    string
	at      time.Time
	midway  bool // it began before the position
	grouped bool // an event ends it
	packed  bool // it is at the position, and compressed
	read    bool // by the consumer's set
	changes bool // it has changed something, handled or not

	through time.Time // what was logged until then was handled; zero: not told
}

// enter begins a transaction with an event that begins none: it was under way at the position, or has no name and no BEGIN.
func (j *judge) enter(e event) {
	if j.open != nil {
		return
	}
	j.start(e)
	j.open.midway = j.place && e.kind != statement && e.kind != idle
	j.open.grouped = j.open.midway
	if j.open.midway {
		j.transactions--
		j.handled.midway()
	}
}

// start begins a transaction with the first of its events.
func (j *judge) start(e event) {
	j.open = &transaction{name: e.name, named: e.kind == named, gtid: e.gtid, at: e.committed, grouped: e.kind == named && j.flavor == mysql.MariaDB && !e.alone}
	if j.open.at.IsZero() {
		j.open.at = j.written(e.at)
	}
	j.open.read = j.consumed.has(e.gtid)
	j.transactions++
	j.place = j.place && !j.begun
	j.open.packed = j.place && j.packed
	counted := j.flavor == mysql.MariaDB || e.kind != named
	switch {
	case !j.place || !counted || j.event == 0:
	case j.packed && !j.logged.IsZero():
		j.open.through = j.logged
	default:
		j.handled = newCounts(j.flavor, j.event, j.row, j.ends)
		if e.kind == named {
			j.handled.step(e, false)
		}
	}
	j.begun = true
}

// written is when an event was, as far as its header tells: that has the time of a statement, which a client may set, and which a
// replica has from the first server.
func (j *judge) written(at time.Time) time.Time {
	if !at.IsZero() && at.Before(j.since) {
		return j.since
	}
	return at
}
