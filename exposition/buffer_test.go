package exposition_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/proto"

	"truelag/exposition"
)

var errGone = errors.New("gone")

// narrow takes n bytes and then no more.
type narrow struct{ n int }

func (w *narrow) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, errGone
	}
	return len(p), nil
}

func TestWriterKeepsItsError(t *testing.T) {
	asked := 0
	many := exposition.Chunk[reading]{Labels: make([]string, 1000), Rows: make([]reading, 1000)}
	tbl := exposition.Table[reading]{
		Families: []exposition.Family[reading]{gauge("x", exposition.Series[reading]{Value: func(*reading) (float64, bool) {
			asked++
			return 1, true
		}})},
	}
	for range 1000 {
		tbl.Chunks = append(tbl.Chunks, many)
	}
	w := exposition.NewWriter(&narrow{300_000}, expfmt.FmtText)
	if err := w.WriteBlock(tbl); !errors.Is(err, errGone) {
		t.Errorf("got error %v", err)
	}
	if asked > 200_000 { // some 75,000 rows fit, and then a buffer
		t.Errorf("%d rows of a million were asked", asked)
	}
	if err := w.WriteBlock(tbl); !errors.Is(err, errGone) {
		t.Errorf("next block: error %v", err)
	}
	if err := w.WriteFamily(family("y", dto.MetricType_GAUGE, &dto.Metric{Gauge: &dto.Gauge{}})); !errors.Is(err, errGone) {
		t.Errorf("next family: error %v", err)
	}
	if err := w.Close(); !errors.Is(err, errGone) {
		t.Errorf("close: error %v", err)
	}
}

// A label may be longer than the buffer, and a gathered family too.
func TestWriterTakesWhatExceedsItsBuffer(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	var got bytes.Buffer
	w := exposition.NewWriter(&got, expfmt.FmtText)
	tbl := exposition.Table[reading]{
		Families: []exposition.Family[reading]{gauge("a", exposition.Series[reading]{Extra: exposition.Label("y", long), Value: value})},
		Chunks:   []exposition.Chunk[reading]{{Labels: []string{exposition.Label("x", long)}, Rows: []reading{{value: 1, known: true}}}},
	}
	fam := family("b", dto.MetricType_GAUGE, &dto.Metric{
		Label: []*dto.LabelPair{{Name: proto.String("x"), Value: proto.String(long)}}, Gauge: &dto.Gauge{Value: proto.Float64(2)}})
	if err := errors.Join(w.WriteBlock(tbl), w.WriteFamily(fam), w.WriteBlock(tbl), w.Close()); err != nil {
		t.Fatal(err)
	}
	a := "# TYPE a gauge\na{x=\"" + long + "\",y=\"" + long + "\"} 1\n"
	if want := a + "# HELP b Gathered.\n# TYPE b gauge\nb{x=\"" + long + "\"} 2\n" + a; got.String() != want {
		t.Errorf("got %d bytes, want %d", got.Len(), len(want))
	}
}

// However much is written, little of it is held.
func TestWriterHoldsLittle(t *testing.T) {
	fam := family("a", dto.MetricType_GAUGE)
	for range 1000 {
		fam.Metric = append(fam.Metric, &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(1)}})
	}
	var out bytes.Buffer
	w := exposition.NewWriter(&out, expfmt.FmtText)
	for n := range 1000 {
		if err := w.WriteFamily(fam); err != nil {
			t.Fatal(err)
		}
		if held := (n+1)*1000*len("a 1\n") - out.Len(); held > 100_000 {
			t.Fatalf("%d bytes are held after %d families", held, n+1)
		}
	}
}

// The cost of an exposition in allocations does not depend on the number of samples.
func TestWriterDoesNotAllocateBySample(t *testing.T) {
	rows := exposition.Chunk[reading]{Labels: make([]string, 10_000), Rows: make([]reading, 10_000)}
	for i := range rows.Rows {
		rows.Labels[i] = `group="g",topic="t"`
		rows.Rows[i] = reading{float64(i) * 1.25, true, `word="up"`}
	}
	series := exposition.Series[reading]{Value: value, ExtraOf: func(r *reading) string { return r.word }}
	tbl := exposition.Table[reading]{
		Families: []exposition.Family[reading]{gauge("a", series), gauge("b", series)},
		Chunks:   []exposition.Chunk[reading]{rows},
	}
	// Whatever else goes on in the process is counted too, such as a connection of an earlier test that ends.
	if n := testing.AllocsPerRun(3, func() { write(t, io.Discard, expfmt.FmtText, tbl) }); n > 1000 {
		t.Errorf("%v allocations for 20,000 samples", n)
	}
}
