package lab

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Connect is a running worker of Kafka Connect (distributed, of the lab's current Kafka) with Debezium's connectors, and with two
// agents that tell what these say of themselves.
type Connect struct {
	REST    string // URL
	Page    string // URL of the page of the JMX exporter
	Jolokia string // URL of Jolokia's agent
	Kafka   *Cluster
	Offsets string // the topic in which connectors' offsets are

	process
	home    programHome
	dir     string
	agents  []string // arguments of java
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
	agents, err := homeOf("connect-agents")
	if err != nil {
		return err
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	c.name, c.log = "Kafka Connect", filepath.Join(c.dir, "connect.log")
	c.REST = fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	c.Page = fmt.Sprintf("http://127.0.0.1:%d/metrics", ports[1])
	c.Jolokia = fmt.Sprintf("http://127.0.0.1:%d/jolokia", ports[2])
	c.agents = []string{
		fmt.Sprintf("-javaagent:%s/jmx_prometheus_javaagent.jar=127.0.0.1:%d:%s", agents.dir, ports[1], c.rules()),
		fmt.Sprintf("-javaagent:%s/jolokia-agent-jvm-javaagent.jar=host=127.0.0.1,port=%d,discoveryEnabled=false", agents.dir, ports[2]),
	}
	const few = `includeObjectNames: ["debezium.*:*"]` // to look at all that Kafka counts takes a busy machine seconds
	if err := os.WriteFile(c.rules(), []byte(few+"\nrules:"+TextRule+DebeziumRules), 0o600); err != nil {
		return err
	}
	return writeProperties(c.file(), c.properties(ports[0]))
}

func (c *Connect) file() string { return filepath.Join(c.dir, "connect.properties") }

func (c *Connect) rules() string { return filepath.Join(c.dir, "jmx.yml") }

// Rule lets the JMX exporter make its page by other rules, until the test ends. It reads them anew when it is asked next.
func (c *Connect) Rule(t testing.TB, rules string) {
	t.Helper()
	before, err := os.ReadFile(c.rules())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.rule(t, before) })
	c.rule(t, []byte(rules))
}

func (c *Connect) rule(t testing.TB, rules []byte) {
	t.Helper()
	before, err := os.Stat(c.rules())
	if err != nil {
		t.Fatal(err)
	}
	whole, later := c.rules()+".new", before.ModTime().Add(time.Second) // it looks at the time alone, in the file system's steps
	if err := os.WriteFile(whole, rules, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(whole, later, later); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(whole, c.rules()); err != nil { // it must not read half of them
		t.Fatal(err)
	}
}

// boot starts the worker and waits until it takes requests.
func (c *Connect) boot(ctx context.Context) error {
	java := append(slices.Clone(c.agents), c.home.command("512m", "org.apache.kafka.connect.cli.ConnectDistributed", c.file())...)
	if err := c.launch("sh", guarded("java", java...)); err != nil {
		return err
	}
	return c.awaitUp(ctx, func() error { return c.ask(ctx, http.MethodGet, "/connectors", nil, nil) })
}

func (c *Connect) kill() {
	c.process.kill()
	c.http.CloseIdleConnections()
}

// ask sends the worker a request. It refuses some while its plans change.
func (c *Connect) ask(ctx context.Context, method, path string, body, into any) error {
	return ask(ctx, c.http, method, c.REST+path, body, into)
}
