package flink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"truelag/endpoint"
	"truelag/guard"
)

// maxTargets is how many reporters one cluster may have: a DNS name or a file that is not the right one is not to make
// us ask everybody.
const maxTargets = 2000

// discovery finds the reporters that are to be asked: those that are configured, and those that files and DNS name now.
type discovery struct {
	urls  []*url.URL
	files []*fileTargets
	names []*dnsTargets
}

// newDiscovery looks nothing up yet.
func newDiscovery(cfg ReporterConfig, resolver *net.Resolver) (*discovery, error) {
	d := &discovery{}
	for _, raw := range cfg.URLs {
		u, err := parseReporterURL(raw)
		if err != nil {
			return nil, err
		}
		d.urls = append(d.urls, u)
	}
	for _, pattern := range cfg.Files {
		files, err := newFileTargets(pattern)
		if err != nil {
			return nil, err
		}
		d.files = append(d.files, files)
	}
	for _, name := range cfg.DNS {
		names, err := newDNSTargets(name, resolver)
		if err != nil {
			return nil, err
		}
		d.names = append(d.names, names)
	}
	if len(d.urls)+len(d.files)+len(d.names) == 0 {
		return nil, errors.New("no reporters: want URLs, files or DNS names of them")
	}
	return d, nil
}

// find are the reporters, each once, by URL. What could not be looked up now gives what it gave last, and a Reach that
// says why.
func (d *discovery) find(ctx context.Context, timeout time.Duration) ([]*url.URL, []Reach) {
	found := make([][]*url.URL, 1, 1+len(d.files)+len(d.names))
	found[0] = d.urls
	var failed []Reach
	for _, files := range d.files {
		urls, failures := files.find()
		found, failed = append(found, urls), append(failed, failures...)
	}

	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %s", timeout))
	defer cancel()
	answers := make([]dnsAnswer, len(d.names))
	var lookups guard.Crew
	for i, name := range d.names {
		lookups.Go(func() { answers[i] = name.find(ctx) })
	}
	lookups.Wait()
	for i, answer := range answers {
		found = append(found, answer.urls)
		if answer.err != nil {
			failed = append(failed, failedLookup(d.names[i].shown(), answer.err))
		}
	}

	byURL := make(map[string]*url.URL)
	for _, u := range slices.Concat(found...) {
		byURL[u.String()] = u
	}
	urls := make([]*url.URL, 0, len(byURL))
	for _, u := range byURL {
		urls = append(urls, u)
	}
	slices.SortFunc(urls, func(a, b *url.URL) int { return strings.Compare(a.String(), b.String()) })
	if len(urls) > maxTargets {
		err := fmt.Errorf("%d reporters are named, the first %d are asked: is a DNS name or a file not the right one?",
			len(urls), maxTargets)
		failed = append(failed, failedLookup("discovery", err))
		urls = urls[:maxTargets]
	}
	return urls, failed
}

func failedLookup(what string, err error) Reach {
	return Reach{Interface: Reporter, Target: what, At: time.Now(), Err: err}
}

// parseReporterURL takes the URL of a page. Credentials have settings of their own; a query is sent and never shown.
func parseReporterURL(raw string) (*url.URL, error) {
	u, err := endpoint.ParseURL(raw)
	if err != nil {
		return nil, fmt.Errorf("reporter's page, want http://HOST:PORT/metrics: %w", err)
	}
	if u.Path == "" {
		u.Path = "/metrics"
	}
	return u, nil
}
