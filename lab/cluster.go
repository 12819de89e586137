package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
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

// boot starts all nodes and waits until each has joined.
func (c *Cluster) boot(ctx context.Context) error {
	for _, n := range c.nodes {
		if err := n.start(true); err != nil {
			return err
		}
	}
	return c.awaitNodes(ctx)
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

// metadataOf asks one node for a topic, all of whose partitions must have leaders.
func (c *Cluster) metadataOf(ctx context.Context, n *node, topic string) (none kmsg.MetadataResponseTopic, err error) {
	cl, err := c.superUser()
	if err != nil {
		return none, err
	}
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = append(req.Topics, kmsg.MetadataRequestTopic{Topic: &topic})
	answer, err := cl.Broker(int(n.id)).RetriableRequest(ctx, req)
	if err != nil {
		return none, err
	}
	m := answer.(*kmsg.MetadataResponse).Topics[0]
	err = kerr.ErrorForCode(m.ErrorCode)
	for _, p := range m.Partitions {
		err = cmp.Or(err, kerr.ErrorForCode(p.ErrorCode))
	}
	if err != nil {
		return none, fmt.Errorf("node %d, topic %s: %w", n.id, topic, err)
	}
	return m, nil
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

// errHopeless ends a wait early.
var errHopeless = errors.New("hopeless")

// await tries until it gets nil. When the context ends first, it returns what was wrong last. It rests for as long as a try takes: many
// who wait must not keep a slow machine from what they wait for.
func await(ctx context.Context, try func() error) error {
	for {
		began := time.Now()
		err := try()
		if err == nil || errors.Is(err, errHopeless) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, waiting: %w", ctx.Err(), err)
		case <-time.After(max(50*time.Millisecond, time.Since(began))):
		}
	}
}

// Await tries until it gets nil, and ends the test when that takes too long.
func Await(t testing.TB, try func() error) {
	t.Helper()
	AwaitWithin(t, patience, try)
}

// AwaitWithin is Await for what takes longer than a second or so.
func AwaitWithin(t testing.TB, limit time.Duration, try func() error) {
	t.Helper()
	within(t, limit, func(ctx context.Context) error { return await(ctx, try) })
}

// within does what must succeed within a limit, and ends the test where it does not.
func within(t testing.TB, limit time.Duration, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := do(ctx); err != nil {
		t.Fatal(err)
	}
}
