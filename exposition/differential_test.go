package exposition_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/protobuf/proto"

	"truelag/exposition"
)

// wild is a row of the differential test: what a label says and which samples there are is the maker's choice.
type wild struct {
	group, topic string
	word         string
	values       [5]float64
	has          [5]bool
}

// wildTable makes a table of the rows, and what a registry would gather for the same samples. The last family has a
// sample in no row.
func wildTable(help string, rows []wild) (exposition.Table[wild], []*dto.MetricFamily) {
	nth := func(i int) func(*wild) (float64, bool) {
		return func(r *wild) (float64, bool) { return r.values[i], r.has[i] }
	}
	tbl := exposition.Table[wild]{Families: []exposition.Family[wild]{
		{Desc: exposition.Desc{Name: "wild_lag", Help: help, Type: exposition.Gauge}, Series: []exposition.Series[wild]{{Value: nth(0)}}},
		{Desc: exposition.Desc{Name: "wild_rewinds_total", Help: "Plain.", Type: exposition.Counter},
			Series: []exposition.Series[wild]{{Value: nth(1), ExtraOf: func(r *wild) string { return exposition.Label("word", r.word) }}}},
		{Desc: exposition.Desc{Name: "wild_parts", Help: help, Type: exposition.Gauge}, Series: []exposition.Series[wild]{
			{Extra: exposition.Label("kind", "record"), Value: nth(2)},
			{Extra: exposition.Label("kind", "\xff\"\n"), Value: nth(3)},
		}},
		{Desc: exposition.Desc{Name: "wild_absent", Help: help, Type: exposition.Gauge}, Series: []exposition.Series[wild]{{Value: nth(4)}}},
	}}
	kinds := []dto.MetricType{dto.MetricType_GAUGE, dto.MetricType_COUNTER, dto.MetricType_GAUGE}
	var families []*dto.MetricFamily
	for i, kind := range kinds {
		f := &dto.MetricFamily{Name: proto.String(tbl.Families[i].Name), Type: kind.Enum()}
		if h := tbl.Families[i].Help; h != "" {
			f.Help = proto.String(h)
		}
		families = append(families, f)
	}
	for i, r := range rows {
		if len(tbl.Chunks) == 0 || len(tbl.Chunks[len(tbl.Chunks)-1].Rows) == 7 {
			tbl.Chunks = append(tbl.Chunks, exposition.Chunk[wild]{})
		}
		r.has[4] = false
		c := &tbl.Chunks[len(tbl.Chunks)-1]
		c.Rows = append(c.Rows, r)
		c.Labels = append(c.Labels, exposition.Label("group", r.group)+","+exposition.Label("topic", r.topic)+","+
			exposition.Label("partition", strconv.Itoa(i)))
		add := func(f *dto.MetricFamily, n int, extra ...string) {
			if !r.has[n] {
				return
			}
			m := &dto.Metric{}
			pairs := append([]string{"group", r.group, "topic", r.topic, "partition", strconv.Itoa(i)}, extra...)
			for pair := range slices.Chunk(pairs, 2) {
				m.Label = append(m.Label, &dto.LabelPair{Name: proto.String(pair[0]), Value: proto.String(exposition.LabelValue(pair[1]))})
			}
			if f.GetType() == dto.MetricType_COUNTER {
				m.Counter = &dto.Counter{Value: proto.Float64(r.values[n])}
			} else {
				m.Gauge = &dto.Gauge{Value: proto.Float64(r.values[n])}
			}
			f.Metric = append(f.Metric, m)
		}
		add(families[0], 0)
		add(families[1], 1, "word", r.word)
		add(families[2], 2, "kind", "record")
		add(families[2], 3, "kind", "\xff\"\n")
	}
	return tbl, families
}

// hold fails unless what this package and expfmt write of the same samples differs in nothing but the spelling of
// values, and reads as the same samples.
func hold(t *testing.T, help string, rows []wild) {
	t.Helper()
	tbl, families := wildTable(help, rows)
	for _, format := range []expfmt.Format{expfmt.FmtText, expfmt.FmtOpenMetrics_1_0_0} {
		var got, want bytes.Buffer
		write(t, &got, format, tbl)
		enc := expfmt.NewEncoder(&want, format)
		for _, f := range families {
			if len(f.Metric) == 0 {
				continue
			}
			if err := enc.Encode(f); err != nil {
				t.Fatal(err)
			}
		}
		if err := enc.(expfmt.Closer).Close(); err != nil {
			t.Fatal(err)
		}
		sameLines(t, got.String(), want.String())
		if format == expfmt.FmtText {
			sameSamples(t, samples(t, got.Bytes()), samples(t, want.Bytes()))
		}
	}
}

func sameLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	if len(g) != len(w) {
		t.Fatalf("%d lines, want %d:\n%s\nwant\n%s", len(g), len(w), got, want)
	}
	for i := range g {
		if g[i] == w[i] {
			continue
		}
		gl, gv, ok := cutLast(strings.TrimSuffix(g[i], "\n"))
		wl, wv, wok := cutLast(strings.TrimSuffix(w[i], "\n"))
		if !ok || !wok || strings.HasPrefix(w[i], "#") || gl != wl || !sameValue(t, gv, wv) {
			t.Fatalf("line %d: %q, want %q", i+1, g[i], w[i])
		}
	}
}

func cutLast(line string) (labels, value string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return "", "", false
	}
	return line[:i], line[i+1:], true
}

func sameValue(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := strconv.ParseFloat(a, 64)
	if err != nil {
		t.Fatal(err)
	}
	y, err := strconv.ParseFloat(b, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x == y || math.IsNaN(x) && math.IsNaN(y)
}

// samples reads text and names every sample in it.
func samples(t *testing.T, text []byte) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	all := make(map[string]float64)
	for name, f := range families {
		for _, m := range f.Metric {
			id := fmt.Sprintf("%s %s %q", name, f.GetType(), f.GetHelp())
			for _, l := range m.Label {
				id += fmt.Sprintf(" %s=%q", l.GetName(), l.GetValue())
			}
			all[id] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return all
}

func sameSamples(t *testing.T, got, want map[string]float64) {
	t.Helper()
	for id, w := range want {
		if g, ok := got[id]; !ok || g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("%s: got %v (%t), want %v", id, g, ok, w)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d", len(got), len(want))
	}
}

// wildRows makes rows of any bytes and any floats.
func wildRows(rnd *rand.Rand, n int) []wild {
	text := func() string {
		var b strings.Builder
		for range rnd.IntN(4) {
			if rnd.IntN(2) == 0 {
				b.WriteString(awkward[rnd.IntN(len(awkward))])
				continue
			}
			for range rnd.IntN(6) {
				b.WriteByte(byte(rnd.UintN(256)))
			}
		}
		return b.String()
	}
	number := func() float64 {
		switch rnd.IntN(5) {
		case 0:
			return math.Float64frombits(rnd.Uint64()) // NaN, infinities and tiny ones among them
		case 1:
			return float64(int64(rnd.Uint64()) >> rnd.UintN(64))
		case 2:
			return []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 1 << 53, -(1 << 53), 1<<53 - 1}[rnd.IntN(7)]
		case 3:
			return rnd.NormFloat64()
		}
		return float64(rnd.IntN(1000) - 500)
	}
	rows := make([]wild, n)
	for i := range rows {
		rows[i] = wild{group: text(), topic: text(), word: text()}
		for j := range rows[i].values {
			rows[i].values[j], rows[i].has[j] = number(), rnd.IntN(4) > 0
		}
	}
	return rows
}

func TestDifferential(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		help := strings.ToValidUTF8(awkward[rnd.IntN(len(awkward))], "?")
		rows := wildRows(rnd, rnd.IntN(40))
		if !t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { hold(t, help, rows) }) {
			return
		}
	}
}

func FuzzDifferential(f *testing.F) {
	for i, s := range awkward {
		f.Add(s, awkward[len(awkward)-1-i], awkward[i/2], math.Float64bits(float64(i)), uint64(i)<<52, uint8(i))
	}
	f.Fuzz(func(t *testing.T, group, topic, help string, x, y uint64, has uint8) {
		v, w := math.Float64frombits(x), math.Float64frombits(y)
		bit := func(i int) bool { return has&(1<<i) != 0 }
		hold(t, strings.ToValidUTF8(help, "\uFFFD"), []wild{
			{group, topic, help, [5]float64{v, w, v, w}, [5]bool{bit(0), bit(1), bit(2), bit(3)}},
			{topic, group, topic, [5]float64{w, v, w, v}, [5]bool{bit(4), bit(5), bit(6), bit(7)}},
		})
	})
}
