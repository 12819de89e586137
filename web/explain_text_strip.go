package web

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// drawn is a strip whose blocks have their labels and places.
type drawn struct {
	*strip
	boxes boxes
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
			for _, b := range s.Blocks {
				column = d.boxes.add(column, label(b), number(b.From), b.Marks, b.Width())
			}
			d.boxes.border(column, number(s.End), s.Marks)
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
	t.boxes(&d.boxes)
	if a := d.Back; a != nil {
		var lane canvas
		from, to := d.boxes.at[a.From], d.boxes.at[a.To]
		lane.put(to, "◄"+strings.Repeat("─", max(from-to-1, 0))+"┘")
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

// add puts a block at a column, and says where the next one begins. The block has room for its label and its border.
func (b *boxes) add(column int, label, border string, marks []string, wide int) (next int) {
	label = " " + label + " "
	b.labels = append(b.labels, label)
	b.border(column, border, marks)
	return column + 1 + max(width(label), width(border), 2*wide)
}

// border puts a border at a column.
func (b *boxes) border(column int, text string, marks []string) {
	b.borders, b.marks, b.at = append(b.borders, text), append(b.marks, marks), append(b.at, column)
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
