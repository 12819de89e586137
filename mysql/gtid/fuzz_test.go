package gtid

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

func FuzzParseMySQL(f *testing.F) {
	for _, text := range []string{
		"", ",", a, a + ":1-3,\n" + b + ":7", a + ":1-5:mysqlsh:1-2", strings.ToUpper(a) + " : 5 - 3 :7,,", a + ":9223372036854775806",
		a + ":0-3", a + ":010", a + "::", "0-101-50",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { printsAndParses(t, ParseMySQL, text) })
}

func FuzzParseMariaDB(f *testing.F) {
	for _, text := range []string{"", ",", "0-101-50", "0-101-3, 7-202-2,", "0-1-5,0-2-3", "0-1-0", "1-2-18446744073709551615", "0-1-", a + ":1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { printsAndParses(t, ParseMariaDB, text) })
}

func printsAndParses(t *testing.T, parse func(string) (Set, error), text string) {
	set, err := parse(text)
	if err != nil {
		if !set.IsEmpty() || len(err.Error()) > 400 {
			t.Fatalf("%q: %q, %v", text, set, err)
		}
		return
	}
	printed := set.String()
	again, err := parse(printed)
	if err != nil || !again.Equal(set) || again.String() != printed || again.Count() != set.Count() {
		t.Fatalf("%q prints as %q, which is read as %q, %v", text, printed, again, err)
	}
	if double, err := parse(text + "," + printed); err == nil && !double.Equal(set) {
		t.Fatalf("%q twice is %q", text, double)
	}
	ordered(t, set)
}

// ordered checks what the reckoning takes for granted.
func ordered(t *testing.T, set Set) {
	t.Helper()
	for i, g := range set.groups {
		if i > 0 && set.groups[i-1].source.compare(g.source) >= 0 {
			t.Fatalf("%q: %s before %s", set, set.groups[i-1].source, g.source)
		}
		if len(g.spans) == 0 {
			t.Fatalf("%q: nothing of %s", set, g.source)
		}
		for j, s := range g.spans {
			if s.first == 0 || s.first > s.last || j > 0 && s.first-1 <= g.spans[j-1].last {
				t.Fatalf("%q: spans %v", set, g.spans)
			}
		}
	}
}

// bitmap is a set of the numbers base+1 to base+64 of a few sources.
type bitmap [3]uint64

var bitmapSources = [len(bitmap{})]string{a + ":", a + ":tag:", b + ":"}

// draw makes of three bytes each an interval of a source: in a bitmap, and in a text that says the same in a roundabout
// way.
func draw(data []byte, base uint64) (bitmap, string) {
	var m bitmap
	var parts []string
	for ; len(data) >= 3; data = data[3:] {
		source, first := int(data[0])%len(m), int(data[1])%64
		last := min(63, first+int(data[2])%32)
		for i := first; i <= last; i++ {
			m[source] |= 1 << i
		}
		parts = append(parts, fmt.Sprintf("%s%d-%d", bitmapSources[source], base+uint64(first)+1, base+uint64(last)+1))
	}
	return m, strings.Join(parts, ",")
}

func (m bitmap) each(n bitmap, op func(x, y uint64) uint64) bitmap {
	for i := range m {
		m[i] = op(m[i], n[i])
	}
	return m
}

// set names each number by itself.
func (m bitmap) set(t *testing.T, base uint64) Set {
	var text strings.Builder
	for source, numbers := range m {
		for i := range 64 {
			if numbers>>i&1 == 1 {
				fmt.Fprintf(&text, "%s%d,", bitmapSources[source], base+uint64(i)+1)
			}
		}
	}
	return mysql(t, text.String())
}

func checkAlgebra(t *testing.T, from uint8, first, second []byte) {
	const most = 300 // bytes: more say nothing new of 64 numbers
	base := [...]uint64{0, 1, 999_999, maxNumber - 64}[from%4]
	m, text := draw(first[:min(most, len(first))], base)
	n, other := draw(second[:min(most, len(second))], base)
	x, y := mysql(t, text), mysql(t, other)

	for op, c := range map[string]struct {
		got  Set
		want bitmap
	}{
		"the first set":  {x, m},
		"the second set": {y, n},
		"Union":          {x.Union(y), m.each(n, func(x, y uint64) uint64 { return x | y })},
		"Intersect":      {x.Intersect(y), m.each(n, func(x, y uint64) uint64 { return x & y })},
		"Subtract":       {x.Subtract(y), m.each(n, func(x, y uint64) uint64 { return x &^ y })},
		"Before": {x.Before(y), m.each(n, func(x, y uint64) uint64 {
			if y == 0 {
				return 0
			}
			return x & (y&-y - 1)
		})},
	} {
		ordered(t, c.got)
		if want := c.want.set(t, base); !c.got.Equal(want) || !want.Equal(c.got) || c.got.String() != want.String() {
			t.Fatalf("%q and %q: %s is %q, want %q", text, other, op, c.got, want)
		}
		count := 0
		for _, numbers := range c.want {
			count += bits.OnesCount64(numbers)
		}
		if c.got.Count() != uint64(count) || c.got.IsEmpty() != (count == 0) {
			t.Fatalf("%q has %d transactions, want %d", c.got, c.got.Count(), count)
		}
	}
	if x.Equal(y) != (m == n) || x.Contains(y) != (n.each(m, func(x, y uint64) uint64 { return x &^ y }) == bitmap{}) {
		t.Fatalf("%q and %q: equal %v, contained %v", text, other, x.Equal(y), x.Contains(y))
	}
}

func TestAlgebra(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func() []byte {
		data := make([]byte, 3*rnd.IntN(12))
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		return data
	}
	for range 500 {
		checkAlgebra(t, byte(rnd.Uint32()), random(), random())
	}
}

func FuzzAlgebra(f *testing.F) {
	f.Add(uint8(0), []byte{0, 0, 9, 1, 5, 0}, []byte{0, 2, 2, 0, 7, 0, 2, 1, 1})
	f.Add(uint8(3), []byte{0, 60, 3}, []byte{0, 63, 0})
	f.Fuzz(checkAlgebra)
}
