package mysql

import "time"

// age is how long ago something was by the server's clock. What came after the clock was read is of no age. What came later than the
// round can have lasted was dated by a client, or by another clock: nobody knows its age.
func (inv *Inventory) age(at time.Time) Duration {
	if at.IsZero() || inv.Clock.IsZero() || at.Sub(inv.Clock) > longest {
		return Duration{}
	}
	return lasting(inv.Clock.Sub(at))
}

// kept is how long a place's file is sure not to be purged by time. A server purges none that it writes to, and others by when
// they were last written to.
func (inv *Inventory) kept(at place, scan Scan) Duration {
	if inv.Expire <= 0 {
		return Duration{}
	}
	if at.index == len(inv.Files)-1 && !older(inv.FilesAt, inv.SetsAt) {
		return lasting(inv.Expire)
	}
	written := inv.Files[at.index].Written
	if scan.Written.After(written) {
		written = scan.Written
	}
	idle := inv.age(written)
	if !idle.Known {
		return Duration{}
	}
	return lasting(inv.Expire - idle.D)
}
