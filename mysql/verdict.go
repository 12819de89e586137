package mysql

import (
	"context"
	"errors"
	"maps"
	"time"

	"truelag/guard"
)

// position is what is to be measured: nil where nothing could be read, and no place where none is noted down.
func (c *ConsumerReading) position() *Position {
	switch {
	case c.Err != nil:
		return nil
	case c.Note.Position == nil:
		return &Position{ReadAt: c.ReadAt}
	default:
		return c.Note.Position
	}
}

// errNoTime is that a round had no time left for a scan.
var errNoTime = errors.New("no time was left in this round")

// reserve is what scans leave of a round's time to what comes after them.
const reserve = 100 * time.Millisecond

// measure scans for one consumer after the other, and then measures all. A round that has no time left for all begins with others
// than the one before.
func (r *rounds) measure(ctx context.Context, reading *Reading) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(reserve, time.Until(deadline)/10)))
		defer cancel()
	}
	n, inv := len(reading.Consumers), reading.Inventory
	first := r.first
	var scans trials
	for i := range n {
		at := (first + i) % n
		c, w := &reading.Consumers[at], r.watches[at]
		p := c.position()
		w.weigh(inv, p)
		if r.cfg.Scanner != nil && w.doubt.measure(inv, p, Scan{}).State.well() {
			if r.scan(ctx, c, inv) {
				r.first = (at + 1) % n
			}
			scans.note(c, ctx.Err() != nil)
		}
	}
	r.unscanned = scans.verdict(r.unscanned)
	inv.Files = r.dated(reading)
	for i := range reading.Consumers {
		c, w := &reading.Consumers[i], r.watches[i]
		var scan Scan
		if c.Scan != nil {
			scan = *c.Scan
			scan.Written = time.Time{} // the file has what of it counts
		}
		c.Distance = w.doubt.measure(inv, c.position(), scan)
		w.doubt.well = c.Distance.State.well()
	}
}

// dated are the server's files with what the scans have told of when they were written to: that holds for whoever's place is there.
// An event may have a time that a client has set, also a file's first one, which has that of the session that began the file. So a
// time to come is none, and where a list has shown a file being the active one, that counts alone.
func (r *rounds) dated(reading *Reading) []File {
	files := reading.Inventory.Files
	for _, c := range reading.Consumers {
		if c.Scan != nil && !c.Scan.Written.After(reading.Inventory.Clock) {
			r.scanned.note(c.Note.Position.File, c.Scan.Written)
		}
	}
	r.scanned.keep(files)
	all := maps.Clone(r.scanned)
	maps.Copy(all, r.writes)
	return all.date(files)
}

// scan looks at the events after a consumer's position; false: there was no time for it.
func (r *rounds) scan(ctx context.Context, c *ConsumerReading, inv *Inventory) bool {
	if ctx.Err() != nil {
		c.ScanErr = errNoTime
		return false
	}
	var scan Scan
	c.ScanErr = guard.Do(func() (err error) {
		scan, err = r.cfg.Scanner.Scan(tracedFor(ctx, c.Name), inv, c.Note.Position, c.Note.Captures...)
		return err
	})
	if c.ScanErr == nil {
		c.Scan = &scan
	}
	return true
}

// weigh lets the doubt about a consumer's set take in a reading.
func (w *watch) weigh(inv *Inventory, p *Position) {
	if p == nil || inv.Executed == nil || older(inv.SetsAt, p.ReadAt) {
		return
	}
	consumed, err := inv.Flavor.Parse(p.GTIDs)
	if err != nil || consumed.IsEmpty() {
		return
	}
	w.doubt.weigh(inv.Server, *inv.Executed, consumed, inv.SetsAt)
}
