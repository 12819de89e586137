package binlog

import (
	"errors"
	"fmt"
	"io"
	"time"

	"truelag/mysql"
)

// judge is shown the events that follow a position, one after the other, and says what they are.
//
// The transaction at the position may be handled in part or whole. Consumers that count, count from the event at the position
// on, and note down the event that they were at and how many of its rows they were through with.
//   - On MySQL, Debezium and what is built on it stand behind the event that names the transaction. BEGIN is event 0.
//   - On MariaDB they stand before it, and it is event 0. Annotations count where the connector asks for them (include.query),
//     which a position does not tell: see counts.
//   - In a compressed transaction, the events in the payload count, and the payload itself does not.
//   - Where no rows are noted down, the event was handled whole: it was a statement, or what was noted down was a heartbeat.
//   - Within a transaction, what is noted down is the number of events that were handled, and of rows of the next one.
//   - With provide.transaction.metadata the event that ends a transaction is noted down, too.
//   - Counts that stand with a position between transactions mean nothing. They are left over from the events before it.
//   - Canal stands before the last event that it was through with, and counts it. All events of a compressed transaction
//     are at one place to it. Only the second of the last one that it was through with tells them apart: what was logged later is
//     left. What was logged in the same second is taken for handled, since it mostly is, and nothing would ever tell that it was.
type judge struct {
	flavor     mysql.Flavor
	event, row int64
	ends       bool
	logged     time.Time
	filter     filter
	consumed   consumed
	since      time.Time // when the file of the next event was begun

	begun   bool // an event was seen
	place   bool // the transaction at the position is not over
	open    *transaction
	tables  tables
	packed  bool // all of the transaction at the position is in one event
	handled counts

	whole        bool        // that at the position was handled in an earlier life, and nothing of it is left
	after        mysql.After // Unread until an event decides
	first        transaction
	transactions int64
	skipped      int64
}

func newJudge(flavor mysql.Flavor, p *mysql.Position, f filter) *judge {
	return &judge{
		flavor: flavor, event: p.Event, row: p.Row, ends: p.Ends, logged: p.Logged, filter: f, consumed: newConsumed(flavor, p),
		place: true,
	}
}

// clone is for what may have to be seen anew.
func (j *judge) clone() *judge {
	c := *j
	c.tables = j.tables.clone()
	c.handled = j.handled.clone()
	if j.open != nil {
		open := *j.open
		c.open = &open
	}
	return &c
}

// see takes in the next event. done: the ones after it do not matter.
func (j *judge) see(e event) (done bool, err error) {
	switch e.kind {
	case outside:
		j.finish()
		j.begun, j.place = true, false
	case payload:
		return j.unpack(e)
	case named:
		j.finish()
		j.start(e)
	case begin:
		if j.open != nil && !j.open.named { // without GTIDs nothing else tells
			j.finish()
		}
		if j.open == nil {
			j.start(e)
		}
		j.open.grouped = true
		err = j.take(e)
	case end:
		j.enter(e)
		err = j.take(e)
		j.finish()
	default:
		j.enter(e)
		err = j.take(e)
		if (e.kind == statement || e.kind == idle) && !j.open.grouped {
			j.finish()
		}
	}
	return j.after != mysql.Unread, err
}

func (j *judge) unpack(e event) (bool, error) {
	j.packed = j.place && !j.begun
	for {
		in, err := e.inner()
		if errors.Is(err, io.EOF) {
			return j.after != mysql.Unread, nil
		}
		if err != nil {
			return false, err
		}
		if in.kind == payload {
			return false, fmt.Errorf("%s in a payload", in.name)
		}
		if done, err := j.see(in); done || err != nil {
			return done, err
		}
	}
}

// take lets an event of the open transaction decide.
func (j *judge) take(e event) error {
	changes := false
	var definition []byte
	switch e.kind {
	case table:
		k := known{ignored: !j.filter.rows(e.schema, e.table)}
		if j.handled != nil {
			k.definition = e.definition
		}
		j.tables.add(e.id, k)
	case rows:
		t := j.tables.named[e.id]
		changes, definition = !t.ignored, t.definition
	case statement:
		changes = j.filter.statement(e.schemas)
	case other:
		changes = true
	default:
	}
	changes = changes && !j.open.read
	j.open.changes = j.open.changes || changes
	if !j.open.through.IsZero() {
		if changes && e.at.After(j.open.through) {
			j.decide(true)
		}
		return nil
	}
	if j.handled == nil {
		if changes {
			j.decide(j.open.midway)
		}
		return nil
	}
	if err := j.handled.rows(e, definition); err != nil {
		return err
	}
	j.handled.step(e, changes)
	if j.handled.all() {
		j.decide(true)
	}
	return nil
}

func (j *judge) decide(rest bool) {
	j.first = *j.open
	j.after = mysql.Transaction
	if rest {
		j.after = mysql.Rest
	}
}

// finish ends the transaction that is open, if one is.
func (j *judge) finish() {
	if j.open == nil {
		return
	}
	switch {
	case j.after != mysql.Unread:
		return
	case j.handled.left():
		j.decide(true)
		return
	case !j.open.changes && !j.open.midway:
		j.skipped++
	}
	j.whole = j.whole || j.handled != nil
	j.handled, j.open, j.place = nil, nil, false
	j.tables = tables{}
}

// over is the verdict at the end of the binlog.
func (j *judge) over() mysql.After {
	j.finish()
	if j.after == mysql.Unread {
		return mysql.None
	}
	return j.after
}
