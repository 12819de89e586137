package exposition_test

import (
	"bytes"
	"math"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/proto"

	"truelag/exposition"
)

// reading is a row of the tests: a value, which may be absent, and a word.
type reading struct {
	value float64
	known bool
	word  string
}

func value(r *reading) (float64, bool) { return r.value, r.known }

func double(r *reading) (float64, bool) { return 2 * r.value, r.known }

func gauge(name string, series ...exposition.Series[reading]) exposition.Family[reading] {
	return exposition.Family[reading]{Desc: exposition.Desc{Name: name, Type: exposition.Gauge}, Series: series}
}

func table(families ...exposition.Family[reading]) exposition.Table[reading] {
	return exposition.Table[reading]{Families: families, Chunks: []exposition.Chunk[reading]{
		{
			Labels: []string{exposition.Label("group", "a"), exposition.Label("group", "b")},
			Rows:   []reading{{5, true, "up"}, {6, false, "down"}},
		},
		{}, // nothing in it
		{Labels: []string{exposition.Label("group", `"c"`)}, Rows: []reading{{7.5, true, "sideways"}}},
	}}
}

func family(name string, kind dto.MetricType, metrics ...*dto.Metric) *dto.MetricFamily {
	return &dto.MetricFamily{Name: proto.String(name), Help: proto.String("Gathered."), Type: kind.Enum(), Metric: metrics}
}

func TestWriter(t *testing.T) {
	rewinds := exposition.Family[reading]{
		Desc:   exposition.Desc{Name: "rewinds_total", Help: "Says \"back\\slash\"\nand more.", Type: exposition.Counter},
		Series: []exposition.Series[reading]{{Value: value}},
	}
	blocks := []exposition.Block{
		table(
			rewinds,
			gauge("nothing", exposition.Series[reading]{Value: func(*reading) (float64, bool) { return 1, false }}),
			gauge("no_series"),
			gauge("both",
				exposition.Series[reading]{Extra: exposition.Label("kind", "one"), Value: value},
				exposition.Series[reading]{Extra: exposition.Label("kind", "two"), Value: double}),
			gauge("info", exposition.Series[reading]{
				Extra:   `not="used"`,
				ExtraOf: func(r *reading) string { return exposition.Label("word", r.word) },
				Value:   func(*reading) (float64, bool) { return 1, true },
			}),
		),
		exposition.Table[int64]{
			Families: []exposition.Family[int64]{{
				Desc: exposition.Desc{Name: "brokers", Help: "How many.", Type: exposition.Gauge},
				Series: []exposition.Series[int64]{
					{Value: func(n *int64) (float64, bool) { return float64(*n), true }},
					{Extra: `alone="yes"`, Value: func(*int64) (float64, bool) { return 0, true }},
				},
			}},
			Chunks: []exposition.Chunk[int64]{{Labels: []string{""}, Rows: []int64{3}}},
		},
		exposition.Table[string]{Families: []exposition.Family[string]{{Desc: exposition.Desc{Name: "rowless", Type: exposition.Gauge}}}},
	}
	families := []*dto.MetricFamily{
		family("go_gc_total", dto.MetricType_COUNTER, &dto.Metric{Counter: &dto.Counter{Value: proto.Float64(2.5)}}),
		family("empty", dto.MetricType_GAUGE),
	}
	for format, want := range map[expfmt.Format]string{
		expfmt.FmtText: `# HELP rewinds_total Says "back\\slash"\nand more.
# TYPE rewinds_total counter
rewinds_total{group="a"} 5
rewinds_total{group="\"c\""} 7.5
# TYPE both gauge
both{group="a",kind="one"} 5
both{group="a",kind="two"} 10
both{group="\"c\"",kind="one"} 7.5
both{group="\"c\"",kind="two"} 15
# TYPE info gauge
info{group="a",word="up"} 1
info{group="b",word="down"} 1
info{group="\"c\"",word="sideways"} 1
# HELP brokers How many.
# TYPE brokers gauge
brokers 3
brokers{alone="yes"} 0
# HELP go_gc_total Gathered.
# TYPE go_gc_total counter
go_gc_total 2.5
`,
		expfmt.FmtOpenMetrics_1_0_0: `# HELP rewinds Says \"back\\slash\"\nand more.
# TYPE rewinds counter
rewinds_total{group="a"} 5
rewinds_total{group="\"c\""} 7.5
# TYPE both gauge
both{group="a",kind="one"} 5
both{group="a",kind="two"} 10
both{group="\"c\"",kind="one"} 7.5
both{group="\"c\"",kind="two"} 15
# TYPE info gauge
info{group="a",word="up"} 1
info{group="b",word="down"} 1
info{group="\"c\"",word="sideways"} 1
# HELP brokers How many.
# TYPE brokers gauge
brokers 3
brokers{alone="yes"} 0
# HELP go_gc Gathered.
# TYPE go_gc counter
go_gc_total 2.5
# EOF
`,
	} {
		var got bytes.Buffer
		w := exposition.NewWriter(&got, format)
		for _, b := range blocks {
			if err := w.WriteBlock(b); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range families {
			if err := w.WriteFamily(f); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, got.String(), want)
		}
	}
}

func TestWriterValues(t *testing.T) {
	for _, c := range []struct {
		value float64
		want  string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{1, "1"},
		{-1, "-1"},
		{1e6, "1000000"},
		{1<<53 - 1, "9007199254740991"},
		{-(1<<53 - 1), "-9007199254740991"},
		{1 << 53, "9.007199254740992e+15"},
		{-(1 << 53), "-9.007199254740992e+15"},
		{math.MaxInt64, "9.223372036854776e+18"},
		{math.MinInt64, "-9.223372036854776e+18"},
		{1e300, "1e+300"},
		{0.5, "0.5"},
		{-1e-7, "-1e-07"},
		{math.SmallestNonzeroFloat64, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.NaN(), "NaN"},
		{math.Inf(1), "+Inf"},
		{math.Inf(-1), "-Inf"},
	} {
		var got bytes.Buffer
		write(t, &got, expfmt.FmtText, exposition.Table[reading]{
			Families: []exposition.Family[reading]{gauge("x", exposition.Series[reading]{Value: value})},
			Chunks:   []exposition.Chunk[reading]{{Labels: []string{""}, Rows: []reading{{value: c.value, known: true}}}},
		})
		if want := "# TYPE x gauge\nx " + c.want + "\n"; got.String() != want {
			t.Errorf("%g: got %q, want %q", c.value, got.String(), want)
		}
	}
}

func TestWriterRefusesOtherFormats(t *testing.T) {
	for _, format := range []expfmt.Format{
		expfmt.FmtProtoDelim, expfmt.FmtProtoText, expfmt.FmtOpenMetrics_2_0_0, expfmt.FmtOpenMetrics_2_0_0_rc, expfmt.FmtUnknown, "",
	} {
		var out bytes.Buffer
		w := exposition.NewWriter(&out, format)
		block := w.WriteBlock(table(gauge("x", exposition.Series[reading]{Value: value})))
		fam := w.WriteFamily(family("y", dto.MetricType_GAUGE, &dto.Metric{Gauge: &dto.Gauge{}}))
		if end := w.Close(); block == nil || fam == nil || end == nil || out.Len() > 0 {
			t.Errorf("%q: errors %v, %v, %v and %q", format, block, fam, end, out.String())
		}
	}
}

// What is refused leaves nothing behind and hurts nothing else.
func TestWriterRefusesWhatIsNotWellMade(t *testing.T) {
	good := exposition.Series[reading]{Value: value}
	uneven := table(gauge("uneven", good))
	uneven.Chunks[0].Labels = uneven.Chunks[0].Labels[:1]
	for name, b := range map[string]exposition.Block{
		"name":    table(gauge("fine", good), gauge("no-name", good)),
		"chunk":   uneven,
		"value":   table(gauge("fine", good), gauge("valueless", good, exposition.Series[reading]{})),
		"counter": table(exposition.Family[reading]{Desc: exposition.Desc{Name: "x", Type: exposition.Counter}}),
	} {
		var out bytes.Buffer
		w := exposition.NewWriter(&out, expfmt.FmtOpenMetrics_1_0_0)
		if err := w.WriteBlock(b); err == nil {
			t.Errorf("%s: no error", name)
		}
		if err := w.Close(); err != nil || out.String() != "# EOF\n" {
			t.Errorf("%s: error %v and %q", name, err, out.String())
		}
	}

	var out bytes.Buffer
	w := exposition.NewWriter(&out, expfmt.FmtText)
	one := &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(1)}}
	for _, f := range []*dto.MetricFamily{
		family("broken", dto.MetricType_GAUGE, one, &dto.Metric{}), // the second metric has no value
		family("", dto.MetricType_GAUGE, one),
		family("whole", dto.MetricType_GAUGE, one),
	} {
		if err := w.WriteFamily(f); (err == nil) != (f.GetName() == "whole") {
			t.Errorf("%s: error %v", f.GetName(), err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if want := "# HELP whole Gathered.\n# TYPE whole gauge\nwhole 1\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
