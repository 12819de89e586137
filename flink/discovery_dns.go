package flink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// dnsTargets are the reporters behind a DNS name, looked up at each reading: a headless service in Kubernetes has the
// TaskManagers of now. Their pages are http://ADDRESS:PORT/metrics.
type dnsTargets struct {
	cfg      DNSConfig
	resolver *net.Resolver

	mu   sync.Mutex
	last []*url.URL
}

type dnsAnswer struct {
	urls []*url.URL
	err  error
}

func newDNSTargets(cfg DNSConfig, resolver *net.Resolver) (*dnsTargets, error) {
	t := &dnsTargets{cfg: cfg, resolver: resolver}
	switch {
	case cfg.Name == "":
		return nil, errors.New("DNS discovery of reporters without a name")
	case cfg.Type != "A" && cfg.Type != "SRV":
		return nil, fmt.Errorf("DNS discovery by %s: type %q, want A (which asks for AAAA as well) or SRV", cfg.Name, cfg.Type)
	case cfg.Type == "A" && (cfg.Port < 1 || cfg.Port > 65535):
		return nil, fmt.Errorf("DNS discovery by %s: port %d, want 1 to 65535 with type A", cfg.Name, cfg.Port)
	}
	return t, nil
}

func (t *dnsTargets) shown() string { return "dns " + t.cfg.Type + " " + t.cfg.Name }

// find looks the name up. A name that does not exist has no reporters, since that is what a service without pods
// answers; any other failure leaves those that were found last.
func (t *dnsTargets) find(ctx context.Context) dnsAnswer {
	hosts, err := t.lookUp(ctx)
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx)
	}
	var notFound *net.DNSError
	gone := errors.As(err, &notFound) && notFound.IsNotFound

	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil || gone {
		t.last = nil
		for _, host := range hosts {
			t.last = append(t.last, &url.URL{Scheme: "http", Host: host, Path: "/metrics"})
		}
	}
	return dnsAnswer{t.last, err}
}

func (t *dnsTargets) lookUp(ctx context.Context) ([]string, error) {
	var hosts []string
	if t.cfg.Type == "SRV" {
		_, services, err := t.resolver.LookupSRV(ctx, "", "", t.cfg.Name)
		for _, service := range services { // some may be there beside an error, which says that others were not valid
			host := strings.TrimSuffix(service.Target, ".")
			hosts = append(hosts, net.JoinHostPort(host, strconv.Itoa(int(service.Port))))
		}
		if len(hosts) > 0 {
			return hosts, nil
		}
		return nil, err
	}
	addresses, err := t.resolver.LookupNetIP(ctx, "ip", t.cfg.Name)
	for _, address := range addresses {
		hosts = append(hosts, net.JoinHostPort(address.Unmap().String(), strconv.Itoa(t.cfg.Port)))
	}
	return hosts, err
}
