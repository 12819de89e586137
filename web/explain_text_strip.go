package web

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// drawn is a strip whose blocks have their labels and places.
type drawn struct {
	*strip
	labels []string
	at     []int // columns of the borders
}

// fit draws as much as the width allows: first it shortens the labels, then it leaves blocks out.
func (t *texter) fit(e *Explanation) *drawn {
	var d *drawn
	for most := textBlocks; most >= 3; most-- {
		for _, label := range []func(*block) string{(*block).Label, (*block).Short} {
			s := e.strip(most)
			if s == nil {
				return nil
			}
			d = &drawn{strip: s}
			column := 2 * textMargin
			for i, b := range s.Blocks {
				d.labels = append(d.labels, " "+label(b)+" ")
				d.at = append(d.at, column)
				column += 1 + max(width(d.labels[i]), len(number(b.From)), 2*b.Width())
			}
			d.at = append(d.at, column)
			if column+1 <= t.width {
				return d
			}
		}
	}
	return d // wider than the terminal
}

func width(s string) int { return utf8.RuneCountInString(s) }

// strip draws the marks, the blocks, their offsets, and the last rewind.
func (t *texter) strip(d *drawn) {
	b := &boxes{labels: d.labels, at: d.at}
	for i := range d.Blocks {
		b.borders = append(b.borders, number(d.Blocks[i].From))
		b.marks = append(b.marks, d.Blocks[i].Marks)
	}
	b.borders, b.marks = append(b.borders, number(d.End)), append(b.marks, d.Marks)
	t.boxes(b)
	if a := d.Back; a != nil {
		var lane canvas
		lane.put(d.at[a.To], "◄"+strings.Repeat("─", max(d.at[a.From]-d.at[a.To]-1, 0))+"┘")
		t.line("%s back by %s", string(lane.lines[0]), count(a.Event.Offsets, "offset"))
	}
}

// boxes are a row of blocks with a label each. There is one more of borders, marks and columns.
type boxes struct {
	labels  []string
	borders []string
	marks   [][]string
	at      []int
}

// boxes draws the marks, the blocks and their borders.
func (t *texter) boxes(b *boxes) {
	last := len(b.labels)
	var names, arrows canvas
	for i := range last + 1 {
		if m := strings.Join(b.marks[i], " = "); m != "" {
			names.put(b.at[i], m)
			arrows.put(b.at[i], "▼")
		}
	}
	for _, l := range slices.Backward(names.lines) {
		t.line("%s", string(l))
	}
	var top, middle, bottom, borders canvas
	for i, label := range b.labels {
		bar := strings.Repeat("─", b.at[i+1]-b.at[i]-1)
		top.put(b.at[i], pick(i == 0, "┌", "┬")+bar)
		middle.put(b.at[i], "│"+label)
		bottom.put(b.at[i], pick(i == 0, "└", "┴")+bar)
		borders.put(b.at[i], b.borders[i])
	}
	top.put(b.at[last], "┐")
	middle.put(b.at[last], "│")
	bottom.put(b.at[last], "┘")
	borders.put(b.at[last], b.borders[last])
	for _, c := range []canvas{arrows, top, middle, bottom} {
		t.line("%s", string(c.lines[0]))
	}
	for _, l := range borders.lines {
		t.line("%s", string(l))
	}
}

func pick[T any](is bool, a, b T) T {
	if is {
		return a
	}
	return b
}

// canvas is text put at columns; what would cover other text goes to a line of its own.
type canvas struct{ lines [][]rune }

func (c *canvas) put(column int, text string) {
	for i := range c.lines {
		if len(c.lines[i]) <= column && (len(c.lines[i]) == 0 || len(c.lines[i]) < column || !isText(text)) {
			c.lines[i] = extend(c.lines[i], column, text)
			return
		}
	}
	c.lines = append(c.lines, extend(nil, column, text))
}

func isText(s string) bool { return s[0] < utf8.RuneSelf }

func extend(line []rune, column int, text string) []rune {
	for len(line) < column {
		line = append(line, ' ')
	}
	return append(line, []rune(text)...)
}
