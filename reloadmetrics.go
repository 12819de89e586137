package main

import (
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"truelag/exposition"
)

// reloadMetrics say whether the configuration in use is the one in the file. It is a gatherer of two families, which
// outlive the collectors of one configuration.
type reloadMetrics struct {
	mu sync.Mutex
	ok bool
	at time.Time // of the last success
}

// reloadDescs are the families' lines in the catalogue.
func reloadDescs() []exposition.Desc {
	return []exposition.Desc{
		{
			Name: "truelag_exporter_config_last_reload_successful", Type: exposition.Gauge,
			Help: "1 when the last load of the configuration succeeded, 0 when it failed and the one before it is still in use.",
		},
		{
			Name: "truelag_exporter_config_last_reload_success_timestamp_seconds", Type: exposition.Gauge,
			Help: "When the configuration in use was loaded, in seconds since 1970.",
		},
	}
}

func (m *reloadMetrics) note(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ok = err == nil; m.ok {
		m.at = time.Now()
	}
}

// Gather implements the registry's side of a scrape.
func (m *reloadMetrics) Gather() ([]*dto.MetricFamily, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ok := 0.0
	if m.ok {
		ok = 1
	}
	values := []float64{ok, float64(m.at.UnixMilli()) / 1000}
	var families []*dto.MetricFamily
	for i, d := range reloadDescs() {
		families = append(families, &dto.MetricFamily{
			Name:   &d.Name,
			Help:   &d.Help,
			Type:   dto.MetricType_GAUGE.Enum(),
			Metric: []*dto.Metric{{Gauge: &dto.Gauge{Value: &values[i]}}},
		})
	}
	return families, nil
}
