package lab

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// Connect is a running worker of Kafka Connect (distributed, of the lab's current Kafka) with Debezium's connectors.
type Connect struct {
	REST    string // URL
	Kafka   *Cluster
	Offsets string // the topic in which connectors' offsets are

	process
	home    programHome
	dir     string
	http    *http.Client
	servers atomic.Int32 // ids given to connectors
}

// Connect is the pool's worker, started at first use. It uses the pool's shared cluster of one node.
func (p *Pool) Connect(t testing.TB) *Connect {
	t.Helper()
	kafka := p.Shared(t, Options{})
	return share(t, p, &p.connects, "", func() (*Connect, error) {
		return start("Kafka Connect", func() (*Connect, error) {
			home, err := homeOf("connect")
			if err != nil {
				return nil, err
			}
			dir, err := p.dir()
			if err != nil {
				return nil, err
			}
			return &Connect{Kafka: kafka, Offsets: "connect-offsets", home: home, dir: dir, http: &http.Client{Timeout: patience}}, nil
		})
	})
}

func (c *Connect) configure() error {
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	c.name, c.log = "Kafka Connect", filepath.Join(c.dir, "connect.log")
	c.REST = fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	return writeProperties(c.file(), c.properties(ports[0]))
}

func (c *Connect) file() string { return filepath.Join(c.dir, "connect.properties") }

// boot starts the worker and waits until it takes requests.
func (c *Connect) boot(ctx context.Context) error {
	java := c.home.command("512m", "org.apache.kafka.connect.cli.ConnectDistributed", c.file())
	if err := c.launch("sh", guarded("java", java...)); err != nil {
		return err
	}
	return c.awaitUp(ctx, func() error { return c.ask(ctx, http.MethodGet, "/connectors", nil, nil) })
}

func (c *Connect) kill() {
	c.process.kill()
	c.http.CloseIdleConnections()
}

func (c *Connect) logs() map[string]string { return map[string]string{c.name: c.log} }

// ask sends the worker a request. It refuses some while its plans change.
func (c *Connect) ask(ctx context.Context, method, path string, body, into any) error {
	return ask(ctx, c.http, method, c.REST+path, body, into)
}
