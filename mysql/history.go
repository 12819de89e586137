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

	lacks gtid.Set // the transactions that are left, and
	since gtid.Set // those of them that do not come before the first that the consumer has read of their source; where state is OK
	proof bool     // purged transactions are known, and none of them is left to read
	err   error    // why the consumer's set cannot be read
}

// history compares the consumer's set with the server's. placed says that the position stands in a file of the server: the
// files of what is purged lie before it.
func (inv *Inventory) history(p *Position, placed bool) history {
	consumed, err := inv.Flavor.Parse(p.GTIDs)
	switch {
	case err != nil:
		return history{err: fmt.Errorf("the consumer's GTID set is none of %s: %w", inv.Flavor, err)}
	case consumed.IsEmpty() || inv.Executed == nil:
		return history{}
	case !inv.Executed.Contains(consumed):
		if older(inv.SetsAt, p.ReadAt) { // the server may have got there since
			return history{}
		}
		return history{state: Ahead}
	}
	left := inv.Executed.Subtract(consumed)
	h := history{state: OK}
	if inv.Purged != nil {
		gone := left.Intersect(*inv.Purged)
		if wanted(gone, consumed, placed) {
			return history{state: Purged}
		}
		left = left.Subtract(gone)
		h.proof = !inv.Purged.IsEmpty()
	}
	h.lacks, h.since = left, left.Subtract(left.Before(consumed))
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

// passed tells whether one of the transactions that the set lacks is that at the place, with nothing of it left to read. On MySQL
// the one at the place may have no GTID: it has one where the set lacks something that came before the next transaction.
func (h *history) passed(flavor Flavor, p *Position, scan Scan) bool {
	if !p.SetBefore || !scan.Handled || scan.After != Transaction {
		return false
	}
	if flavor == MariaDB {
		return !h.since.IsEmpty()
	}
	next, err := flavor.Parse(scan.GTID)
	return err == nil && !h.since.Before(next).IsEmpty()
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
