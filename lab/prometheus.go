package lab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// Prometheus is a running Prometheus server.
type Prometheus struct {
	process

	URL string

	program string
	dir     string
	targets []string
	every   time.Duration // between two scrapes of a page
	rules   string        // a file's text; empty: none
}

// Prometheus starts a server for one test, which scrapes some pages, given by their URLs, once a second.
func (p *Pool) Prometheus(t testing.TB, pages ...string) *Prometheus {
	t.Helper()
	return p.PrometheusWithRules(t, time.Second, "", pages...)
}

// PrometheusWithRules starts one that evaluates rules once a second. It gives a page until the next scrape to answer.
func (p *Pool) PrometheusWithRules(t testing.TB, every time.Duration, rules string, pages ...string) *Prometheus {
	t.Helper()
	return own(t, func() (*Prometheus, error) {
		return start("Prometheus", func() (*Prometheus, error) { return p.prometheus(every, rules, pages) })
	})
}

// prometheus is one that is not started.
func (p *Pool) prometheus(every time.Duration, rules string, pages []string) (*Prometheus, error) {
	home, err := homeOf("prometheus")
	if err != nil {
		return nil, err
	}
	s := &Prometheus{program: filepath.Join(home.dir, "usr", "bin", "prometheus"), every: every, rules: rules}
	for _, page := range pages {
		u, err := url.Parse(page)
		if err != nil {
			return nil, err
		}
		s.targets = append(s.targets, u.Host) // whose pages are at /metrics, as Prometheus expects
	}
	if s.dir, err = p.dir(); err != nil {
		return nil, err
	}
	s.name, s.log = "Prometheus", filepath.Join(s.dir, "prometheus.log")
	return s, nil
}

func (s *Prometheus) configure() error {
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	s.URL = fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	type fields = map[string]any
	text, err := yaml.Marshal(fields{
		"global":     fields{"scrape_interval": s.every.String(), "evaluation_interval": "1s"},
		"rule_files": []string{"rules.yml"},
		"scrape_configs": []fields{{
			"job_name":       "lab",
			"static_configs": []fields{{"targets": s.targets}},
		}},
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "rules.yml"), []byte(s.rules), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "prometheus.yml"), text, 0o600)
}

func (s *Prometheus) boot(ctx context.Context) error {
	err := s.launch("sh", guarded(s.program,
		"--config.file="+filepath.Join(s.dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(s.dir, "data"),
		"--web.listen-address="+strings.TrimPrefix(s.URL, "http://"),
		"--log.level=warn",
	))
	if err != nil {
		return err
	}
	return s.awaitUp(ctx, func() error { return ask(ctx, http.DefaultClient, http.MethodGet, s.URL+"/-/ready", nil, nil) })
}
