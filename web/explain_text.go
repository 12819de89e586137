package web

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"
)

// Widths of a terminal that the text is laid out for.
const (
	narrowest   = 40
	textBlocks  = 7
	textMargin  = 2
	textRows    = 24 // batches that are listed
	textRewinds = 3
)

// WriteText writes the explanation for a terminal of a width.
func (e *Explanation) WriteText(w io.Writer, width int) error {
	t := &texter{width: max(width, narrowest)}
	p := e.Place
	t.line("%s", p.Heading())
	read := fmt.Sprintf("read %s in %s", stamp(e.At), took(e.Took))
	if e.Leader >= 0 {
		read += fmt.Sprintf(" from broker %d", e.Leader)
	}
	if e.Leader >= 0 && e.Epoch >= 0 {
		read += fmt.Sprintf(" (leader epoch %d)", e.Epoch)
	}
	t.line("%s", read)
	t.gap()
	t.wrap(strings.ToUpper(e.Headline()) + ". " + e.Reason())
	if facts := e.facts(); len(facts) > 0 {
		t.gap()
		t.wrap(strings.Join(facts, "   "))
	}
	if s := t.fit(e); s != nil && len(s.Blocks) > 0 {
		t.gap()
		t.strip(s)
	}
	for i := range e.Rewinds[:min(len(e.Rewinds), textRewinds)] {
		r := &e.Rewinds[i]
		t.wrap(fmt.Sprintf("rewind: %s ◄─ %s, %s back, %s to be read again, at %s",
			number(r.To), number(r.From), count(r.Offsets, "offset"), count(r.Records, "record"), stamp(r.At)))
	}
	t.flink(e.Flink, e.Unheard, e.At)
	if len(e.Log) > 0 {
		t.gap()
		t.batches(e.rows(textRows))
	}
	t.gap()
	t.requests(e.Requests)
	return t.write(w)
}

func (e *Explanation) facts() []string {
	var f []string
	if e.Lag.Known {
		atMost := ""
		if !e.Exact {
			atMost = "at most "
		}
		f = append(f, "raw lag "+count(e.Lag.Offsets, "offset"), "true lag "+atMost+count(e.Lag.Records, "record"), "time lag "+e.TimeLag())
	}
	if e.Isolation != "" {
		f = append(f, fmt.Sprintf("isolation %s (%s)", e.Isolation, e.IsolationSource))
	}
	if b := e.Blocker; b != nil {
		if b.TransactionalID != "" {
			f = append(f, fmt.Sprintf("transactional id %q", name(b.TransactionalID)))
		}
		f = append(f, "open for "+e.OpenFor(), "hanging: "+b.Hangs())
	}
	return f
}

// WriteText writes the list for a terminal.
func (l *Listing) WriteText(w io.Writer, now time.Time) error {
	var b strings.Builder
	switch l.Place.Scope {
	case OneGroup:
		fmt.Fprintln(&b, name(l.Place.Group))
	case OneTopic:
		fmt.Fprintf(&b, "%s · %s\n", name(l.Place.Group), name(l.Place.Topic))
	case EveryGroup, OnePartition:
	}
	if l.Read.IsZero() {
		fmt.Fprintln(&b, "Unknown: no read has succeeded.")
		_, err := io.WriteString(w, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s\n\n", l.Summary(now))
	rows := [][]string{{"true lag", "raw lag", l.Unit(), "verdict"}}
	for _, r := range l.Rows {
		records, offsets := "unknown", "unknown"
		switch {
		case r.Known:
			records, offsets = number(r.Records), number(r.Offsets)
			if r.Unscanned > 0 {
				records = "≤ " + records
			}
		case r.Uncommitted:
			records, offsets = "none", "none"
		}
		rows = append(rows, []string{records, offsets, l.title(r), r.Verdict()})
	}
	align(&b, rows, 2)
	_, err := io.WriteString(w, b.String())
	return err
}

// align writes rows as columns. Those of words begin at the left, those of numbers end at the right, and the last is as it is.
func align(b *strings.Builder, rows [][]string, words ...int) {
	widths := make([]int, len(rows[0])-1)
	for _, r := range rows {
		for i := range widths {
			widths[i] = max(widths[i], width(r[i]))
		}
	}
	for _, r := range rows {
		b.WriteString("  ")
		for i := range widths {
			pad := strings.Repeat(" ", widths[i]-width(r[i]))
			b.WriteString(pick(slices.Contains(words, i), r[i]+pad, pad+r[i]) + "   ")
		}
		b.WriteString(r[len(widths)] + "\n")
	}
}

// title names a row.
func (l *Listing) title(r *Row) string {
	switch l.Place.Scope {
	case EveryGroup:
		if r.Cluster != "" {
			return name(r.Cluster) + " / " + name(r.Group.Group)
		}
		return name(r.Group.Group)
	case OneGroup:
		return name(r.Topic)
	default:
		return fmt.Sprint(r.Partition)
	}
}

// texter lays text out.
type texter struct {
	strings.Builder
	width int
}

func (t *texter) line(format string, args ...any) { t.WriteString(fmt.Sprintf(format+"\n", args...)) }

func (t *texter) gap() { t.WriteByte('\n') }

func (t *texter) write(w io.Writer) error {
	_, err := io.WriteString(w, t.String())
	return err
}

// wrap breaks a text at spaces.
func (t *texter) wrap(text string) {
	room := t.width - textMargin
	line := ""
	for _, word := range strings.Split(text, " ") {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			t.line("%s%s", strings.Repeat(" ", textMargin), strings.TrimRight(line, " "))
			line = ""
		}
		if line != "" || word == "" {
			line += " "
		}
		line += word
	}
	t.line("%s%s", strings.Repeat(" ", textMargin), line)
}

func (t *texter) batches(log []Stretch) {
	w := tabwriter.NewWriter(t, 0, 0, 3, ' ', 0)
	row := func(cells ...string) { _, _ = io.WriteString(w, "  "+strings.Join(cells, "\t")+"\n") } // into memory
	row("offsets", "what", "records", "producer", "first record", "bytes")
	for i := range log {
		s := &log[i]
		var producer, first, bytes string
		if s.Producer >= 0 {
			producer = fmt.Sprintf("%d/%d", s.Producer, s.Epoch)
		}
		if !s.First.IsZero() {
			first = stamp(s.First)
		}
		if s.Batches > 0 {
			bytes = number(s.Bytes)
		}
		row(s.Range(), s.What(), s.RecordsText(), producer, first, bytes)
	}
	_ = w.Flush() // into memory
}

func (t *texter) requests(requests []Request) {
	for _, r := range requests {
		line := fmt.Sprintf("  %s  %s", clock(r.At), r.API)
		if r.Version >= 0 {
			line += fmt.Sprintf(" v%d", r.Version)
		}
		if r.Broker >= 0 {
			line += fmt.Sprintf(" at broker %d", r.Broker)
		}
		line += fmt.Sprintf(": %s (%s)", r.About, took(r.Took))
		if r.Err != nil {
			line += ": " + r.Err.Error()
		}
		t.line("%s", line)
	}
	t.line("  %s", count(int64(len(requests)), "request"))
}
