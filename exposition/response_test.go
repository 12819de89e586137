package exposition_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/proto"

	"truelag/exposition"
)

// request is one with the header that pairs name.
func request(method string, pairs ...string) *http.Request {
	r := httptest.NewRequest(method, "/metrics", nil)
	for i := 0; i < len(pairs); i += 2 {
		r.Header.Add(pairs[i], pairs[i+1])
	}
	return r
}

func respond(t *testing.T, r *http.Request, blocks []exposition.Block, families []*dto.MetricFamily) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	if err := new(exposition.Responder).Respond(w, r, blocks, families); err != nil {
		t.Fatal(err)
	}
	return w.Result()
}

// body reads and decodes.
func body(t *testing.T, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	text, err := decode(r.Header.Get("Content-Encoding"), r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(coding string, in io.Reader) (string, error) {
	switch coding {
	case "gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return "", err
		}
		in = z
	case "zstd":
		z, err := zstd.NewReader(in)
		if err != nil {
			return "", err
		}
		defer z.Close()
		in = z
	case "":
	default:
		return "", fmt.Errorf("content encoding %q", coding)
	}
	text, err := io.ReadAll(in)
	return string(text), err
}

func lagGauge() exposition.Table[reading] {
	return table(gauge("lag", exposition.Series[reading]{Value: value}))
}

// What clients accept gets the format, the header and the body that promhttp gives with the same two formats.
func TestRespondNegotiatesLikePromhttp(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "took_seconds", Help: "Took \"long\"."})
	histogram.Observe(0.3)
	counter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "seen_total", Help: "Seen."}, []string{"what"})
	counter.WithLabelValues("a\"b\n").Add(7)
	registry.MustRegister(histogram, counter)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	reference := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		AcceptedFormats: []expfmt.Format{expfmt.FmtOpenMetrics_1_0_0, expfmt.FmtText},
	})
	for _, accept := range []string{
		"",
		"*/*",
		"text/*",
		"text/html",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"text/plain",
		"text/plain;version=0.0.4",
		"text/plain;version=0.0.4;escaping=allow-utf-8",
		"text/plain;version=1.0.0;escaping=allow-utf-8",
		"application/openmetrics-text",
		"application/openmetrics-text;version=0.0.1",
		"application/openmetrics-text;version=1.0.0",
		"application/openmetrics-text;version=1.0.0;escaping=dots",
		"application/openmetrics-text;version=1.0.0;escaping=nonsense",
		"application/openmetrics-text;version=2.0.0",
		"application/openmetrics-text;version=1.0.0;q=0.1,text/plain;version=0.0.4;q=0.9",
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3",
		";;;,,=\x00",
		strings.Repeat("a/b,", 1000),
	} {
		want := httptest.NewRecorder()
		reference.ServeHTTP(want, request(http.MethodGet, "Accept", accept))
		got := respond(t, request(http.MethodGet, "Accept", accept), nil, families)
		for _, h := range []string{"Content-Type", "Vary", "Content-Encoding"} {
			if g, w := got.Header.Values(h), want.Header().Values(h); fmt.Sprint(g) != fmt.Sprint(w) {
				t.Errorf("%.80q: %s %q, want %q", accept, h, g, w)
			}
		}
		if g := body(t, got); g != want.Body.String() {
			t.Errorf("%.80q: got\n%s\nwant\n%s", accept, g, want.Body)
		}
	}
}

func TestRespondWritesBothPathsAsOne(t *testing.T) {
	gathered := []*dto.MetricFamily{family("up", dto.MetricType_GAUGE, &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(1)}})}
	for accept, want := range map[string]string{
		"": "# TYPE lag gauge\nlag{group=\"a\"} 5\nlag{group=\"\\\"c\\\"\"} 7.5\n# HELP up Gathered.\n# TYPE up gauge\nup 1\n",
		"application/openmetrics-text;version=1.0.0": "# TYPE lag gauge\nlag{group=\"a\"} 5\nlag{group=\"\\\"c\\\"\"} 7.5\n# HELP up Gathered.\n# TYPE up gauge\nup 1.0\n# EOF\n",
	} {
		for _, coding := range []string{"", "gzip", "zstd"} {
			r := respond(t, request(http.MethodGet, "Accept", accept, "Accept-Encoding", coding), []exposition.Block{lagGauge()}, gathered)
			if r.Header.Get("Content-Encoding") != coding {
				t.Errorf("%q, %q: content encoding %q", accept, coding, r.Header.Get("Content-Encoding"))
			}
			if got := body(t, r); got != want {
				t.Errorf("%q, %q: got\n%s\nwant\n%s", accept, coding, got, want)
			}
		}
	}
	empty := respond(t, request(http.MethodGet, "Accept", "application/openmetrics-text;version=1.0.0"), nil, nil)
	if got := body(t, empty); got != "# EOF\n" {
		t.Errorf("nothing to write: got %q", got)
	}
}

func TestRespondTakesTheCodingThatIsLikedBest(t *testing.T) {
	for _, c := range []struct {
		accept []string
		want   string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"gzip"}, "gzip"},
		{[]string{"zstd"}, "zstd"},
		{[]string{"gzip, zstd"}, "zstd"},
		{[]string{"gzip", "zstd"}, "zstd"},
		{[]string{"GZIP , deflate, br"}, "gzip"},
		{[]string{"gzip;q=1.0, zstd;q=0.5"}, "gzip"},
		{[]string{"gzip;q=0.2, zstd ; q=0.3"}, "zstd"},
		{[]string{"gzip;q=0"}, ""},
		{[]string{"gzip;q=0, zstd;q=0"}, ""},
		{[]string{"identity, gzip"}, "gzip"},
		{[]string{"identity, gzip;q=0.5"}, ""},
		{[]string{"identity;q=0, gzip;q=0.001"}, "gzip"},
		{[]string{"identity;q=0"}, ""},
		{[]string{"*"}, ""},
		{[]string{"gzip;q=0.5, *;q=0.1"}, "gzip"},
		{[]string{"deflate, br"}, ""},
		{[]string{"gzip;q=x"}, ""},
		{[]string{"gzip;q=NaN"}, ""},
		{[]string{"gzip;q=-1"}, ""},
		{[]string{"gzip;q=2"}, ""},
		{[]string{"gzipped"}, ""},
		{[]string{",;,;q=1,=,"}, ""},
	} {
		r := request(http.MethodGet)
		r.Header["Accept-Encoding"] = c.accept
		got := respond(t, r, []exposition.Block{lagGauge()}, nil)
		if e := got.Header.Get("Content-Encoding"); e != c.want {
			t.Errorf("%q: got %q, want %q", c.accept, e, c.want)
		}
		if text := body(t, got); !strings.HasPrefix(text, "# TYPE lag gauge\n") {
			t.Errorf("%q: got %q", c.accept, text)
		}
	}
}

func TestRespondToHead(t *testing.T) {
	block := table(gauge("lag", exposition.Series[reading]{Value: func(*reading) (float64, bool) {
		t.Error("a row was asked for a body that nobody gets")
		return 0, false
	}}))
	pairs := []string{"Accept", "application/openmetrics-text;version=1.0.0", "Accept-Encoding", "gzip"}
	head := respond(t, request(http.MethodHead, pairs...), []exposition.Block{block}, nil)
	get := respond(t, request(http.MethodGet, pairs...), nil, nil)
	if fmt.Sprint(head.Header) != fmt.Sprint(get.Header) {
		t.Errorf("header %v, want %v", head.Header, get.Header)
	}
	if text, err := io.ReadAll(head.Body); err != nil || len(text) > 0 {
		t.Errorf("body %q, error %v", text, err)
	}
}

func TestRespondRefusesWhatWouldBeInvalid(t *testing.T) {
	series := exposition.Series[reading]{Value: value}
	counter := exposition.Family[reading]{Desc: exposition.Desc{Name: "a_total", Type: exposition.Counter}}
	gathered := func(name string, kind dto.MetricType) []*dto.MetricFamily {
		return []*dto.MetricFamily{family(name, kind, &dto.Metric{})}
	}
	uneven := table(gauge("uneven", series))
	uneven.Chunks[0].Rows = uneven.Chunks[0].Rows[:1]
	for _, c := range []struct {
		name     string
		blocks   []exposition.Block
		families []*dto.MetricFamily
		want     string
	}{
		{"both paths", []exposition.Block{table(gauge("a", series))}, gathered("a", dto.MetricType_GAUGE), "family a would be written twice"},
		{"both paths, no sample", []exposition.Block{table(gauge("a"))}, gathered("a", dto.MetricType_GAUGE), "family a would be written twice"},
		{"one table", []exposition.Block{table(gauge("a", series), gauge("b", series), gauge("a", series))}, nil, "family a would be written twice"},
		{"two tables", []exposition.Block{table(gauge("a", series)), table(gauge("a", series))}, nil, "family a would be written twice"},
		{"registry", nil, append(gathered("a", dto.MetricType_GAUGE), gathered("a", dto.MetricType_COUNTER)...), "family a would be written twice"},
		{"counter and gauge", []exposition.Block{table(counter, gauge("a", series))}, nil, "families a_total and a would both be written as a"},
		{"gauge and counter", []exposition.Block{table(gauge("a", series), counter)}, nil, "families a and a_total would both be written as a"},
		{"gauge and gathered counter", []exposition.Block{table(gauge("a", series))}, gathered("a_total", dto.MetricType_COUNTER), "families a and a_total would both be written as a"},
		{"counter and gathered gauge", []exposition.Block{table(counter)}, gathered("a", dto.MetricType_GAUGE), "families a_total and a would both be written as a"},
		{"histogram", []exposition.Block{table(gauge("a_bucket", series))}, gathered("a", dto.MetricType_HISTOGRAM), "families a_bucket and a would both be written as a_bucket"},
		{"summary", []exposition.Block{table(gauge("a_count", series))}, gathered("a", dto.MetricType_SUMMARY), "families a_count and a would both be written as a_count"},
		{"name", []exposition.Block{table(gauge("no-name", series))}, nil, `family "no-name": not a metric name`},
		{"chunk", []exposition.Block{uneven}, nil, "chunk 0 of 3: labels of 2 rows for 1 rows"},
	} {
		w := httptest.NewRecorder()
		err := new(exposition.Responder).Respond(w, request(http.MethodGet, "Accept-Encoding", "gzip"), c.blocks, c.families)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
		if got := w.Result(); got.StatusCode != http.StatusInternalServerError || body(t, got) != c.want+"\n" {
			t.Errorf("%s: status %d, body %q", c.name, got.StatusCode, w.Body)
		}
	}
}

// The Go collector has a counter and a gauge that are one name to OpenMetrics: that must not cost the scrape.
func TestRespondTakesWhatARegistryGathers(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	// A family without metrics takes nobody's name.
	families = append(families, family("lag", dto.MetricType_GAUGE), family("go_goroutines", dto.MetricType_GAUGE))
	for _, accept := range []string{"text/plain", "application/openmetrics-text;version=1.0.0"} {
		text := body(t, respond(t, request(http.MethodGet, "Accept", accept), []exposition.Block{lagGauge()}, families))
		for _, line := range []string{"\nlag{group=\"a\"} 5\n", "\n# TYPE go_memstats_alloc_bytes gauge\n", "\ngo_memstats_alloc_bytes_total "} {
			if !strings.Contains(text, line) {
				t.Errorf("%s: no line %q", accept, line)
			}
		}
	}
}

// A family that cannot be encoded is absent and told of; all others are there, and the exposition is whole.
func TestRespondLeavesOutWhatCannotBeEncoded(t *testing.T) {
	one := &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(1)}}
	families := []*dto.MetricFamily{
		family("before", dto.MetricType_GAUGE, one),
		family("broken", dto.MetricType_GAUGE, one, &dto.Metric{}),
		family("after", dto.MetricType_GAUGE, one),
		family("float", dto.MetricType_HISTOGRAM, &dto.Metric{Histogram: &dto.Histogram{SampleCountFloat: proto.Float64(1.5)}}),
	}
	w := httptest.NewRecorder()
	err := new(exposition.Responder).Respond(w, request(http.MethodGet, "Accept", "application/openmetrics-text;version=1.0.0", "Accept-Encoding", "gzip"), nil, families)
	if err == nil || !strings.Contains(err.Error(), "family broken") || !strings.Contains(err.Error(), "family float") {
		t.Errorf("error %v", err)
	}
	want := "# HELP before Gathered.\n# TYPE before gauge\nbefore 1.0\n# HELP after Gathered.\n# TYPE after gauge\nafter 1.0\n# EOF\n"
	if got := body(t, w.Result()); w.Code != http.StatusOK || got != want {
		t.Errorf("status %d, body\n%s\nwant\n%s", w.Code, got, want)
	}
}

// gone is a ResponseWriter whose client goes away after some bytes.
type gone struct {
	http.ResponseWriter
	narrow
}

func (g *gone) Write(p []byte) (int, error) { return g.narrow.Write(p) }

func TestRespondToAClientThatGoesAway(t *testing.T) {
	endless := lagGauge()
	rnd := rand.New(rand.NewPCG(1, 2)) // compresses badly
	rows := exposition.Chunk[reading]{Labels: make([]string, 1000), Rows: make([]reading, 1000)}
	for i := range rows.Rows {
		rows.Rows[i] = reading{value: rnd.Float64(), known: true}
	}
	asked := 0
	endless.Families[0].Series[0].Value = func(r *reading) (float64, bool) { asked++; return r.value, r.known }
	for range 1000 {
		endless.Chunks = append(endless.Chunks, rows)
	}
	var responder exposition.Responder
	for _, coding := range []string{"", "gzip", "zstd"} {
		asked = 0
		w := &gone{httptest.NewRecorder(), narrow{100_000}}
		err := responder.Respond(w, request(http.MethodGet, "Accept-Encoding", coding), []exposition.Block{endless}, nil)
		if !errors.Is(err, errGone) {
			t.Errorf("%q: error %v", coding, err)
		}
		if asked > 800_000 {
			t.Errorf("%q: %d rows of a million were asked", coding, asked)
		}
		// What the next client gets has nothing of it.
		next := httptest.NewRecorder()
		if err := responder.Respond(next, request(http.MethodGet, "Accept-Encoding", coding), []exposition.Block{lagGauge()}, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := body(t, next.Result()), "# TYPE lag gauge\nlag{group=\"a\"} 5\nlag{group=\"\\\"c\\\"\"} 7.5\n"; got != want {
			t.Errorf("%q: next client got %q", coding, got)
		}
	}
	// The last bytes can be lost too.
	for _, coding := range []string{"", "gzip", "zstd"} {
		w := &gone{httptest.NewRecorder(), narrow{0}}
		if err := responder.Respond(w, request(http.MethodGet, "Accept-Encoding", coding), []exposition.Block{lagGauge()}, nil); !errors.Is(err, errGone) {
			t.Errorf("%q: error %v", coding, err)
		}
	}
}

// A real client over a real connection that hangs up in the middle.
func TestRespondToAConnectionThatCloses(t *testing.T) {
	endless := lagGauge()
	rows := exposition.Chunk[reading]{Labels: make([]string, 1000), Rows: make([]reading, 1000)}
	for i := range rows.Rows {
		rows.Rows[i].known = true
	}
	for range 100_000 {
		endless.Chunks = append(endless.Chunks, rows)
	}
	result := make(chan error, 1)
	var responder exposition.Responder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result <- responder.Respond(w, r, []exposition.Block{endless}, nil)
	}))
	defer server.Close()
	r, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if err := <-result; err == nil {
		t.Error("no error")
	}
}

// Several clients at once, of all kinds, over the same tables, families and Responder.
func TestRespondToSeveralAtOnce(t *testing.T) {
	tbl, families := wildTable("Help.", wildRows(rand.New(rand.NewPCG(7, 7)), 200))
	families = families[:1]
	families[0].Name = proto.String("wild_gathered")
	blocks := []exposition.Block{tbl, lagGauge()}
	want := make(map[string]string)
	formats := []string{"text/plain", "application/openmetrics-text;version=1.0.0"}
	for _, f := range formats {
		want[f] = body(t, respond(t, request(http.MethodGet, "Accept", f), blocks, families))
	}
	var responder exposition.Responder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := responder.Respond(w, r, blocks, families); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			accept := formats[i%2]
			r, err := http.NewRequest(http.MethodGet, server.URL, nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Accept", accept)
			r.Header.Set("Accept-Encoding", []string{"identity", "gzip", "zstd"}[i%3])
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			text, err := decode(answer.Header.Get("Content-Encoding"), answer.Body)
			if err != nil || text != want[accept] {
				t.Errorf("client %d: error %v, %d bytes, want %d", i, err, len(text), len(want[accept]))
			}
		})
	}
	wg.Wait()
}
