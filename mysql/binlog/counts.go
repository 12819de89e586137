package binlog

import (
	"slices"

	"truelag/mysql"
)

// counts are the ways in which a consumer may have counted the events of a transaction: with MariaDB's annotations, or without,
// as is the default. The one that fits what was noted down is the right one.
type counts []count

// count is one way.
type count struct {
	annotated  bool
	event, row int64
	ends       bool // the event that ends a transaction may be noted down

	index int64 // of the event that is next
	met   bool  // the event that was noted down came before the transaction's end, after which consumers count anew, or was that
	size  int64 // rows of that event; -1: none
	left  bool  // something that was not handled
}

func newCounts(flavor mysql.Flavor, event, row int64, ends bool) counts {
	c := counts{{event: event, row: row, ends: ends, size: -1}}
	if flavor == mysql.MariaDB {
		c = append(c, count{annotated: true, event: event, row: row, ends: ends, size: -1})
	}
	return c
}

// midway is for a position within a transaction: there events were counted, not numbered from 0 on.
func (c counts) midway() {
	for i := range c {
		if c[i].row <= 0 {
			c[i].event--
		}
	}
}

func (c counts) clone() counts { return slices.Clone(c) }

// rows counts the rows of an event that was noted down with some.
func (c counts) rows(e event, definition []byte) error {
	if e.kind != rows {
		return nil
	}
	for i := range c {
		if c[i].row <= 0 || c[i].index != c[i].event {
			continue
		}
		n, err := e.count(definition)
		if err != nil {
			return err
		}
		c[i].size = n
		for k := range c { // the rows can be read once
			if c[k].index == c[k].event {
				c[k].size = n
			}
		}
		return nil
	}
	return nil
}

// step goes past an event.
func (c counts) step(e event, changes bool) {
	for i := range c {
		k := &c[i]
		if e.kind == annotation && !k.annotated {
			continue
		}
		k.met = k.met || k.index == k.event && (e.kind != end || k.ends && k.row <= 0)
		switch {
		case !changes || k.index < k.event:
		case k.index > k.event:
			k.left = true
		case k.row > 0:
			k.left = k.left || k.size > k.row
		}
		k.index++
	}
}

// all tells whether something is left whichever way was taken.
func (c counts) all() bool {
	return len(c) > 0 && !slices.ContainsFunc(c, func(k count) bool { return !k.left })
}

// left tells whether something is left, at the end of the transaction.
func (c counts) left() bool {
	if len(c) == 0 {
		return false
	}
	if !c[0].fits() && c[len(c)-1].fits() {
		return c[len(c)-1].left
	}
	return c[0].left
}

// fits tells whether so much can have been noted down.
func (k *count) fits() bool { return k.met && (k.row <= 0 || k.size >= k.row) }
