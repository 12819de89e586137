package exposition_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"truelag/exposition"
)

// lag is a row as an exporter of consumer lag has it.
type lag struct {
	committed, offsets, records, rewinds int64
	known                                bool
}

// big makes 500 groups of 500 partitions each with four families: a million samples.
func big() exposition.Table[lag] {
	whole := func(value func(*lag) int64) []exposition.Series[lag] {
		return []exposition.Series[lag]{{Value: func(r *lag) (float64, bool) { return float64(value(r)), r.known }}}
	}
	labels := []string{"group", "topic", "partition"}
	t := exposition.Table[lag]{Families: []exposition.Family[lag]{
		{Desc: exposition.Desc{Name: "truelag_group_committed_offset", Help: "The next offset to read.", Type: exposition.Gauge, Labels: labels},
			Series: whole(func(r *lag) int64 { return r.committed })},
		{Desc: exposition.Desc{Name: "truelag_group_lag_offsets", Help: "Offsets not yet read.", Type: exposition.Gauge, Labels: labels},
			Series: whole(func(r *lag) int64 { return r.offsets })},
		{Desc: exposition.Desc{Name: "truelag_group_lag_records", Help: "Records not yet read.", Type: exposition.Gauge, Labels: labels},
			Series: whole(func(r *lag) int64 { return r.records })},
		{Desc: exposition.Desc{Name: "truelag_group_rewinds_total", Help: "Commits below the one before.", Type: exposition.Counter, Labels: labels},
			Series: whole(func(r *lag) int64 { return r.rewinds })},
	}}
	for g := range 500 {
		var c exposition.Chunk[lag]
		group := exposition.Label("group", fmt.Sprintf("flink-job-%03d", g))
		for p := range 500 {
			topic := exposition.Label("topic", fmt.Sprintf("orders.events.v1.shard-%02d", p/20))
			c.Labels = append(c.Labels, group+","+topic+","+exposition.Label("partition", fmt.Sprint(p%20)))
			n := int64(g*500 + p)
			c.Rows = append(c.Rows, lag{committed: n*n + 123456789, offsets: n % 1000, records: n % 7, known: true})
		}
		t.Chunks = append(t.Chunks, c)
	}
	return t
}

// families reads text back as what a registry would have gathered for it.
func families(tb testing.TB, text []byte) []*dto.MetricFamily {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	m, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	var fs []*dto.MetricFamily
	for _, f := range m {
		fs = append(fs, f)
	}
	return fs
}

// land takes bytes as a socket does: it copies them.
type land [64 << 10]byte

func (l *land) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		rest = rest[copy(l[:], rest):]
	}
	return len(p), nil
}

func write(tb testing.TB, out io.Writer, format expfmt.Format, blocks ...exposition.Block) {
	w := exposition.NewWriter(out, format)
	for _, b := range blocks {
		if err := w.WriteBlock(b); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkWriter(b *testing.B) {
	t := big()
	for name, format := range map[string]expfmt.Format{"text": expfmt.FmtText, "openmetrics": expfmt.FmtOpenMetrics_1_0_0} {
		b.Run(name, func(b *testing.B) {
			var all bytes.Buffer
			write(b, &all, format, t)
			b.SetBytes(int64(all.Len()))
			b.ReportAllocs()
			for b.Loop() {
				write(b, new(land), format, t)
			}
		})
	}
}

// landing is a ResponseWriter whose client takes all and keeps nothing.
type landing struct {
	land
	header http.Header
}

func (l *landing) Header() http.Header { return l.header }
func (l *landing) WriteHeader(int)     {}

func BenchmarkRespond(b *testing.B) {
	blocks := []exposition.Block{big()}
	for _, coding := range []string{"identity", "gzip", "zstd"} {
		b.Run(coding, func(b *testing.B) {
			var responder exposition.Responder
			r := request(http.MethodGet, "Accept-Encoding", coding)
			b.ReportAllocs()
			for b.Loop() {
				if err := responder.Respond(&landing{header: make(http.Header)}, r, blocks, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAgainst writes the same million samples by this package, by expfmt and as a plain copy, by turns.
func BenchmarkAgainst(b *testing.B) {
	t := big()
	var all bytes.Buffer
	write(b, &all, expfmt.FmtText, t)
	fs := families(b, all.Bytes())
	var ours, theirs, copied time.Duration
	for b.Loop() {
		start := time.Now()
		write(b, new(land), expfmt.FmtText, t)
		ours += time.Since(start)

		start = time.Now()
		enc := expfmt.NewEncoder(new(land), expfmt.FmtText)
		for _, f := range fs {
			if err := enc.Encode(f); err != nil {
				b.Fatal(err)
			}
		}
		theirs += time.Since(start)

		start = time.Now()
		if _, err := new(land).Write(all.Bytes()); err != nil {
			b.Fatal(err)
		}
		copied += time.Since(start)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/exposition")
	b.ReportMetric(float64(theirs)/float64(ours), "x-faster-than-expfmt")
	b.ReportMetric(float64(ours)/float64(copied), "x-plain-copy")
}
