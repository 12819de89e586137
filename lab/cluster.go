package lab

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Cluster is a running Kafka.
type Cluster struct {
	Options Options
	Seeds   []string // host:port of each node, without SASL and TLS

	// Of a secure cluster: where users log in.
	SASL string // SASL_PLAINTEXT
	TLS  string // SASL_SSL
	CA   string // PEM file with the certificate of the TLS listener, good for localhost and 127.0.0.1

	pool  *Pool
	home  homeDir
	dir   string
	nodes []*node

	mu     sync.Mutex
	client *kgo.Client
}

// configure chooses ports and writes the files that the nodes start from.
func (c *Cluster) configure() error {
	ports, err := freePorts(3*c.Options.Brokers + 2)
	if err != nil {
		return err
	}
	clients, others := ports[:c.Options.Brokers], ports[c.Options.Brokers:]
	for _, p := range clients {
		c.Seeds = append(c.Seeds, fmt.Sprintf("127.0.0.1:%d", p))
	}
	var secure map[string]string
	if c.Options.Secure {
		if secure, err = c.secure(others[2*c.Options.Brokers], others[2*c.Options.Brokers+1]); err != nil {
			return err
		}
	}
	var format []string
	if !c.Options.zookeeper() {
		var id [16]byte
		rand.Read(id[:])
		format = []string{"format", "--cluster-id", base64.RawURLEncoding.EncodeToString(append([]byte{1}, id[1:]...))}
		for _, f := range c.Options.Features {
			format = append(format, "--feature", f)
		}
	}
	var voters []string
	for i := range clients {
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", i+1, others[i]))
	}
	for i := range clients {
		n := &node{id: int32(i + 1), home: c.home, data: filepath.Join(c.dir, fmt.Sprintf("node-%d", i+1))}
		n.properties, n.log = n.data+".properties", n.data+".log"
		config := common(c.Options.Brokers)
		config["log.dirs"] = n.data
		config["listeners"] = "PLAINTEXT://" + c.Seeds[i]
		if c.Options.zookeeper() {
			config["broker.id"] = fmt.Sprint(n.id)
			config["zookeeper.connect"] = fmt.Sprintf("127.0.0.1:%d", others[0])
			n.zookeeper = filepath.Join(c.dir, "zookeeper.properties")
			if err := writeProperties(n.zookeeper, zookeeper(filepath.Join(c.dir, "zookeeper"), others[0])); err != nil {
				return err
			}
		} else {
			n.format = append(format, "-c", n.properties)
			maps.Copy(config, kraft(i, clients[i], others[i], voters))
		}
		if secure != nil {
			maps.Copy(config, secure)
			more := fmt.Sprintf(",SASL_PLAINTEXT://%s,SASL_SSL://%s", c.SASL, c.TLS)
			config["listeners"] += more
			config["advertised.listeners"] += more
		}
		maps.Copy(config, c.Options.Extra)
		if err := writeProperties(n.properties, config); err != nil {
			return err
		}
		c.nodes = append(c.nodes, n)
	}
	return nil
}

func writeProperties(file string, p map[string]string) error {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", k, p[k])
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

// boot starts all nodes and waits until each has joined.
func (c *Cluster) boot(ctx context.Context) error {
	for _, n := range c.nodes {
		if err := n.start(true); err != nil {
			return err
		}
	}
	return c.awaitNodes(ctx)
}

// awaitNodes waits until the metadata names all nodes that run, and no others.
func (c *Cluster) awaitNodes(ctx context.Context) error {
	var want []int32
	for _, n := range c.nodes {
		if n.running() {
			want = append(want, n.id)
		}
	}
	return await(ctx, func() error {
		for _, n := range c.nodes {
			if n.died() {
				return fmt.Errorf("%w: node %d ended by itself", errHopeless, n.id)
			}
		}
		m, err := c.metadata(ctx, []string{})
		if err != nil {
			return err
		}
		var got []int32
		for _, b := range m.Brokers {
			got = append(got, b.NodeID)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Errorf("metadata names the nodes %v, want %v", got, want)
		}
		return nil
	})
}

// metadata asks a node for topics; nil: all. The answers of kadm come from a cache.
func (c *Cluster) metadata(ctx context.Context, topics []string) (*kmsg.MetadataResponse, error) {
	cl, err := c.superUser()
	if err != nil {
		return nil, err
	}
	req := kmsg.NewPtrMetadataRequest()
	if topics != nil {
		req.Topics = []kmsg.MetadataRequestTopic{}
	}
	for _, name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
	}
	return req.RequestWith(ctx, cl)
}

// errHopeless ends a wait early.
var errHopeless = errors.New("hopeless")

// await tries until it gets nil. When the context ends first, it returns what was wrong last.
func await(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil || errors.Is(err, errHopeless) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, waiting: %w", ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Await tries until it gets nil, and ends the test when that takes too long.
func Await(t testing.TB, try func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := await(ctx, try); err != nil {
		t.Fatal(err)
	}
}

// node is the node with an id, from 1 on.
func (c *Cluster) node(t testing.TB, id int32) *node {
	t.Helper()
	if id < 1 || int(id) > len(c.nodes) {
		t.Fatalf("no node %d in a cluster of %d", id, len(c.nodes))
	}
	return c.nodes[id-1]
}

// KillNode ends a node at once, as kill -9 does. Ids start at 1.
func (c *Cluster) KillNode(t testing.TB, id int32) {
	t.Helper()
	c.node(t, id).kill()
}

// StopNode ends a node in good order: it hands its leaderships over first.
func (c *Cluster) StopNode(t testing.TB, id int32) {
	t.Helper()
	if err := c.node(t, id).stop(); err != nil {
		t.Fatal(err)
	}
}

// FreezeNode makes a node hang, until ThawNode: its connections stay open, and nothing is answered.
func (c *Cluster) FreezeNode(t testing.TB, id int32) {
	t.Helper()
	c.signal(t, id, syscall.SIGSTOP)
}

// ThawNode lets a frozen node go on.
func (c *Cluster) ThawNode(t testing.TB, id int32) {
	t.Helper()
	c.signal(t, id, syscall.SIGCONT)
}

func (c *Cluster) signal(t testing.TB, id int32, s syscall.Signal) {
	t.Helper()
	if err := c.node(t, id).signal(s); err != nil {
		t.Fatal(err)
	}
}

// StartNode starts a node that was ended, and waits until it has joined again and its replicas have caught up.
func (c *Cluster) StartNode(t testing.TB, id int32) {
	t.Helper()
	if err := c.node(t, id).start(false); err != nil {
		t.Fatal(err)
	}
	c.AwaitNodes(t)
	c.AwaitReplicas(t)
}

// AwaitReplicas waits until all replicas of all partitions are in sync: else the next node that goes may take the last
// one with it.
func (c *Cluster) AwaitReplicas(t testing.TB) {
	t.Helper()
	Await(t, func() error {
		m, err := c.metadata(t.Context(), nil)
		if err != nil {
			return err
		}
		for _, topic := range m.Topics {
			for _, p := range topic.Partitions {
				if len(p.ISR) != len(p.Replicas) {
					return fmt.Errorf("%s-%d: replicas %v, in sync %v", *topic.Topic, p.Partition, p.Replicas, p.ISR)
				}
			}
		}
		return nil
	})
}

// AwaitNodes waits until the cluster knows which nodes run: a killed one stays in the metadata for some seconds.
func (c *Cluster) AwaitNodes(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.awaitNodes(ctx); err != nil {
		t.Fatal(err)
	}
}

// kill ends all at once.
func (c *Cluster) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		c.client.Close()
		c.client = nil
	}
	for _, n := range c.nodes {
		n.kill()
	}
}

// logs are the files that the cluster and the Java programs log to, by what they belong to.
func (c *Cluster) logs() map[string]string {
	logs := c.pool.logs()
	for _, n := range c.nodes {
		logs[fmt.Sprintf("node %d", n.id)] = n.log
	}
	return logs
}

// showLogs prints what is logged from now on, should the test fail.
func (c *Cluster) showLogs(t testing.TB) {
	from := map[string]int64{}
	for _, file := range c.logs() {
		if s, err := os.Stat(file); err == nil {
			from[file] = s.Size()
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.logTail(from))
		}
	})
}

// logTail is the last of what was logged after an offset of each file.
func (c *Cluster) logTail(from map[string]int64) string {
	const most = 6000
	var b strings.Builder
	logs := c.logs()
	for _, name := range slices.Sorted(maps.Keys(logs)) {
		log, err := os.ReadFile(logs[name])
		if err != nil {
			fmt.Fprintf(&b, "--- log of %s: %v\n", name, err)
			continue
		}
		log = log[min(from[logs[name]], int64(len(log))):]
		fmt.Fprintf(&b, "--- log of %s\n%s", name, log[max(0, len(log)-most):])
	}
	return b.String()
}
