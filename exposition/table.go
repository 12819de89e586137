package exposition

import "fmt"

// Table is a set of families that share rows. It must not be changed once it is handed to a Writer: several responses
// may be writing it at once.
type Table[R any] struct {
	Families []Family[R]
	Chunks   []Chunk[R]
}

// Family is a Desc and the ways to take its samples from a row. A family of which no row has a sample is not written
// at all, as an empty family of a registry is not.
type Family[R any] struct {
	Desc
	Series []Series[R]
}

// Series is one way to take a sample from a row. The samples of a family must differ in their labels; nothing here
// checks that.
type Series[R any] struct {
	Extra   string                   // label pairs that follow the row's own (`kind="record"`), rendered by Label; empty: none
	ExtraOf func(*R) string          // the same for pairs that vary by row, in place of Extra; nil: Extra holds
	Value   func(*R) (float64, bool) // false: this row has no such sample
}

// Chunk is a run of rows with their label pairs, rendered once and kept from scrape to scrape. Labels[i] belongs to
// Rows[i]; it is pairs rendered by Label, joined by commas, without braces, and may be empty.
type Chunk[R any] struct {
	Labels []string
	Rows   []R
}

// Block is a Table of any row type, for lists that hold tables of several.
type Block interface {
	// Descs says what the block's families are, also those that have no sample at the moment.
	Descs() []Desc

	check() error
	write(*Writer)
}

// Descs implements Block.
func (t Table[R]) Descs() []Desc {
	descs := make([]Desc, len(t.Families))
	for i := range t.Families {
		descs[i] = t.Families[i].Desc
	}
	return descs
}

func (t Table[R]) check() error {
	for i := range t.Families {
		f := &t.Families[i]
		if err := f.Check(); err != nil {
			return err
		}
		for j := range f.Series {
			if f.Series[j].Value == nil {
				return fmt.Errorf("family %s: series %d of %d has no value", f.Name, j, len(f.Series))
			}
		}
	}
	for i := range t.Chunks {
		if l, r := len(t.Chunks[i].Labels), len(t.Chunks[i].Rows); l != r {
			return fmt.Errorf("chunk %d of %d: labels of %d rows for %d rows", i, len(t.Chunks), l, r)
		}
	}
	return nil
}

// write goes through all rows once for each family: the formats want a family's samples together.
func (t Table[R]) write(w *Writer) {
	for i := range t.Families {
		f := &t.Families[i]
		w.begin(&f.Desc)
		for j := range t.Chunks {
			c := &t.Chunks[j]
			labels := c.Labels[:len(c.Rows)]
			for k := range c.Rows {
				row := &c.Rows[k]
				for s := range f.Series {
					series := &f.Series[s]
					v, ok := series.Value(row)
					if !ok {
						continue
					}
					extra := series.Extra
					if series.ExtraOf != nil {
						extra = series.ExtraOf(row)
					}
					w.sample(labels[k], extra, v)
				}
				if w.err != nil {
					return
				}
			}
		}
	}
}
