package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"truelag/flink"
)

// FlinkClusters is what the flink package needs to know of each cluster.
func (c *Config) FlinkClusters() ([]flink.Config, error) {
	all := make([]flink.Config, len(c.Flink.Clusters))
	for i := range all {
		var err error
		if all[i], err = c.Flink.Clusters[i].flink(); err != nil {
			return nil, fmt.Errorf("flink.clusters[%d]: %w", i, err)
		}
	}
	return all, nil
}

func (c *FlinkCluster) flink() (flink.Config, error) {
	f := flink.Config{
		Name: c.Name, Jobs: c.Jobs.kafka().Match, Parameters: c.GroupParameter != "", KeepEnded: time.Duration(c.KeepEnded),
	}
	if r := c.REST; r != nil {
		http, err := r.HTTP.Client()
		if err != nil {
			return f, fmt.Errorf("rest.http: %w", err)
		}
		f.REST = &flink.RESTConfig{
			URL: string(r.URL), HTTP: http, Interval: time.Duration(r.PollInterval),
			UpdateInterval: time.Duration(r.UpdateInterval), Timeout: time.Duration(r.Timeout),
		}
	}
	if r := c.Reporter; r != nil {
		http, err := r.HTTP.Client()
		if err != nil {
			return f, fmt.Errorf("reporter.http: %w", err)
		}
		f.Reporter = &flink.ReporterConfig{HTTP: http, Timeout: time.Duration(r.Timeout)}
		for _, u := range r.URLs {
			f.Reporter.URLs = append(f.Reporter.URLs, string(u))
		}
		for _, file := range r.Files {
			f.Reporter.Files = append(f.Reporter.Files, string(file))
		}
		for _, d := range r.DNS {
			f.Reporter.DNS = append(f.Reporter.DNS, flink.DNSConfig{Name: d.Name, Type: string(d.Type), Port: d.Port})
		}
	}
	if p := c.Prometheus; p != nil {
		http, err := p.HTTP.Client()
		if err != nil {
			return f, fmt.Errorf("prometheus.http: %w", err)
		}
		f.Prometheus = &flink.PrometheusConfig{
			URL: string(p.URL), HTTP: http, Matchers: matchers(p.Labels), Lookback: time.Duration(p.Lookback), Timeout: time.Duration(p.Timeout),
		}
	}
	return f, nil
}

// matchers writes labels as PromQL does between braces.
func matchers(labels map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, name+"="+strconv.Quote(labels[name]))
	}
	return strings.Join(all, ",")
}
