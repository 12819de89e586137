package flink

import (
	"time"

	promconfig "github.com/prometheus/common/config"
)

// Config is one Flink cluster and the ways to hear it. At least one of REST, Reporter and Prometheus is there.
type Config struct {
	Name string // empty: the only one

	REST       *RESTConfig
	Reporter   *ReporterConfig
	Prometheus *PrometheusConfig

	// Jobs says which jobs are read, by name; nil: all. Other jobs are asked nothing.
	Jobs func(name string) bool

	// Parameters also reads what each job publishes of its own parameters (REST: /jobs/ID/config).
	Parameters bool

	// KeepEnded is how long a job that ended, or fell silent, keeps its last values.
	KeepEnded time.Duration
}

// RESTConfig is where the REST API of a cluster's JobManager is, and how to ask it.
type RESTConfig struct {
	URL  string // may have a path, below which the API lies
	HTTP promconfig.HTTPClientConfig

	// Interval is the time between two polls. It is of no use to poll more often than Flink makes a dump: where Interval
	// is not longer than the update interval, a poll waits for the next dump to be due, up to a minute.
	Interval time.Duration

	// UpdateInterval is the JobManager's metrics.fetcher.update-interval; 0: as /jobmanager/config says, else 10 s.
	UpdateInterval time.Duration

	// Timeout bounds a request. A poll as a whole is bounded too, by Interval or ten seconds, whichever is longer.
	Timeout time.Duration
}

// ReporterConfig is where Flink's Prometheus reporters listen: every TaskManager's, and the JobManager's for checkpoints.
type ReporterConfig struct {
	URLs  []string // of /metrics pages
	Files []string // of targets, in the format of Prometheus' file_sd_configs (YAML or JSON, globs); read again when changed
	DNS   []DNSConfig
	HTTP  promconfig.HTTPClientConfig

	// Timeout bounds one endpoint. Endpoints are asked at the same time.
	Timeout time.Duration
}

// DNSConfig finds reporters by a DNS name.
type DNSConfig struct {
	Name string
	Type string // A (which asks for AAAA as well) or SRV
	Port int    // of the reporter, for type A
}

// PrometheusConfig is a Prometheus server that scrapes the reporters already.
type PrometheusConfig struct {
	URL  string // without /api/v1
	HTTP promconfig.HTTPClientConfig

	// Matchers narrow the series down to this cluster's, as in PromQL: namespace="flink",cluster="eu".
	Matchers string

	// Lookback is how old a sample may be.
	Lookback time.Duration

	Timeout time.Duration
}
