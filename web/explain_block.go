package web

import (
	"fmt"
	"strings"
)

// block is a run of offsets of one kind on the strip, or what the strip leaves out in its middle.
type block struct {
	From, To int64
	Kind     string // a kind, or "read" before the commit, "gone" below the log start, "beyond" the end, "log" not judged
	Kinds    Kinds
	Cut      bool
	Marker   string // of a single marker
	Marks    []string
}

// letters tell the kinds where there is neither colour nor room.
var letters = map[string]string{
	"record": "R", "control": "M", "aborted": "A", "blocked": "B", "gap": "G", "lost": "L", "unscanned": "?",
	"read": "·", "gone": "×", "beyond": "!", "log": "·", "cut": "…",
}

// kindOrder is the order in which kinds are listed.
var kindOrder = []string{"record", "aborted", "control", "blocked", "gap", "lost", "unscanned"}

// Letter is the kind's.
func (b *block) Letter() string {
	if b.Cut {
		return letters["cut"]
	}
	return letters[b.Kind]
}

// Offsets is how many offsets the block stands for.
func (b *block) Offsets() int64 { return b.To - b.From }

// Label says what the block is: "record ×12".
func (b *block) Label() string {
	n := number(b.Offsets())
	word := b.Kind
	switch {
	case b.Cut && b.Parts() != "":
		return "… " + b.Parts() + " …"
	case b.Cut:
		return "… ×" + n + " …"
	case b.Marker != "":
		return b.Marker
	case b.Kind == "control":
		word = "marker"
	case b.Kind == "gone":
		word = "deleted"
	case b.Kind == "beyond":
		word = "no log"
	}
	if b.Kinds.of("gap") > 0 && b.Kind != "gap" { // a compacted batch does not tell which of its offsets are left
		return fmt.Sprintf("%s ×%s of %s", word, number(b.Kinds.of(b.Kind)), n)
	}
	return word + " ×" + n
}

// Short is the label where there is little room: "R×12".
func (b *block) Short() string {
	if b.Cut {
		return "…×" + number(b.Offsets())
	}
	if b.Marker != "" {
		return letters[b.Kind]
	}
	return b.Letter() + "×" + number(b.Offsets())
}

// Range is the block's offsets: "0-5", or "6".
func (b *block) Range() string {
	if b.Offsets() == 1 {
		return number(b.From)
	}
	return number(b.From) + " – " + number(b.To-1)
}

// Parts lists what a block that stands for several kinds is made of.
func (b *block) Parts() string {
	if !b.Cut {
		return ""
	}
	var parts []string
	for _, kind := range kindOrder {
		if n := b.Kinds.of(kind); n > 0 {
			parts = append(parts, letters[kind]+"×"+number(n))
		}
	}
	return strings.Join(parts, " ")
}

// Width is a step from 1 to 6 that grows with the number of offsets, which may be anything from 1 to many millions.
func (b *block) Width() int {
	w := 1
	for n := b.Offsets(); n > 1 && w < 6; n /= 8 {
		w++
	}
	return w
}
