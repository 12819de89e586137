package mysql

import (
	"slices"
	"strings"
	"time"
)

// place is where a position stands in a server's files.
type place struct {
	// state is OK where the position was found, and otherwise says why it was not: Unknown, Purged, Ahead, Foreign or Invalid.
	state State

	index     int   // of the file
	pos       int64 // in it, never above its end
	ambiguous bool  // pos is the lowest of several places that the position can mean
}

// wrap is where positions begin anew: an event's header has 32 bits for its own.
const wrap = 1 << 32

// locate finds a position's file and offset among the server's. Sets of transactions are not looked at.
func (inv *Inventory) locate(p *Position) place {
	switch {
	case p.File == "":
		return place{state: Unknown}
	case inv.Server != "" && p.Server != "" && !strings.EqualFold(strings.TrimSpace(inv.Server), strings.TrimSpace(p.Server)):
		return place{state: Foreign}
	case len(inv.Files) == 0: // not known, or the server writes no binlog
		return place{state: Unknown}
	case p.Pos < 0:
		return place{state: Invalid}
	}
	index, twice := inv.Find(p.File)
	if index < 0 {
		return place{state: inv.unlisted(p)}
	}
	end := inv.Files[index].End()
	switch {
	case index < inv.Begin():
		return place{state: Purged}
	case !end.Known:
		return place{state: Unknown}
	case p.Pos > end.N:
		return place{state: inv.ahead(p)}
	}
	return place{state: OK, index: index, pos: max(p.Pos, magicSize), ambiguous: twice || p.Pos < wrap && end.N-p.Pos >= wrap}
}

// settle is locate with what a scan has found: which of the places it is that a position can mean, or that it is in another server's
// file of the same name.
func (inv *Inventory) settle(p *Position, scan Scan) place {
	at := inv.locate(p)
	if scan.After == NoEvent {
		return place{state: Unknown}
	}
	if at.ambiguous && scan.Start > at.pos {
		at.pos = scan.Start
		at.ambiguous = inv.Files[at.index].End().N-at.pos >= wrap
	}
	return at
}

// lacking is how many bytes there are from the first transaction on that a scan has found a set to lack.
func (inv *Inventory) lacking(scan Scan) Number {
	at := inv.locate(&Position{File: scan.StartFile, Pos: scan.Start})
	if at.state != OK {
		return Number{}
	}
	return inv.left(at)
}

// unlisted says why a position's file is not among the server's.
func (inv *Inventory) unlisted(p *Position) State {
	name, ok := ParseFileName(p.File)
	var last *FileName // of those with the same base
	listed := false    // under another spelling
	for _, f := range inv.Files {
		other, shaped := ParseFileName(f.Name)
		switch {
		case !ok && !shaped: // a form of names that says nothing of their order
			return Unknown
		case !ok || !shaped || other.Base != name.Base:
			continue
		}
		last = &other
		listed = listed || other.CompareNumber(name) == 0
	}
	switch {
	case !ok || listed:
		return Invalid
	case last == nil:
		return Foreign
	case name.CompareNumber(*last) > 0:
		return inv.ahead(p)
	default: // before the first, or taken out from between
		return Purged
	}
}

// ahead is the state of a place past the end of what was listed. Only a list that was asked for after the position was read
// can tell: the server may have written on since.
func (inv *Inventory) ahead(p *Position) State {
	if older(inv.FilesAt, p.ReadAt) {
		return Unknown
	}
	return Ahead
}

// older tells whether the server was asked before the position was read. Times that are not told are in the right order.
func older(asked, read time.Time) bool {
	return !asked.IsZero() && !read.IsZero() && asked.Before(read)
}

// left is how many bytes are left to read from a place on, and headroom how many lie before it. A place that is ambiguous
// is taken for its lowest: farther from the end than it may be, and nearer to what is purged next.
func (inv *Inventory) left(at place) Number {
	return known(inv.Files[at.index].End().N - at.pos).plus(span(inv.Files[at.index+1:]))
}

func (inv *Inventory) headroom(at place) Number {
	return known(at.pos).plus(inv.before(at))
}

// before is how many bytes the files before a place's hold. Nothing is left of one that is gone.
func (inv *Inventory) before(at place) Number {
	return span(slices.DeleteFunc(slices.Clone(inv.Files[:at.index]), File.gone))
}
