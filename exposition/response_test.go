package exposition_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/client_golang/prometheus"
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
