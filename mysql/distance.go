package mysql

// Distance is how far a consumer's position is from the end of a server's binlog. A number that is not known has no meaning in
// the state, or was not to be had; one that is known is never less than the truth.
type Distance struct {
	State State

	// Bytes is what a dump stream from the position on would deliver, events without a transaction included.
	Bytes Number

	// Effective is Bytes where a transaction follows, and 0 where none does. Of a consumer without a place, it is what there is from the
	// first transaction on that its set lacks.
	Effective Number

	// Files is how many files follow that of the position.
	Files Number

	// Transactions is how many the server has executed and the consumer has not read. On MariaDB it is a distance between
	// sequence numbers, since some may have been left out. At most math.MaxInt64.
	Transactions Number

	// HeadroomFiles and HeadroomBytes are what lies before the position: how much can be purged before the consumer loses its
	// place.
	HeadroomFiles, HeadroomBytes Number

	// Seconds is the age of the first transaction that is not wholly consumed, by the server's clock; 0 where there is none. It is
	// known by a scan alone, unless the consumer is caught up.
	Seconds Duration

	// HeadroomSeconds is how long the consumer's file is sure not to be purged by time. The active file never is: its headroom is
	// as long as the server keeps a file.
	HeadroomSeconds Duration

	// Ambiguous says that the position can mean several places, since positions begin anew at 4 GiB. Bytes is from the first of
	// them that no scan has found to be none of an event.
	Ambiguous bool

	// Err is why the consumer's GTID set could not be read. Its file and position are judged all the same.
	Err error
}

// Measure judges a position by what the server has and by the events that follow. nil is an inventory or a position that could
// not be read.
func Measure(inv *Inventory, p *Position, scan Scan) Distance {
	switch {
	case p == nil:
		return Distance{State: Unknown}
	case p.InSnapshot():
		d := Distance{State: Snapshot}
		if inv != nil { // the snapshot's beginning must still be there at its end
			d.keep(inv, inv.locate(p), scan)
		}
		return d
	case p.IsZero():
		return Distance{State: NoPosition}
	case inv == nil:
		return Distance{State: Unknown}
	}
	at := inv.settle(p, scan)
	read := inv.history(p, at.state == OK)
	d := Distance{State: inv.judge(at, read, scan.After), Err: read.err}
	if !inv.Anonymous {
		d.Transactions = read.left()
	}
	switch d.State {
	case OK:
	case Foreign, Invalid: // the set tells what the place does not
		return d
	default:
		d.Transactions = Number{}
		return d
	}
	d.keep(inv, at, scan)
	if at.state == OK {
		d.Bytes = inv.left(at)
		d.Files = known(int64(len(inv.Files) - at.index - 1))
	}
	switch {
	case !d.Transactions.Known:
	case read.passed(inv.Flavor, p, scan):
		d.Transactions.N--
	case p.preceded(scan):
		d.Transactions = d.Transactions.plus(known(1))
	}
	d.follow(inv, p, scan, at.state == OK)
	return d
}

// judge says whether a consumer can go on. Its set of transactions counts for more than a file that is not there, or has no event at
// the place: files change with the server, and a consumer that keeps a set goes on by it.
func (inv *Inventory) judge(at place, read history, after After) State {
	switch {
	case at.state == Foreign || at.state == Invalid:
		return at.state
	case read.state == Purged || read.state == Ahead:
		return read.state
	case at.state == Purged && !read.proof, at.state == Ahead && read.state != OK:
		return at.state
	case after == NoEvent && (read.state != OK || inv.Anonymous):
		return Invalid
	case at.state != OK && read.state != OK:
		return Unknown
	default:
		return OK
	}
}

// keep sets the headroom of a place.
func (d *Distance) keep(inv *Inventory, at place, scan Scan) {
	if at.state != OK {
		return
	}
	d.HeadroomBytes = inv.headroom(at)
	d.HeadroomFiles = known(int64(at.index))
	d.HeadroomSeconds = inv.kept(at, scan)
	d.Ambiguous = at.ambiguous
}

// follow sets what depends on the events that follow. Where nobody has looked, a consumer is caught up only at the very end of
// a list that is not older than its position, or where its set has all and no place says otherwise: there is none, or not any more.
func (d *Distance) follow(inv *Inventory, p *Position, scan Scan, placed bool) {
	switch scan.After {
	case None:
		d.State = CaughtUp
	case Rest, Transaction:
		d.Effective, d.Seconds = d.Bytes, inv.age(scan.First)
		if p.File == "" {
			d.Effective = inv.lacking(scan)
		}
		if d.Transactions.is(0) { // the sets do not know of the one that follows: it may be one of many without a GTID
			d.Transactions = Number{}
		}
	default:
		all := d.Transactions.is(0)
		if d.Bytes.is(0) && !older(inv.FilesAt, p.ReadAt) {
			d.Effective = known(0)
			all = all || !d.Transactions.Known
		}
		if all && (d.Bytes.is(0) || !placed) {
			d.State = CaughtUp
		}
	}
	if d.State == CaughtUp {
		d.Effective, d.Transactions, d.Seconds = known(0), known(0), lasting(0)
	}
}
