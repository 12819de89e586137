package exposition_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"

	"truelag/exposition"
)

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
