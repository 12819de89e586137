package flink

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"
)

// pipes is a network in memory: in a bubble of synctest, waiting on a real one would hold the bubble's time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8081} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// startCluster serves a JobManager on a network in memory, and returns a cluster that reads it. Call it in a bubble.
func startCluster(t *testing.T, handler http.Handler, cfg Config) *Cluster {
	t.Helper()
	network := newPipes()
	server := &httptest.Server{Listener: network, Config: &http.Server{Handler: handler}}
	server.Start()
	if cfg.REST == nil {
		cfg.REST = &RESTConfig{}
	}
	rest := *cfg.REST
	if rest.URL == "" {
		rest.URL = "http://jobmanager:8081"
	}
	if rest.Interval == 0 {
		rest.Interval = 15 * time.Second
	}
	if rest.Timeout == 0 {
		rest.Timeout = 5 * time.Second
	}
	cfg.REST = &rest
	if cfg.KeepEnded == 0 {
		cfg.KeepEnded = time.Hour
	}
	c, err := newCluster(cfg, testLogger(t), promconfig.WithDialContextFunc(network.dial))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		server.Close()
	})
	return c
}

// pass lets a bubble's time pass: nobody waits for it.
func pass(d time.Duration) { <-time.After(d) }
