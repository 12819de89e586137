package web

import (
	"io"
	"strings"
)

// WriteText writes the explanation for a terminal of a width.
func (e *BinlogExplanation) WriteText(w io.Writer, width int) error {
	t := &texter{width: max(width, narrowest)}
	t.line("%s", e.Heading())
	t.line("%s", e.How())
	t.gap()
	t.wrap(strings.ToUpper(e.Headline()) + ". " + e.Why())
	for _, more := range []string{e.Condition(), e.Cure()} {
		if more != "" {
			t.wrap(more)
		}
	}
	if b := t.fitBar(e); b != nil {
		t.gap()
		t.bar(b)
	}
	if sums := e.Sums(); len(sums) > 0 {
		t.gap()
		for _, s := range sums {
			t.hang(s.Name+" "+s.Value+": ", s.How)
		}
	}
	t.gap()
	for _, f := range e.Facts() {
		t.hang(f.Name+": ", f.Value)
	}
	t.gap()
	t.statements(e.Sent())
	return t.write(w)
}

// How names the state as truelag_binlog_position_state does, which alerts go by, and says when which server was read.
func (e *BinlogExplanation) How() string {
	s := "state " + name(e.State) + ", read " + stamp(e.Read)
	if e.Version != "" {
		s += " from " + printable(e.Version, longest)
	}
	if e.ServerID != "" {
		s += ", server " + printable(e.ServerID, longest)
	}
	return s
}

// hang writes a text whose further lines stand further in.
func (t *texter) hang(lead, text string) {
	const in = "  "
	room := t.width - textMargin - len(in)
	line := strings.TrimRight(lead, " ")
	first := true
	flush := func() {
		t.line("%s%s%s", strings.Repeat(" ", textMargin), pick(first, "", in), line)
		first = false
	}
	for _, word := range strings.Fields(text) {
		if line != "" && width(line)+1+width(word) > room+pick(first, len(in), 0) {
			flush()
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	flush()
}

// fittedBar is a bar whose blocks have their labels and places.
type fittedBar struct {
	*binlogBar
	boxes boxes
}

// fitBar draws as much as the width allows: first it shortens the labels, then it leaves files out.
func (t *texter) fitBar(e *BinlogExplanation) *fittedBar {
	var f *fittedBar
	for most := textBlocks; most >= 3; most -= 2 {
		for _, label := range []func(*binlogBlock) string{(*binlogBlock).long, (*binlogBlock).Short} {
			b := e.bar(most)
			if b == nil {
				return nil
			}
			f = &fittedBar{binlogBar: b}
			column := 2 * textMargin
			for _, k := range b.Blocks {
				column = f.boxes.add(column, label(k), k.At, k.Marks, k.Width())
			}
			f.boxes.border(column, b.End, b.Marks)
			if column+width(b.End) <= t.width {
				return f
			}
		}
	}
	return f // wider than the terminal
}

// bar draws the files, what the parts mean, and all to scale.
func (t *texter) bar(b *fittedBar) {
	t.boxes(&b.boxes)
	var lanes canvas
	for _, s := range b.Spans {
		lanes.put(b.boxes.at[s.From], s.Text)
	}
	for _, l := range lanes.lines {
		t.line("%s", string(l))
	}
	var legend []string
	for _, k := range b.Legend() {
		legend = append(legend, k.Letter+" "+k.Text)
	}
	t.line("%s%s", strings.Repeat(" ", 2*textMargin), strings.Join(legend, "   "))
	if s := b.Scale; s != nil {
		const title = "to scale "
		room := min(t.width-2*textMargin-len(title)-1, scaleWidth)
		at := s.At * room / scaleWidth
		if s.Left > 0 {
			at = min(at, room-1)
		}
		line := strings.Repeat(binlogLetters["read"], at) + strings.Repeat(binlogLetters[s.Kind], room-at)
		if s.Known {
			t.line("%s▼", strings.Repeat(" ", 2*textMargin+len(title)+at))
		} else {
			line = strings.Repeat(binlogLetters["log"], room)
		}
		t.line("%s%s%s", strings.Repeat(" ", 2*textMargin), title, line)
	}
}

func (t *texter) statements(all []BinlogStatement) {
	for i := range all {
		s := &all[i]
		text := s.Words() + " (" + took(s.Took) + ")"
		if s.Err != "" {
			text += ": " + s.Failure()
		}
		t.hang(clock(s.At)+" ", text)
	}
	t.line("  %s", count(int64(len(all)), "question"))
}

// longestStatement is how much of a statement is shown.
const longestStatement = 300

// Words are the statement's text on a line.
func (s *BinlogStatement) Words() string {
	return printable(strings.Join(strings.Fields(s.Text), " "), longestStatement)
}

// Failure is what came of a statement that failed; empty: it did not.
func (s *BinlogStatement) Failure() string {
	failure := printable(s.Err, longestReason)
	if s.Tried() {
		failure += "; asked anew without it"
	}
	return failure
}

// Tried says that nothing is wrong: the server has no such variable, by which versions are told apart.
func (s *BinlogStatement) Tried() bool {
	return s.Consumer == "" && strings.HasPrefix(s.Err, "Error 1193 ")
}

// Sent are the statements that the explanation rests on: those for all consumers, and those for this one.
func (e *BinlogExplanation) Sent() []BinlogStatement {
	var all []BinlogStatement
	for _, s := range e.Statements {
		if s.Consumer == "" || s.Consumer == e.Consumer {
			all = append(all, s)
		}
	}
	return all
}
