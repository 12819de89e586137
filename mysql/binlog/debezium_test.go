package binlog

import (
	"bytes"
	"fmt"
	"testing"

	"truelag/mysql"
)

// debezium does what Debezium's streaming does with the events that it is sent, as far as its offsets show it: see
// BinlogStreamingChangeEventSource.handleEvent and BinlogOffsetContext.
type debezium struct {
	flavor     mysql.Flavor
	annotated  bool // include.query, without which MariaDB sends no annotations
	ends       bool // provide.transaction.metadata
	heartbeats bool // after each event, as if the interval had passed

	file          string
	restart       int64
	event, row    int64
	source, size  int64
	inTransaction bool

	handled int // changes
	offsets []offset
}

// offset is what it has noted down, and how many changes it had handled then.
type offset struct {
	mysql.Position
	handled int
	within  bool // a transaction of which it would pass over something
}

func (d *debezium) note() {
	d.offsets = append(d.offsets, offset{mysql.Position{File: d.file, Pos: d.restart, Event: d.event, Row: d.row, Ends: d.ends}, d.handled, d.inTransaction && d.event > 0})
}

// stream hands it the events of a binlog.
func (d *debezium) stream(r *recording, events []located) {
	for i, e := range events {
		if e.file != d.file {
			d.file, d.restart, d.row, d.event = e.file, fileStart, 0, 0
			d.complete() // the event that says so
		}
		if e.kind == annotation && !d.annotated {
			continue
		}
		d.handle(e.event, e.start, e.end-e.start, told(r, i), raw(r, i))
		if e.kind == payload {
			for _, in := range e.inner {
				d.handle(in, 0, 0, false, nil)
			}
			d.complete()
		}
	}
}

func (d *debezium) complete() {
	if d.heartbeats {
		d.note()
	}
	d.event++
}

func (d *debezium) handle(e event, start, size int64, told bool, raw []byte) {
	if told {
		d.source, d.size = start, size
		if !d.inTransaction {
			d.restart, d.row, d.event = start+size, 0, 0
		}
	}
	xa := bytes.Contains(raw, []byte("XA ")) || e.name == "XA_prepare"
	switch e.kind {
	case payload:
		return
	case named, begin:
		if xa || e.kind == named && d.flavor == mysql.MySQL {
			break
		}
		d.restart, d.row, d.event, d.inTransaction = d.source, 0, 0, true
	case end:
		if !xa {
			if d.ends && d.inTransaction {
				d.note()
			}
			d.restart, d.row, d.event, d.inTransaction = d.source+d.size, 0, 0, false
		}
	case rows:
		n, _ := e.count(nil)
		for d.row = 1; d.row <= n; d.row++ {
			d.handled++
			d.note()
		}
		d.row = 0
	case statement:
		d.handled++
		d.note()
	default:
	}
	d.complete()
}

// raw is an event as it is in the file; told is whether it says where it ends.
func raw(r *recording, number int) []byte {
	for _, f := range r.files {
		if number < len(f.events) {
			return f.events[number]
		}
		number -= len(f.events)
	}
	return nil
}

func told(r *recording, number int) bool {
	b := raw(r, number)
	return b[13]|b[14]|b[15]|b[16] != 0
}

// Whatever Debezium notes down, it is caught up when it has handled all changes, and at no other time. The only doubt is about
// a connector to MariaDB with include.query in the middle of a transaction: it can note down what one without does at the end.
func TestDebezium(t *testing.T) {
	for _, r := range recordings(t) {
		for _, variant := range []debezium{{}, {heartbeats: true}, {ends: true}, {annotated: true}, {annotated: true, heartbeats: true}, {annotated: true, ends: true}} {
			if variant.flavor = r.flavor; variant.annotated && r.flavor == mysql.MySQL {
				continue
			}
			t.Run(fmt.Sprintf("%s annotated %v heartbeats %v ends %v", r.name, variant.annotated, variant.heartbeats, variant.ends), func(t *testing.T) {
				events := r.read(t)
				for _, cut := range wholes(events) {
					d := variant
					d.stream(r, events[:cut])
					atRest := map[mysql.Position]bool{}
					if d.annotated {
						plain := debezium{flavor: r.flavor, heartbeats: true, ends: d.ends}
						plain.stream(r, events[:cut])
						for _, o := range plain.offsets {
							atRest[o.Position] = o.handled == plain.handled
						}
					}
					for _, o := range d.offsets {
						got, whole := judged(t, r, events[:cut], &o.Position)
						all := o.handled == d.handled
						if got == mysql.Transaction && whole != o.within {
							t.Fatalf("up to %s:%d: %s:%d event %d row %d, within a transaction %t: handled whole %t",
								events[cut-1].file, events[cut-1].end, o.File, o.Pos, o.Event, o.Row, o.within, whole)
						}
						if (got == mysql.None) != all && !atRest[o.Position] {
							t.Fatalf("up to %s:%d: %s:%d event %d row %d, %d of %d changes handled: %s",
								events[cut-1].file, events[cut-1].end, o.File, o.Pos, o.Event, o.Row, o.handled, d.handled, got)
						}
					}
				}
			})
		}
	}
}
