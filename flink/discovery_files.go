package flink

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"go.yaml.in/yaml/v3"

	"truelag/endpoint"
)

// fileTargets are the reporters that files name, in the format of Prometheus' file_sd_configs: a list of targets with
// labels, of which __scheme__ and __metrics_path__ are heeded. The files are read again at each reading, which costs
// less than to know whether they changed.
type fileTargets struct {
	pattern string

	mu   sync.Mutex
	last map[string][]*url.URL // by file
}

// targetGroup is one entry of such a file.
type targetGroup struct {
	Targets []string          `yaml:"targets"`
	Labels  map[string]string `yaml:"labels"`
}

func newFileTargets(pattern string) (*fileTargets, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("files of reporters %q: %w", pattern, err)
	}
	return &fileTargets{pattern: pattern}, nil
}

// find reads the files. One that is not well-formed (it may be half written) gives what it gave last.
func (t *fileTargets) find() ([]*url.URL, []Reach) {
	paths, err := filepath.Glob(t.pattern)
	if err == nil && len(paths) == 0 {
		err = errors.New("no such file")
	}
	if err != nil {
		return nil, []Reach{failedLookup("file "+t.pattern, err)}
	}
	var urls []*url.URL
	var failed []Reach
	now := make(map[string][]*url.URL, len(paths))
	t.mu.Lock()
	last := t.last
	t.mu.Unlock()
	for _, path := range paths {
		found, err := readTargets(path)
		if err != nil {
			found = last[path]
			failed = append(failed, failedLookup("file "+path, err))
		}
		now[path] = found
		urls = append(urls, found...)
	}
	t.mu.Lock()
	t.last = now
	t.mu.Unlock()
	return urls, failed
}

func readTargets(path string) ([]*url.URL, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseTargets(text)
}

func parseTargets(text []byte) ([]*url.URL, error) {
	var groups []targetGroup
	if err := yaml.Unmarshal(text, &groups); err != nil { // JSON is YAML
		return nil, err
	}
	var urls []*url.URL
	for _, group := range groups {
		for _, host := range group.Targets {
			u, err := group.url(host)
			if err != nil {
				return nil, err
			}
			urls = append(urls, u)
		}
	}
	return urls, nil
}

func (g *targetGroup) url(host string) (*url.URL, error) {
	scheme, path := g.Labels["__scheme__"], g.Labels["__metrics_path__"]
	if scheme == "" {
		scheme = "http"
	}
	if path == "" {
		path = "/metrics"
	}
	u, err := parseReporterURL(scheme + "://" + host)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if u.Host != host {
		return nil, fmt.Errorf("target %q: want HOST:PORT", endpoint.Shown(u))
	}
	u.Path = path
	return u, nil
}
