package mysql

import "truelag/mysql/gtid"

// Account is what the numbers of a Distance were reckoned from, for those who want to check them. It is made by the same rules, of
// the same inventory and position.
type Account struct {
	// Place is OK where the position stands in the server's files, and otherwise says why not: Unknown where something is
	// missing to tell.
	Place State

	// File is the index of the position's file among Inventory.Files, and Pos where it stands there, at least behind what each
	// file begins with. Both are -1 unless Place is OK.
	File int
	Pos  int64

	Rest   Number // bytes of the position's file from Pos on
	Later  Number // bytes of the files after it
	Before Number // bytes of the files before it

	// Consumed is the consumer's set. nil: it has noted down none, or one that cannot be read: then Err says why.
	Consumed *gtid.Set
	Err      error

	// Missing are those transactions of the server's that Consumed lacks, Gone those of them that are purged, and Extra those of
	// Consumed that the server lacks. All are empty where a set is not known.
	Missing, Gone, Extra gtid.Set

	// Passed says that one of Missing is the transaction at the place, which is handled whole: it is not left to read.
	Passed bool

	// Preceded says that one of Consumed is the transaction at the place, which is left to read.
	Preceded bool
}

// Account is what the consumer's Distance was reckoned from. inv is that of the same Reading.
func (c *ConsumerReading) Account(inv *Inventory) Account {
	a := Account{File: -1, Pos: -1}
	p := c.position()
	if p == nil || inv == nil || p.IsZero() {
		return a
	}
	var scan Scan
	if c.Scan != nil {
		scan = *c.Scan
	}
	at := inv.settle(p, scan)
	if a.Place = at.state; at.state == OK {
		a.File, a.Pos = at.index, at.pos
		a.Rest = known(inv.Files[at.index].End().N - at.pos)
		a.Later, a.Before = span(inv.Files[at.index+1:]), inv.before(at)
	}
	read := inv.history(p, at.state == OK)
	a.Err = read.err
	if read.consumed.IsEmpty() {
		return a
	}
	a.Consumed = &read.consumed
	if inv.Executed != nil {
		a.Missing, a.Extra = inv.Executed.Subtract(read.consumed), read.consumed.Subtract(*inv.Executed)
	}
	a.Passed, a.Preceded = read.passed(inv.Flavor, p, scan), p.preceded(scan)
	if inv.Purged != nil {
		a.Gone = a.Missing.Intersect(*inv.Purged)
	}
	return a
}
