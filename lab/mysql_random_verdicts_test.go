//go:build e2e

package lab_test

import (
	"strings"

	"truelag/mysql"
)

// verdict is one that is right of a place.
type verdict struct {
	after mysql.After
	event int // the one that decides; -1: none does
}

// follows are the verdicts that are right of a place, by the index of the event there.
func (b *binlogTruth) follows(at int, c choice) []verdict { return b.after(at, at, nil, 0, c) }

// handled are those for who has handled the first n events from the one at an index on, which are of one transaction.
func (b *binlogTruth) handled(at, n int, c choice) []verdict {
	seq, next := b.sequence(at)
	return b.after(at, next, seq, n, c)
}

// sequence are the events from an index on that are of one transaction, as consumers count them, and the index after them.
func (b *binlogTruth) sequence(at int) (seq []*binlogEvent, next int) {
	for next = at; next < len(b.events) && b.events[next].group == b.events[at].group; next++ {
		e := &b.events[next]
		if e.kind == "Annotate_rows" {
			continue
		}
		if e.inner == nil {
			seq = append(seq, e)
			continue
		}
		for i := range e.inner {
			seq = append(seq, &e.inner[i])
		}
	}
	return seq, next
}

func (b *binlogTruth) after(at, next int, seq []*binlogEvent, n int, c choice) (all []verdict) {
	tables := map[string]string{}
	for i, e := range seq {
		did := b.effect(e, c, tables)
		if i < n || did == nothing {
			continue
		}
		all = append(all, verdict{mysql.Rest, at})
		if isStatement(seq[0]) && seq[0].info != "BEGIN" { // a statement in the midst looks like one that is alone
			all = append(all, verdict{mysql.Transaction, at})
		}
		if did == change {
			return all
		}
	}
	for i := next; i < len(b.events); i++ {
		e := &b.events[i]
		if e.group < 0 || e.group == i {
			clear(tables)
		}
		if e.group >= 0 && e.group < c.read {
			continue
		}
		for _, in := range append([]*binlogEvent{e}, pointers(e.inner)...) {
			switch did := b.effect(in, c, tables); did {
			case perhaps:
				all = append(all, b.at(at, i)...)
			case change:
				return append(all, b.at(at, i)...)
			default:
			}
		}
	}
	return append(all, verdict{mysql.None, -1})
}

func pointers(events []binlogEvent) []*binlogEvent {
	all := make([]*binlogEvent, len(events))
	for i := range events {
		all[i] = &events[i]
	}
	return all
}

// at are the verdicts that are right of a place if the event at an index is the first that counts.
func (b *binlogTruth) at(place, i int) []verdict {
	group := b.events[i].group
	first := &b.events[place]
	begins := isStatement(first) || first.kind == "Transaction_payload"
	switch {
	case place <= group:
		return []verdict{{mysql.Transaction, group}}
	case place == group+1 && (i == place && isStatement(first) || first.info == "BEGIN" || strings.HasPrefix(first.info, "XA START") || first.inner != nil):
		// MySQL's consumers begin there
		return []verdict{{mysql.Transaction, place}}
	case begins || isStatement(&b.events[i]): // a statement in the midst looks like one that is alone
		return []verdict{{mysql.Rest, place}, {mysql.Transaction, place}}
	default:
		return []verdict{{mysql.Rest, place}}
	}
}
