package exposition_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/common/expfmt"
)

var update = flag.Bool("update", false, "write testdata anew")

// The files hold every awkward label and value in both formats, and wild.samples what a reader must make of them.
// Prometheus's own parser is held to them by the module in textparse, which keeps its dependencies out of this one.
func TestGolden(t *testing.T) {
	values := []float64{0, 1, -1, 0.5, 1e6, 1e300, 5e-324, 1 << 53, 1<<53 - 1, math.NaN(), math.Inf(1), math.Inf(-1)}
	var rows []wild
	short := awkward[:len(awkward)-2]
	for i, s := range short {
		r := wild{group: s, topic: short[len(short)-1-i], word: short[(i+7)%len(short)]}
		for j := range r.values {
			r.values[j], r.has[j] = values[(i+j)%len(values)], (i+j)%5 > 0
		}
		rows = append(rows, r)
	}
	for c := range 256 {
		rows = append(rows, wild{group: string([]byte{'a', byte(c)}), has: [5]bool{true}})
	}
	tbl, families := wildTable("A \"help\" with a \\ and a\nnewline.", rows)

	var expected bytes.Buffer
	for _, f := range families {
		for _, m := range f.Metric {
			expected.WriteString(f.GetName())
			for _, l := range m.Label {
				if l.GetValue() != "" { // an empty label is none to Prometheus
					fmt.Fprintf(&expected, " %s=%q", l.GetName(), l.GetValue())
				}
			}
			v := m.GetGauge().GetValue() + m.GetCounter().GetValue()
			fmt.Fprintf(&expected, " %g\n", v)
		}
	}
	files := map[string][]byte{"wild.samples": expected.Bytes()}
	for name, format := range map[string]expfmt.Format{"wild.prom": expfmt.FmtText, "wild.om": expfmt.FmtOpenMetrics_1_0_0} {
		var got bytes.Buffer
		write(t, &got, format, tbl)
		files[name] = got.Bytes()
	}
	for name, got := range files {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs; run the test with -update and look at what changed", path)
		}
	}
}
