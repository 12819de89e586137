package web

// binlogLetters tell the kinds where there is neither colour nor room.
var binlogLetters = map[string]string{
	"read": "·", "record": "R", "unscanned": "?", "none": "N", "log": "-", "gone": "×", "beyond": "!", "cut": "…",
}

// Letter is the kind's.
func (k *binlogBlock) Letter() string {
	if k.Cut {
		return binlogLetters["cut"]
	}
	return binlogLetters[k.Kind]
}

// Label says what the block is.
func (k *binlogBlock) Label() string {
	room := "size not known"
	if k.Size >= 0 {
		room = size(k.Size)
	}
	switch {
	case k.Cut:
		return count(k.Files, "file") + ", " + room
	case k.Kind == "gone":
		return "purged"
	case k.Kind == "beyond" && k.Size < 0:
		return "not written"
	case k.Kind == "beyond":
		return room + " not written"
	}
	return room
}

// long is the label where there is no letter beside it.
func (k *binlogBlock) long() string {
	if k.Cut {
		return "… " + k.Label() + " …"
	}
	return k.Label()
}

// Short is the label where there is little room.
func (k *binlogBlock) Short() string {
	switch {
	case k.Cut:
		return "…" + number(k.Files) + "…"
	case k.Size < 0:
		return k.Letter()
	}
	return k.Letter() + " " + number(k.Size)
}

// Width is a step from 1 to 6 that grows with the size.
func (k *binlogBlock) Width() int {
	w := 1
	for n := k.Size; n > 1<<10 && w < 6; n /= 16 {
		w++
	}
	return w
}

// Legend explains the kinds that are drawn.
func (b *binlogBar) Legend() []Key {
	kinds := map[string]bool{}
	for _, k := range b.Blocks {
		kinds[k.Kind] = true
		kinds["cut"] = kinds["cut"] || k.Cut
	}
	return legend(kinds, binlogLetters, [][2]string{
		{"gone", "purged"}, {"read", "before the consumer's place"}, {"record", "to be read"},
		{"unscanned", "not looked at: may be to be read"}, {"none", "nothing that is left to read"},
		{"log", "not judged"}, {"beyond", "not written"}, {"cut", "files left out here"},
	})
}

// scaleWidth is the length of a bar that is to scale, in its own units.
const scaleWidth = 1000

// binlogScale is a bar that is to scale, however many files there are.
type binlogScale struct {
	Kind  string // of what is after the place
	At    int    // the place; the whole length is scaleWidth
	Left  int    // from there to the end
	Ticks []int  // where files begin, those that can be told apart
	Known bool   // there is a place
}

// scale draws the files to scale; nil: not all sizes are known, or there is nothing to be seen.
func (e *BinlogExplanation) scale() *binlogScale {
	var total float64
	for _, f := range e.Files {
		if f.End < 0 {
			return nil
		}
		total += float64(f.End)
	}
	if total == 0 {
		return nil
	}
	s := &binlogScale{Kind: e.after(), At: scaleWidth, Known: e.File >= 0 && e.Before >= 0}
	if s.Known {
		before := float64(e.Before) + float64(e.At) // an int64 may not hold it
		s.At = int(before / total * scaleWidth)
		if e.Bytes > 0 {
			s.At = min(s.At, scaleWidth-2) // what there is can be seen
		}
		if before > 0 {
			s.At = max(s.At, 2)
		}
		s.Left = scaleWidth - s.At
	}
	const apart = 6
	sum := 0.0
	for _, f := range e.Files[:len(e.Files)-1] {
		sum += float64(f.End)
		at := int(sum / total * scaleWidth)
		if at >= apart && at <= scaleWidth-apart && (len(s.Ticks) == 0 || at-s.Ticks[len(s.Ticks)-1] >= apart) {
			s.Ticks = append(s.Ticks, at)
		}
	}
	return s
}
