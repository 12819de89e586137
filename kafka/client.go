package kafka

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// What holds where the configuration is silent.
const (
	DefaultClientID = "truelag_exporter"

	// DefaultDialTimeout leaves time for a second broker, and a third, when the first one swallows packets and a scrape
	// has 10 seconds.
	DefaultDialTimeout = 3 * time.Second
)

// ClientConfig is how to reach a cluster.
type ClientConfig struct {
	Seeds       []string      // host:port of the brokers to ask first; without a port 9092
	ClientID    string        // the client.id that brokers log, and count quotas by; empty: DefaultClientID
	DialTimeout time.Duration // for one TCP connection and its TLS handshake; 0: DefaultDialTimeout
	TLS         *TLSConfig    // nil: plain text
	SASL        SASL          // nil: none
}

// Validate says what is wrong with the configuration as far as that can be known without connecting: what is missing, and
// which files cannot be read or do not hold what they should.
func (c ClientConfig) Validate() error {
	opts, err := c.options(newBooks(), log.NewNopLogger())
	if err != nil {
		return err
	}
	return kgo.ValidateOpts(opts...)
}

// Open makes a client for who reads something else of the cluster than groups. It connects to nothing yet.
func (c ClientConfig) Open(logger log.Logger) (*kgo.Client, error) {
	opts, err := c.options(newBooks(), logger)
	if err != nil {
		return nil, err
	}
	return kgo.NewClient(opts...)
}

// options are those of a client that lives as long as the process and works in bursts, one for each scrape, under a
// deadline that its callers set. Options appended to them win.
func (c ClientConfig) options(books *books, logger log.Logger) ([]kgo.Opt, error) {
	dial, err := c.dialer(books, logger)
	if err != nil {
		return nil, err
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.Seeds...),
		kgo.ClientID(cmp.Or(c.ClientID, DefaultClientID)),
		kgo.Dialer(dial),
		kgo.WithLogger(clientLogger{logger}),
		kgo.DisableClientMetrics(),

		// A connection outlives the pause between two scrapes, but not the 350 seconds after which some load balancers
		// drop an idle one without a word. Brokers wait for 10 minutes.
		kgo.ConnIdleTimeout(5 * time.Minute),

		// Each scrape asks for the metadata itself, and the sharding of its other requests goes by that answer. The
		// client's own clock adds nothing; an hour is the longest that it takes.
		kgo.MetadataMaxAge(time.Hour),
		kgo.MetadataMinAge(30 * time.Second),

		// A broken idle connection, a moved coordinator or leader and a dead seed are worth a quick second try. What
		// takes longer is for the next scrape to find mended.
		kgo.RequestRetries(3),
		kgo.RetryBackoffFn(func(tries int) time.Duration { return time.Duration(tries) * 50 * time.Millisecond }),
		kgo.RetryTimeoutFn(retryTimeout),
	}
	if c.SASL != nil {
		mechanism, err := c.SASL.mechanism()
		if err != nil {
			return nil, fmt.Errorf("SASL: %w", err)
		}
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, nil
}

// retryTimeout keeps a broker that swallows packets from being dialled again and again within one scrape. Requests that
// any broker answers go on to the next broker instead, until the caller's deadline.
func retryTimeout(key int16) time.Duration {
	switch key {
	case kmsg.Metadata.Int16(), kmsg.FindCoordinator.Int16():
		return 0 // none
	}
	return 2 * time.Second
}
