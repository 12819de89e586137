package mysql

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestParseFileName(t *testing.T) {
	for name, want := range map[string]struct {
		base   string
		number int64
		ok     bool
	}{
		"mysql-bin.000001":            {"mysql-bin", 1, true},
		"mysql-bin.1000001":           {"mysql-bin", 1_000_001, true},
		"mysql-bin-changelog.037950":  {"mysql-bin-changelog", 37950, true},
		"db.example.org-bin.000007":   {"db.example.org-bin", 7, true},
		"0/10122/mysql-bin.000117":    {"0/10122/mysql-bin", 117, true},
		"b.0":                         {"b", 0, true},
		"b.000000":                    {"b", 0, true},
		"b.9223372036854775807":       {"b", math.MaxInt64, true},
		"":                            {},
		".":                           {},
		".000001":                     {},
		"mysql-bin":                   {},
		"mysql-bin.":                  {},
		"binlog-000003.ibb":           {},
		"mysql-bin.00001a":            {},
		"mysql-bin.+00001":            {},
		"mysql-bin.-1":                {},
		"mysql-bin.000001\t":          {},
		"mysql-bin.000001\x02\x85Y":   {},
		"mysql-bin.\u0661\u0662":      {}, // digits of another script
		"mysql-bin.000001.\u00e4.log": {},
	} {
		got, ok := ParseFileName(name)
		number, fits := got.Number()
		if ok != want.ok || got.Base != want.base || ok && (!fits || number != want.number) {
			t.Errorf("%q: got %v %+v %d %v", name, ok, got, number, fits)
		}
	}
	huge, ok := ParseFileName("b.9223372036854775808")
	if _, fits := huge.Number(); !ok || fits {
		t.Errorf("got %+v, %v: its number fits no int64", huge, ok)
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("mysql-bin.999999", "mysql-bin.1000000")
	f.Add("b.0", "b.00")
	f.Add("b.99999999999999999999", "b.100000000000000000000")
	f.Add("x.ibb", ".1")
	f.Fuzz(func(t *testing.T, one, two string) {
		a, ok := ParseFileName(one)
		b, also := ParseFileName(two)
		if !ok || !also {
			return
		}
		if !strings.HasPrefix(one, a.Base+".") {
			t.Errorf("%q has the base %q", one, a.Base)
		}
		if a.CompareNumber(b) != -b.CompareNumber(a) || a.CompareNumber(a) != 0 {
			t.Errorf("%q and %q: %d, the other way %d", one, two, a.CompareNumber(b), b.CompareNumber(a))
		}
		m, fits := a.Number()
		if n, both := b.Number(); fits && both {
			want := 0
			if m < n {
				want = -1
			} else if m > n {
				want = 1
			}
			if a.CompareNumber(b) != want {
				t.Errorf("%d and %d: %d", m, n, a.CompareNumber(b))
			}
		}
		if again, ok := ParseFileName(fmt.Sprintf("%s.%s", a.Base, "000"+one[len(a.Base)+1:])); !ok || again.CompareNumber(a) != 0 || again.Base != a.Base {
			t.Errorf("%q with leading zeros is %+v", one, again)
		}
	})
}
