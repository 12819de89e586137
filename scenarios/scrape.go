package scenarios

import (
	"fmt"
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Scrape is one answer of the exporter.
type Scrape struct {
	samples map[string][]sample // by metric name
}

type sample struct {
	labels map[string]string
	value  float64
}

// ReadScrape reads an exposition in Prometheus's text format.
func ReadScrape(r io.Reader) (*Scrape, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("parse the exposition: %w", err)
	}
	s := &Scrape{samples: map[string][]sample{}}
	for name, f := range families {
		for _, m := range f.Metric {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			var value float64
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				value = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				value = m.GetGauge().GetValue()
			case dto.MetricType_UNTYPED:
				value = m.GetUntyped().GetValue()
			case dto.MetricType_HISTOGRAM:
				value = m.GetHistogram().GetSampleSum()
			case dto.MetricType_SUMMARY:
				value = m.GetSummary().GetSampleSum()
			}
			s.samples[name] = append(s.samples[name], sample{labels, value})
		}
	}
	return s, nil
}

// sum adds the samples of a metric that have all of the labels, and says how many there are.
func (s *Scrape) sum(metric string, labels map[string]string) (sum int64, n int) {
	for _, m := range s.samples[metric] {
		if contains(m.labels, labels) {
			sum += int64(m.value)
			n++
		}
	}
	return sum, n
}

func contains(have, want map[string]string) bool {
	for k, v := range want {
		if got, ok := have[k]; !ok || got != v {
			return false
		}
	}
	return true
}
