package mysql

import (
	"fmt"
	"math"

	"truelag/mysql/gtid"
)

// history is what a consumer has read of a server's transactions, by the sets of both.
type history struct {
	// state is OK where the consumer can go on by its set, Purged or Ahead where it cannot, and Unknown where a set is missing.
	state State

	consumed gtid.Set // the consumer's set; empty: not told
	lacks    gtid.Set // the transactions that are left, where state is OK
	proof    bool     // the transactions that are purged are known, all of them, and none is left to read
	err      error    // why the consumer's set cannot be read
}

// history compares the consumer's set with the server's. placed says that the position stands in a file of the server: the
// files of what is purged lie before it.
func (inv *Inventory) history(p *Position, placed bool) history {
	consumed, err := inv.Flavor.Parse(p.GTIDs)
	if err != nil {
		return history{err: fmt.Errorf("the consumer's GTID set is none of %s: %w", inv.Flavor, err)}
	}
	h := history{consumed: consumed}
	switch {
	case consumed.IsEmpty() || inv.Executed == nil:
		return h
	case !inv.Executed.Contains(consumed):
		if !older(inv.SetsAt, p.ReadAt) { // else the server may have got there since
			h.state = Ahead
		}
		return h
	}
	left := inv.Executed.Subtract(consumed)
	if inv.Purged != nil {
		gone := left.Intersect(*inv.Purged)
		if wanted(gone, consumed, placed) {
			h.state = Purged
			return h
		}
		left = left.Subtract(gone)
		h.proof = !inv.Purged.IsEmpty() && !inv.Anonymous
	}
	h.state, h.lacks = OK, left
	return h
}

// left is how many transactions are left. It is known where the consumer can go on by its set.
func (h *history) left() Number {
	if h.state != OK {
		return Number{}
	}
	return known(int64(min(h.lacks.Count(), math.MaxInt64)))
}

// preceded tells whether the transaction at the place is left to read, although the consumer's set has it.
func (p *Position) preceded(scan Scan) bool { return p.SetAhead && scan.Packed }

// passed tells whether one of the transactions that the set lacks is that at the place, with nothing of it left to read: one that
// does not come before the first that the consumer has read of its source. On MySQL the one at the place may have no GTID: it has
// one where the set lacks something that came before the next transaction.
func (h *history) passed(flavor Flavor, p *Position, scan Scan) bool {
	if !p.SetBefore || !scan.Handled || scan.After != Transaction {
		return false
	}
	since := h.lacks.Subtract(h.lacks.Before(h.consumed))
	if flavor == MariaDB {
		return !since.IsEmpty()
	}
	next, err := flavor.Parse(scan.GTID)
	return err == nil && !since.Before(next).IsEmpty()
}

// wanted tells whether the consumer was to read one of some transactions that are gone. It was not where they come before
// the first that it has read of their source: it began later. Of a source of which it has read none, its place tells.
func wanted(gone, consumed gtid.Set, placed bool) bool {
	for source := range gone.Subtract(gone.Before(consumed)).Sources() {
		if !placed || !consumed.Of(source).IsEmpty() {
			return true
		}
	}
	return false
}
