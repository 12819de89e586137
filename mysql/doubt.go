package mysql

import (
	"time"

	"truelag/mysql/gtid"
)

// settling is how long a transaction that a consumer has may be missing from the server's set: as long as a server waits by
// default for a replica of semi-synchronous replication, and a little more.
const settling = 12 * time.Second

// doubt is about a consumer whose set holds transactions that the server's does not. That alone does not tell that the server
// is another one, or has lost them: with semi-synchronous replication a server sends a transaction before it is done with it.
// So a consumer that was well stays so, and another's state is unknown, until it is sure: the server has had them once, or the
// same ones are missing in all readings for as long as settling.
type doubt struct {
	server   string
	executed gtid.Set  // what the server had at the last reading
	missing  gtid.Set  // from that, in all readings since
	since    time.Time // of the first of them
	sure     bool
	well     bool // the consumer could go on at the last reading
}

// weigh takes in a reading. What the consumer has read was told before the server was asked.
func (d *doubt) weigh(server string, executed, consumed gtid.Set, now time.Time) {
	if d.server != server {
		*d = doubt{server: server}
	}
	missing := consumed.Subtract(executed)
	lost := !missing.Intersect(d.executed).IsEmpty()
	d.executed = executed
	if still := missing.Intersect(d.missing); !still.IsEmpty() {
		d.missing = still
		d.sure = d.sure || lost || now.Sub(d.since) >= settling
		return
	}
	d.missing, d.since, d.sure = missing, now, lost
}

// measure is Measure without being rash: see doubt.
func (d *doubt) measure(inv *Inventory, p *Position, scan Scan) Distance {
	distance := Measure(inv, p, scan)
	if distance.State != Ahead || d.sure || d.missing.IsEmpty() {
		return distance
	}
	bare := *p
	bare.GTIDs = ""
	if Measure(inv, &bare, scan).State == Ahead { // the place says so by itself
		return distance
	}
	if !d.well {
		return Distance{State: Unknown}
	}
	trusted := *inv
	all := inv.Executed.Union(d.missing)
	trusted.Executed = &all
	return Measure(&trusted, p, scan)
}
