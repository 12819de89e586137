package binlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"truelag/mysql"
	"truelag/mysql/gtid"
)

// trail is what is known of the events that follow one position.
type trail struct {
	at    place
	judge *judge

	file  string // where to go on
	pos   int64
	begun time.Time // when that file was
	named place     // of the event that named a transaction last

	done     bool      // nothing that is written later changes the verdict
	whole    bool      // read to the end that the binlog had
	executed *gtid.Set // what the server had then
	scan     mysql.Scan

	asked uint64 // the call that asked for it last
}

// reaches tells whether nothing was written since, as far as an inventory tells.
func (t *trail) reaches(inv *mysql.Inventory) bool {
	if t.done {
		return true
	}
	last := inv.Files[len(inv.Files)-1]
	same := t.executed == nil && inv.Executed == nil || t.executed != nil && inv.Executed != nil && t.executed.Equal(*inv.Executed)
	return t.whole && same && t.file == last.Name && t.pos >= last.End().N
}

// follow reads on to the end, to an event that decides, or to what a scan may take. Only what was seen whole is remembered.
func (s *Scanner) follow(ctx context.Context, inv *mysql.Inventory, t *trail) error {
	t.whole, t.scan.Stopped, t.scan.After = false, "", mysql.Unread
	r := request{file: t.file, pos: t.pos}
	if t.file == "" {
		r = s.memory.lacking(inv, t)
	}
	conn, err := s.dump(ctx, inv, r)
	if errors.Is(err, errNear) {
		s.memory.nowhere = true
		r.file, r.pos = "", fileStart
		conn, err = s.dump(ctx, inv, r)
	}
	if refused(err) {
		t.stop(farStop)
		return nil
	}
	if err != nil {
		return err
	}
	defer hangUp(conn)
	f := newFeed(conn, inv.Flavor, r.file, r.pos, s.cfg.MaxBytes)
	f.lacking = t.file == ""
	sum, fresh := t.scan.Bytes, t.scan.Events == 0
	for !t.done {
		e, err := f.next()
		if errors.Is(err, io.EOF) && t.at.file != "" && early(inv, f.file) {
			err = errEarly
		}
		if known := f.any && !t.begun.IsZero() && t.file == f.file; known && !t.begun.Equal(f.begun) {
			s.memory.trails = nil
			return fmt.Errorf("%s is another file than the one that was read before", t.file)
		}
		if err == nil {
			if !f.begun.After(inv.Clock) { // else a client has set the time of the session that began it
				t.judge.since = f.begun
			}
			err = t.take(e)
		}
		switch {
		case err == nil:
			if e.kind == named {
				t.named.file, t.named.pos = f.file, f.start
			}
			t.file, t.pos, t.begun = f.file, f.pos, f.begun
			t.scan.Bytes = sum + f.sum
			t.scan.Events++
			t.write(e, f)
		case errors.Is(err, io.EOF) && fresh && !f.any && silent(inv, f):
			t.stop("by the server, which sends no event of those up to the end that it lists")
			return nil
		case errors.Is(err, io.EOF):
			t.whole, t.executed = true, inv.Executed
			t.file, t.pos = f.file, f.pos
			t.scan.Bytes = sum + f.sum
			t.end(t.judge.clone().over())
			return nil
		case f.lacking && isFatal(err):
			if r.file != "" {
				s.memory.trails = nil
			}
			t.stop("by the server: " + err.Error())
			return nil
		case fresh && (t.scan.Events == 0 || f.unsure) && isNoEvent(err):
			t.done = true
			t.end(mysql.NoEvent)
			return nil
		case refused(err):
			t.stop(farStop)
			return nil
		case errors.Is(err, errLimit):
			t.stop(fmt.Sprintf("after %d bytes", s.cfg.MaxBytes))
			return nil
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			t.stop("when its time was over")
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			s.memory.doubt(t, err)
			return fmt.Errorf("read the binlog from %s: %w", r.place(), denied(err))
		}
	}
	t.end(t.judge.after)
	t.judge.tables = tables{} // it has said what it had to
	return nil
}

// errEarly is of a dump that has ended before the last file that the server lists. MySQL 5.7 ends one in this way where no event begins
// at its position, and what stands there looks like one of nearly 4 GiB.
var errEarly = fmt.Errorf("the server ends the binlog before its last file: %w", errNoEvent)

func early(inv *mysql.Inventory, file string) bool {
	at, _ := inv.Find(file)
	return at >= 0 && at < len(inv.Files)-1
}

// silent tells whether a dump without an event has ended before the last file does. MySQL 5.7 ends one so there, too, where no event
// begins; but one that syncs its binlog also lists what it does not send yet, for a moment.
func silent(inv *mysql.Inventory, f *feed) bool {
	last := inv.Files[len(inv.Files)-1]
	return f.file == last.Name && f.pos < last.End().N
}

// take lets the judge see an event. A payload that cannot be read to its end is seen anew next time.
func (t *trail) take(e event) (err error) {
	before := t.judge
	if e.kind == payload {
		t.judge = before.clone()
	}
	if t.done, err = t.judge.see(e); err != nil {
		t.judge = before
	}
	return err
}

// write notes when the position's file was written to: up to when the next one was begun in its place.
func (t *trail) write(e event, f *feed) {
	switch {
	case t.at.file == "":
		return
	case f.file == t.at.file:
		if e.at.After(t.scan.Written) {
			t.scan.Written = e.at
		}
	case t.scan.File != t.at.file:
		return
	case f.rotated: // the events before may have times that clients have set
		t.scan.Written = f.begun
	}
	t.scan.File = f.file
}

func (t *trail) stop(why string) {
	t.end(mysql.Unread)
	t.scan.Stopped = why
}

func (t *trail) end(after mysql.After) {
	j := t.judge
	t.scan.After, t.scan.File, t.scan.Pos = after, t.file, t.pos
	t.scan.Transactions, t.scan.Skipped, t.scan.Handled = j.transactions, j.skipped, j.whole
	if after == mysql.Rest || after == mysql.Transaction {
		t.scan.First, t.scan.Kind, t.scan.GTID, t.scan.Packed = j.first.at, j.first.name, j.first.gtid, j.first.packed
		if t.at.file == "" {
			t.scan.StartFile, t.scan.Start = t.named.file, t.named.pos
		}
	}
}
