package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
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

// boot starts all nodes and waits until each has joined, and answers for groups and transactions.
func (c *Cluster) boot(ctx context.Context) error {
	for _, n := range c.nodes {
		if err := n.start(true); err != nil {
			return err
		}
	}
	if err := c.awaitNodes(ctx); err != nil {
		return err
	}
	return c.awaitCoordinators(ctx)
}

// awaitCoordinators has the topics made in which groups and transactional ids are filed, and waits until all partitions of both are loaded:
// while one still is, its node lists nothing at all, not even what a test has made in another one.
func (c *Cluster) awaitCoordinators(ctx context.Context) error {
	cl, err := c.superUser()
	if err != nil {
		return err
	}
	adm := kadm.NewClient(cl)
	return await(ctx, func() error {
		for _, name := range []string{"a", "b", "c", "d"} { // one for each of the four partitions
			if _, err := adm.FetchOffsets(ctx, name); err != nil {
				return fmt.Errorf("the commits of a group %s: %w", name, err)
			}
			if c.Options.zookeeper() { // before 3.0 transactions are not told
				continue
			}
			told, err := adm.DescribeTransactions(ctx, name)
			if err = cmp.Or(err, told[name].Err); !errors.Is(err, kerr.TransactionalIDNotFound) {
				return fmt.Errorf("a transactional id %s that nobody has: %w", name, cmp.Or(err, errors.New("it is there")))
			}
		}
		return nil
	})
}

// ask asks one node.
func (c *Cluster) ask(ctx context.Context, n *node, req kmsg.Request) (kmsg.Response, error) {
	cl, err := c.superUser()
	if err != nil {
		return nil, err
	}
	answer, err := cl.Broker(int(n.id)).RetriableRequest(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("node %d: %w", n.id, err)
	}
	return answer, nil
}

// about is a question for topics; nil: all. The answers of kadm come from a cache.
func about(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	if topics != nil {
		req.Topics = []kmsg.MetadataRequestTopic{}
	}
	for _, name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
	}
	return req
}

// metadata asks any node for topics.
func (c *Cluster) metadata(ctx context.Context, topics []string) (*kmsg.MetadataResponse, error) {
	cl, err := c.superUser()
	if err != nil {
		return nil, err
	}
	return about(topics).RequestWith(ctx, cl)
}

// metadataOfAll asks each node that runs for topics, all of whose partitions must have leaders. Each has a view of its own, and one that
// hung, or has just begun, tells for a while what was.
func (c *Cluster) metadataOfAll(ctx context.Context, topics []string) (views map[int32]*kmsg.MetadataResponse, err error) {
	if _, err := c.metadata(ctx, []string{}); err != nil { // so that the client knows the nodes
		return nil, err
	}
	views = map[int32]*kmsg.MetadataResponse{}
	for _, n := range c.nodes {
		if !n.running() {
			continue
		}
		answer, err := c.ask(ctx, n, about(topics))
		if err != nil {
			return nil, err
		}
		view := answer.(*kmsg.MetadataResponse)
		for _, t := range view.Topics {
			err = kerr.ErrorForCode(t.ErrorCode)
			for _, p := range t.Partitions {
				err = cmp.Or(err, kerr.ErrorForCode(p.ErrorCode))
			}
			if err != nil {
				return nil, fmt.Errorf("node %d, topic %s: %w", n.id, *t.Topic, err)
			}
		}
		views[n.id] = view
	}
	return views, nil
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
