package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"truelag/exposition"
)

// reloadMetrics say whether the configuration in use is the one in the file.
type reloadMetrics struct {
	successful prometheus.Gauge
	at         prometheus.Gauge
}

// reloadDescs are the metrics' lines in the catalogue.
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

func newReloadMetrics(registry *prometheus.Registry) *reloadMetrics {
	var gauges []prometheus.Gauge
	for _, d := range reloadDescs() {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: d.Name, Help: d.Help})
		registry.MustRegister(g)
		gauges = append(gauges, g)
	}
	return &reloadMetrics{successful: gauges[0], at: gauges[1]}
}

func (m *reloadMetrics) succeeded() {
	m.successful.Set(1)
	m.at.SetToCurrentTime()
}

func (m *reloadMetrics) failed() { m.successful.Set(0) }
