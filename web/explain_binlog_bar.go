package web

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// binlogBar is a binlog drawn as blocks, each a file, a part of one, or what is left out. Border i is before block i, the last
// one after the last block.
type binlogBar struct {
	Blocks []*binlogBlock
	End    string   // the last border
	Marks  []string // on it
	Spans  []binlogSpan
	Scale  *binlogScale // nil: not all sizes are known
}

// binlogBlock is a file or some, or a part of one.
type binlogBlock struct {
	Kind  string // "read" before the consumer's place, "record" or "unscanned" or "none" after it, "log" not judged, "gone", "beyond"
	Files int64
	Size  int64  // in bytes; negative: not known
	At    string // the border before it
	Marks []string
	Cut   bool
}

// binlogSpan names what lies between two borders.
type binlogSpan struct {
	From, To int
	Text     string
}

// The marks of a bar.
const (
	markPurge    = "purge edge"
	markConsumer = "consumer"
	markEnd      = "end"
)

// bar draws the files, some blocks at the most between two marks; nil: there are none.
func (e *BinlogExplanation) bar(most int) *binlogBar {
	if len(e.Files) == 0 {
		return nil
	}
	b := &binlogBar{}
	e.blocks(b)
	b.squeeze(most)
	b.spans(e)
	b.Scale = e.scale()
	return b
}

// blocks draws every file, what is gone before them, and what was never written after them.
func (e *BinlogExplanation) blocks(b *binlogBar) {
	add := func(k binlogBlock) { b.Blocks = append(b.Blocks, &k) }
	last := e.last()
	if e.Place == "purged" && before(e.Position.File, e.Files[0].Name) {
		add(binlogBlock{Kind: "gone", Size: -1, At: edge(e.Position.File, true) + fmt.Sprint(":", e.Position.Pos), Marks: []string{markConsumer}})
	}
	unopened, listed := e.unopened(), e.listed()
	for i, f := range e.Files {
		kind := "log"
		switch {
		case e.File < 0 && f.End < 0 && f.Name == unopened:
			kind = "gone"
		case e.File < 0:
		case i < e.File || i == e.File && f.End == e.At:
			kind = "read"
		default:
			kind = e.after()
		}
		var marks []string
		if i == 0 {
			marks = []string{markPurge}
		}
		if i == e.File && kind != "read" && e.At > fileStart {
			add(binlogBlock{Kind: "read", Size: e.At, At: edge(f.Name, len(b.Blocks) == 0), Marks: marks})
			add(binlogBlock{Kind: kind, Size: f.End - e.At, At: fmt.Sprintf(":%d", e.At), Marks: []string{markConsumer}})
			continue
		}
		if i == e.File && kind != "read" || unopened != "" && i == listed || i > 0 && i == e.File+1 && e.Files[e.File].End == e.At {
			marks = append(marks, markConsumer)
		}
		add(binlogBlock{Kind: kind, Files: 1, Size: f.End, At: edge(f.Name, len(b.Blocks) == 0), Marks: marks})
	}
	if b.End = ":?"; last.End >= 0 {
		b.End = fmt.Sprintf(":%d", last.End)
	}
	b.Marks = []string{markEnd}
	switch {
	case e.File == len(e.Files)-1 && e.At == last.End:
		b.Marks = []string{markConsumer, markEnd}
	case e.Place == "ahead" && last.End >= 0 && !before(e.Position.File, last.Name) && (e.Position.File != last.Name || e.Position.Pos > last.End):
		beyond := int64(-1)
		if e.Position.File == last.Name {
			beyond = e.Position.Pos - last.End
		}
		add(binlogBlock{Kind: "beyond", Size: beyond, At: b.End, Marks: b.Marks})
		b.End, b.Marks = edge(e.Position.File, false)+fmt.Sprint(":", e.Position.Pos), []string{markConsumer}
	}
}

// edge is a file's name at a border: of a long one only what tells it from the first, which is shown as far as there is room.
func edge(file string, first bool) string {
	const long, longer = 20, 27
	switch number := strings.LastIndexByte(file, '.'); {
	case len(file) > longer && (first || number < len(file)-long):
		return "…" + name(file[len(file)-longer:])
	case len(file) > long && !first && number >= 0:
		return "…" + name(file[number+1:])
	}
	return name(file)
}

// fileStart is where a file's first event begins.
const fileStart = 4

// before says that a file comes before another one: their numbers become longer.
func before(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// after is the kind of what follows the place.
func (e *BinlogExplanation) after() string {
	switch {
	case e.State == "caught_up":
		return "none"
	case e.State != "ok":
		return "log"
	case e.Effective > 0:
		return "record"
	}
	return "unscanned"
}

// squeeze leaves a few blocks between each two marks.
func (b *binlogBar) squeeze(most int) {
	apart := func(before, k *binlogBlock) bool { return len(k.Marks) > 0 || k.Kind != before.Kind }
	b.Blocks = squeezed(b.Blocks, most, apart, summedUp)
}

// summedUp is a block in the place of some.
func summedUp(blocks []*binlogBlock) *binlogBlock {
	sum := &binlogBlock{Kind: blocks[0].Kind, At: blocks[0].At, Cut: true}
	for _, k := range blocks {
		sum.Files++
		if k.Size < 0 || sum.Size < 0 || k.Size > math.MaxInt64-sum.Size {
			sum.Size = -1
			continue
		}
		sum.Size += k.Size
	}
	return sum
}

// spans names what is before the consumer's place and after it.
func (b *binlogBar) spans(e *BinlogExplanation) {
	if e.File < 0 {
		return
	}
	at := slices.IndexFunc(b.Blocks, func(k *binlogBlock) bool { return slices.Contains(k.Marks, markConsumer) })
	if at < 0 {
		at = len(b.Blocks)
	}
	if at > 0 && e.HeadroomBytes > 0 {
		text := "headroom " + size(e.HeadroomBytes)
		if e.Headroom >= 0 {
			text += ", safe for " + span(e.Headroom)
		}
		b.Spans = append(b.Spans, binlogSpan{0, at, text})
	}
	if at < len(b.Blocks) && e.Bytes > 0 {
		text := size(e.Bytes) + " left"
		if e.Effective == 0 {
			text = size(e.Bytes) + ", nothing to read"
		}
		b.Spans = append(b.Spans, binlogSpan{at, len(b.Blocks), text})
	}
}

// unopened is the last file that keeps the consumer from going on, since the server lists it and cannot open it; empty: none does.
func (e *BinlogExplanation) unopened() string {
	at := e.listed()
	if e.Place != "purged" || at < 0 {
		return ""
	}
	for i := len(e.Files) - 2; i >= at; i-- {
		if e.Files[i].End < 0 {
			return e.Files[i].Name
		}
	}
	return ""
}

// listed is the index of the place's file, whether or not the consumer can go on from there, or -1.
func (e *BinlogExplanation) listed() int {
	return slices.IndexFunc(e.Files, func(f BinlogFile) bool { return e.Position != nil && f.Name == e.Position.File })
}
