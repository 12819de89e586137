//go:build e2e

package lab_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// look reads, and holds that no way says less than what is left. What a connector has read may be on its way to Kafka for a while, all but
// what is in its queue: so what its metrics say becomes true.
func (l *life) look(t *testing.T, state string) *mysql.Reading {
	t.Helper()
	r := l.read(t)
	l.deliver(t)
	for _, c := range r.Consumers {
		if slices.Contains(byMetrics, c.Name) {
			lab.Await(t, func() error {
				l.deliver(t)
				return l.short(c, l.prefix()+2*lab.DebeziumQueue+2)
			})
		} else if err := l.short(c, l.prefix()); err != nil {
			t.Fatalf("%s: %v", state, err)
		}
	}
	return r
}

// short tells that less is told than what is left with so many records delivered.
func (l *life) short(c mysql.ConsumerReading, delivered int) error {
	left, records := int64(0), 0
	for _, w := range l.written {
		if records += len(w.records); len(w.records) > 0 && records > delivered {
			left++
		}
	}
	d := c.Distance
	if left > 0 && (d.State == mysql.CaughtUp || d.Effective == known(0)) || d.Transactions.Known && d.Transactions.N < left {
		return fmt.Errorf("%s by %s: %s, want %d transactions at least, from %s on", l.Name, c.Name, brief(c), left, l.first())
	}
	return nil
}

// records is how many were written, and prefix how many of them are delivered before the first that is not.
func (l *life) records() (n int) {
	for _, w := range l.written {
		n += len(w.records)
	}
	return n
}

func (l *life) prefix() (n int) {
	for _, w := range l.written {
		for _, key := range w.records {
			if !l.delivered[key] {
				return n
			}
			n++
		}
	}
	return n
}

// first is the first record that is not delivered.
func (l *life) first() string {
	for i, w := range l.written {
		for k, key := range w.records {
			if !l.delivered[key] {
				return fmt.Sprintf("%q, number %d of %d of transaction %d of %d: %s", key, k+1, len(w.records), i+1, len(l.written), w.what)
			}
		}
	}
	return "none"
}

// differs tells what the notes of a connector are not as what was written and delivered has it, the last records left out or not.
func (l *life) differs(c mysql.ConsumerReading, clock time.Time, unnoted int) (err error) {
	if slices.Contains(byMetrics, c.Name) {
		return nil
	}
	n := l.prefix()
	for less := range min(unnoted, n) + 1 {
		told := l.differsFrom(c, clock, n-less)
		if told == nil {
			return nil
		}
		if less == 0 {
			err = fmt.Errorf("%s by %s: %s, %w", l.Name, c.Name, brief(c), told)
		}
	}
	return err
}

// differsFrom tells it with so many records delivered.
func (l *life) differsFrom(c mysql.ConsumerReading, clock time.Time, records int) error {
	few, d := c.Name == byCaptured, c.Distance
	var done *written // the last whose records are all delivered
	rest := l.written // what comes after it
	for i := range l.written {
		if n := len(l.written[i].records); n > records {
			break
		} else if n > 0 {
			records -= n
			done, rest = &l.written[i], l.written[i+1:]
		}
	}
	counts := func(w written) bool {
		return len(w.records) > 0 || !few || w.schema && l.m.Options.MariaDB() // whose the statement is, is not told there
	}
	var first []written // one of them is the first that is left
	least := int64(len(rest))
	most := least
	switch {
	case records > 0: // within the one that follows; there may be others before it
		for len(rest[0].records) == 0 {
			rest = rest[1:]
		}
		least, most, first = int64(len(rest)), int64(len(rest)), rest[:1]
	case done != nil && done.apart && !few:
		most++
		first = append(first, *done)
	case done != nil && done.schema: // its place does not tell, and the set lacks it
		most++
	default:
	}
	if done != nil && c.Note.Position.Pos == 4 { // connected again with heartbeats, it notes down that it will begin anew with this one
		most++
		first = append(first, *done)
	}
	ends := records == 0 && len(first) == 0 // nothing says that something must be left
	must := records > 0
	for i, w := range rest {
		// A connector was seen to have noted down that it has passed a transaction that it does not capture, without heartbeats: what
		// follows its place, stands has from the server.
		moves := len(w.records) == 0
		if counts(w) {
			first, ends = append(first, w), false
		}
		if !moves {
			must = true
			break
		}
		least = min(least, int64(len(rest)-i-1))
	}
	switch {
	case d.State == mysql.CaughtUp && must:
		return fmt.Errorf("want it behind: %+v", first)
	case d.State == mysql.CaughtUp:
		return nil
	case ends:
		return fmt.Errorf("want it caught up after %+v", done)
	case !d.Transactions.Known || d.Transactions.N < least || d.Transactions.N > most:
		return fmt.Errorf("want %d to %d transactions, after %+v: %+v", least, most, done, rest)
	}
	const rounding = time.Second
	if !slices.ContainsFunc(first, func(w written) bool {
		return d.Seconds.Known && d.Seconds.D > clock.Sub(w.to)-rounding && d.Seconds.D < clock.Sub(w.from)+2*rounding
	}) {
		return fmt.Errorf("want the age at %s of one of %+v", clock, first)
	}
	return nil
}
