package web

import "slices"

// strip is a log drawn as blocks. Border i is before block i, the last one after the last block.
type strip struct {
	Blocks []*block
	End    int64    // offset of the last border
	Marks  []string // on the last border
	Back   *arrow   // the last rewind, where it is in sight
}

// arrow goes back from one border to another.
type arrow struct {
	From, To int // borders
	Event    Event
}

// mark is a named border of the strip.
type mark struct {
	name string
	at   int64
}

func (e *Explanation) marks() []mark {
	var m []mark
	if e.EndsKnown {
		m = append(m, mark{"S", e.Start})
	}
	if e.Committed >= 0 {
		m = append(m, mark{"C", e.Committed})
	}
	if e.EndsKnown {
		m = append(m, mark{"LSO", e.Stable}, mark{"HW", e.End})
	}
	return m
}

// strip draws the log around the commit with some blocks at the most between two marks: longer rows lose their middle.
func (e *Explanation) strip(most int) *strip {
	if !e.EndsKnown {
		return nil
	}
	pieces := e.pieces()
	borders := map[int64]bool{}
	for _, m := range e.marks() {
		borders[m.at] = true
	}
	back := e.rewind(pieces)
	if back != nil {
		borders[back.From], borders[back.To] = true, true
	}
	s := &strip{End: e.Start}
	for _, p := range split(pieces, borders) {
		last := len(s.Blocks) - 1
		if last >= 0 && s.Blocks[last].Kind == p.Kind && !p.Cut && !s.Blocks[last].Cut && !borders[p.From] {
			s.Blocks[last].To = p.To
			s.Blocks[last].Kinds = s.Blocks[last].Kinds.plus(p.Kinds)
			s.Blocks[last].Marker = ""
			continue
		}
		s.Blocks = append(s.Blocks, &p)
	}
	s.squeeze(borders, most)
	if n := len(s.Blocks); n > 0 {
		s.End = s.Blocks[n-1].To
	}
	for _, m := range e.marks() {
		i := s.border(m.at)
		if i == len(s.Blocks) {
			s.Marks = append(s.Marks, m.name)
		} else {
			s.Blocks[i].Marks = append(s.Blocks[i].Marks, m.name)
		}
	}
	if back != nil {
		s.Back = &arrow{From: s.border(back.From), To: s.border(back.To), Event: *back}
	}
	return s
}

// border is the number of the border at an offset.
func (s *strip) border(at int64) int {
	i := slices.IndexFunc(s.Blocks, func(b *block) bool { return b.From >= at })
	if i < 0 {
		return len(s.Blocks)
	}
	return i
}

// pieces are the stretches between commit and end, and what is around them: what was read, deleted, or never was.
func (e *Explanation) pieces() []block {
	from, commit := min(e.Start, e.Stable), e.Committed
	if commit < 0 {
		commit = e.End
	}
	var pieces []block
	add := func(kind string, from, to int64) {
		if from < to {
			pieces = append(pieces, block{From: from, To: to, Kind: kind})
		}
	}
	before := "read"
	if e.Committed < 0 || len(e.Log) == 0 && e.Committed < e.End {
		before = "log" // nobody has read it, or what follows the commit is not known
	}
	add("gone", from, min(e.Start, commit))
	add(before, e.Start, min(commit, e.End))
	for i := range e.Log {
		l := &e.Log[i]
		pieces = append(pieces, block{From: l.From, To: l.To, Kind: l.Kind, Kinds: l.Kinds, Marker: l.Marker, Cut: l.Batches > 1 && len(l.Kinds) > 1})
	}
	add("beyond", e.End, e.Committed)
	return pieces
}

// rewind is the last rewind if both of its ends are among the pieces.
func (e *Explanation) rewind(pieces []block) *Event {
	if len(e.Rewinds) == 0 || len(pieces) == 0 {
		return nil
	}
	r := e.Rewinds[0]
	if r.To < pieces[0].From || r.From > pieces[len(pieces)-1].To {
		return nil
	}
	return &r
}

// split cuts pieces at borders inside them. What the cut parts of a piece of several kinds are made of is not known.
func split(pieces []block, borders map[int64]bool) []block {
	var out []block
	for _, p := range pieces {
		var at []int64
		for b := range borders {
			if p.From < b && b < p.To {
				at = append(at, b)
			}
		}
		slices.Sort(at)
		for _, b := range at {
			part := p
			part.To = b
			part.Kinds = part.Kinds.cut(part.Offsets())
			out = append(out, part)
			p.From = b
			p.Kinds = p.Kinds.cut(p.Offsets())
		}
		out = append(out, p)
	}
	return out
}

// cut is what n offsets of a piece are: known only of a piece of one kind.
func (k Kinds) cut(n int64) Kinds {
	if len(k) == 1 {
		return Kinds{{k[0].Kind, n}}
	}
	return nil
}

// squeeze leaves a few blocks between each two borders that have a meaning.
func (s *strip) squeeze(borders map[int64]bool, most int) {
	s.Blocks = squeezed(s.Blocks, most, func(_, b *block) bool { return borders[b.From] }, cutOut)
}

// cutOut is a block in the place of some.
func cutOut(blocks []*block) *block {
	cut := &block{From: blocks[0].From, To: blocks[len(blocks)-1].To, Cut: true}
	for _, b := range blocks {
		cut.Kinds = cut.Kinds.plus(b.Kinds)
	}
	return cut
}

// squeezed leaves some blocks at the most of each run, and puts one in the place of those in its middle. A run ends where a block
// stands apart from the one before it.
func squeezed[B any](blocks []B, most int, apart func(before, b B) bool, cutOut func([]B) B) []B {
	var kept []B
	for from := 0; from < len(blocks); {
		to := from + 1
		for to < len(blocks) && !apart(blocks[to-1], blocks[to]) {
			to++
		}
		run := blocks[from:to]
		if len(run) > most {
			head := most / 2
			tail := len(run) - (most - 1 - head)
			run = slices.Concat(run[:head], []B{cutOut(run[head:tail])}, run[tail:])
		}
		kept = append(kept, run...)
		from = to
	}
	return kept
}

// Key explains one kind of block.
type Key struct{ Kind, Letter, Text string }

// Legend explains the kinds that are drawn.
func (s *strip) Legend() []Key {
	kinds := map[string]bool{}
	for _, b := range s.Blocks {
		kind := b.Kind
		if b.Cut {
			kind = "cut"
			for _, c := range b.Kinds {
				kinds[c.Kind] = true
			}
		}
		kinds[kind] = true
	}
	return legend(kinds, letters, [][2]string{
		{"read", "before the commit"}, {"record", "record to be read"}, {"control", "transaction marker"}, {"aborted", "aborted record"},
		{"blocked", "held back by an open transaction"}, {"gap", "nothing there: compacted"}, {"lost", "deleted before it was read"},
		{"unscanned", "not looked at: may be a record"}, {"gone", "deleted"}, {"beyond", "no log here"}, {"log", "not judged"}, {"cut", "left out here"},
	})
}

// legend are the keys of the kinds that are drawn, in the order of the texts.
func legend(drawn map[string]bool, letters map[string]string, texts [][2]string) []Key {
	var out []Key
	for _, k := range texts {
		if drawn[k[0]] {
			out = append(out, Key{k[0], letters[k[0]], k[1]})
		}
	}
	return out
}
