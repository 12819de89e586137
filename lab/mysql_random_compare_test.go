//go:build e2e

package lab_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// compare reads what the exporter has to say of each consumer, and holds it against the list of events.
func (b *randomBinlog) compare(t *testing.T) int {
	t.Helper()
	b.choose()
	b.stand()
	bytes := b.witnessed(t)
	told := map[mysql.After]int{}
	for _, ignored := range [][]string{nil, b.ignored} {
		scanner := newScanner(t, b.m, ignored...)
		var all []*spot
		for _, s := range b.spots {
			if (s.choice.ignored == nil) == (ignored == nil) {
				all = append(all, s)
			}
		}
		for some := range slices.Chunk(all, 100) { // a round has no time for all of them on a machine that is busy
			b.round(t, scanner, some, bytes, told)
		}
	}
	for _, after := range []mysql.After{mysql.None, mysql.Rest, mysql.Transaction, mysql.NoEvent} {
		if told[after] == 0 {
			t.Errorf("seed %d: no place is told to be followed by %s: %v", b.seed, after, told)
		}
	}
	t.Logf("seed %d: %d events, %d files, %d places, %v; refused: %v", b.seed, len(b.events), len(b.files), len(b.spots), told, b.writer.refused)
	return len(b.spots)
}

// round reads what the exporter has to say of some consumers, and notes down what it was told of.
func (b *randomBinlog) round(t *testing.T, scanner mysql.Scanner, spots []*spot, bytes func(string, int64) int64, told map[mysql.After]int) {
	t.Helper()
	var consumers []mysql.Consumer
	by := map[string]*spot{}
	for _, s := range spots {
		consumers, by[s.name] = append(consumers, s), s
	}
	server := mysqlReader(t, b.m, lab.Monitor, scanner, consumers...)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // of its own a round takes no longer than one
	defer cancel()
	r := server.Read(ctx)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, c := range r.Consumers {
		s := by[c.Name]
		if why := b.wrong(r, c, s, bytes); why != "" {
			b.fail(t, c, s, why)
		}
		if c.Scan != nil {
			told[c.Scan.After]++
		}
	}
}

// witnessed is what is left from each event on, by what a replica is sent from some of them.
func (b *randomBinlog) witnessed(t *testing.T) func(file string, pos int64) int64 {
	t.Helper()
	sizes := map[string]int64{}
	var later int64
	for _, f := range slices.Backward(b.files) {
		sizes[f.Name] = f.Size + later
		later += f.Size
	}
	for i := range b.events {
		if e := &b.events[i]; i == 0 || b.random.IntN(len(b.events)) < 20 {
			if l := b.m.Left(t, e.file, e.pos); l.Bytes != sizes[e.file]-e.pos {
				t.Fatalf("seed %d: a replica is sent %d bytes from %s on, want %d", b.seed, l.Bytes, e, sizes[e.file]-e.pos)
			}
		}
	}
	return func(file string, pos int64) int64 { return sizes[file] - pos }
}

func (b *randomBinlog) wrong(r *mysql.Reading, c mysql.ConsumerReading, s *spot, bytes func(string, int64) int64) string {
	d, p := c.Distance, c.Note.Position
	if s.within && c.ScanErr != nil && (b.mariadb || strings.Contains(c.ScanErr.Error(), "GTID_MODE = O")) && d.State == mysql.OK && !d.Effective.Known {
		return "" // it looks like one from before GTIDs were switched on, or off; without checksums on MariaDB, like any
	}
	if c.Err != nil || c.ScanErr != nil || c.Scan == nil {
		return fmt.Sprintf("not scanned: %v, %v", c.Err, c.ScanErr)
	}
	if s.within {
		if b.mariadb && c.Scan.Stopped == "when its time was over" && d.State == mysql.OK && !d.Effective.Known {
			return "" // without checksums it was seen to send nothing, and not to end, where something looks like an event that is not whole
		}
		// where nothing proves an event to be one, as without checksums on MariaDB, it may be taken for a change
		bySet := p.GTIDs != "" && (d.State == mysql.OK || d.State == mysql.CaughtUp) && !d.Bytes.Known
		if c.Scan.After == mysql.NoEvent && (d.State == mysql.Invalid || bySet) || b.mariadb && d.State == mysql.OK && d.Effective == d.Bytes {
			return ""
		}
		if s.note.Position.File == b.files[len(b.files)-1].Name && c.Scan.After == mysql.None && c.Scan.Events == 0 && !b.mariadb {
			return "" // MySQL 5.7 sends nothing of what looks like an event of nearly 4 GiB, as it does at the binlog's end
		}
		return "want no event there"
	}
	if want := bytes(p.File, p.Pos); d.Bytes != known(want) {
		return fmt.Sprintf("want %d bytes", want)
	}
	if !slices.ContainsFunc(s.want, func(v verdict) bool { return v.after == c.Scan.After && b.logged(c.Scan, v) }) {
		return fmt.Sprintf("want %s", b.wants(s))
	}
	if c.Scan.After == mysql.None {
		if !atEnd(c) {
			return "want it to be caught up"
		}
		return ""
	}
	age := r.Inventory.Clock.Sub(c.Scan.First) // of a time to come, as that of a step is, there is none
	if d.State != mysql.OK || d.Effective != d.Bytes || d.Seconds.Known != (age >= -time.Minute) || d.Seconds.D != max(age, 0) && d.Seconds.Known {
		return "want all to be left, and since when"
	}
	exact := d.Transactions == known(s.lacks)
	if s.counts && c.Scan.After == mysql.Transaction { // the one at its place is handled, which sets do not always tell
		exact = exact || d.Transactions == known(s.lacks-1)
	}
	if s.lacks >= 0 && !exact {
		return fmt.Sprintf("want %d transactions", s.lacks)
	}
	return ""
}

// logged tells whether a scan has the time of the event that decides: by its header, or when it was really written.
func (b *randomBinlog) logged(scan *mysql.Scan, v verdict) bool {
	if v.event < 0 {
		return scan.First.IsZero()
	}
	at := b.events[v.event].step
	step := b.writer.steps[at]
	return scan.First.Equal(step.logged) || !scan.First.Before(step.before) && !scan.First.After(step.after)
}

func (b *randomBinlog) wants(s *spot) string {
	var all []string
	for _, v := range s.want {
		text := v.after.String()
		if v.event >= 0 {
			step := b.writer.steps[b.events[v.event].step]
			text += fmt.Sprintf(" by %s, logged in %s, %s to %s", &b.events[v.event], step.logged, step.before.Format(time.RFC3339Nano), step.after.Format(time.RFC3339Nano))
		}
		all = append(all, text)
	}
	return strings.Join(all, " or ")
}

// fail says what is wrong with a place, and what the server lists around it.
func (b *randomBinlog) fail(t *testing.T, c mysql.ConsumerReading, s *spot, why string) {
	t.Helper()
	const most = 5
	if b.failures++; b.failures > most {
		t.Fail()
		return
	}
	var around strings.Builder
	show := func(from, to int) {
		for i := max(from, 0); i < min(to, len(b.events)); i++ {
			mark := "  "
			if i == s.at {
				mark = "> "
			}
			fmt.Fprintf(&around, "%s%s\n", mark, &b.events[i])
			for k := range b.events[i].inner {
				fmt.Fprintf(&around, "      %s\n", &b.events[i].inner[k])
			}
		}
	}
	show(s.at-6, s.at+10)
	others := []int{}
	for _, v := range s.want {
		others = append(others, v.event)
	}
	if c.Scan != nil { // what it has read last
		others = append(others, slices.IndexFunc(b.events, func(e binlogEvent) bool { return e.file == c.Scan.File && e.end == c.Scan.Pos })-2)
	}
	for _, at := range others {
		if at >= s.at+10 {
			around.WriteString("  ...\n")
			show(at, at+4)
		}
	}
	t.Errorf("seed %d: %s: %s\ncaptures %q, ignored %q\n%s\n%s", b.seed, s.name, why, s.choice.captures, s.choice.ignored, brief(c), around.String())
}
