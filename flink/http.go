package flink

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	promconfig "github.com/prometheus/common/config"

	"truelag/endpoint"
	"truelag/guard"
)

// maxBody is the longest answer that is read: the ids of a vertex with 10,000 partitions are 3 MB.
const maxBody = 64 << 20

// answer is what a server is asked for.
type answer struct {
	accept string // media type
	from   string // who would answer so, for errors: "a JobManager's REST API"
}

// httpClient asks one kind of server, within a time, and counts how often. It is safe for concurrent use.
type httpClient struct {
	client   *http.Client
	timeout  time.Duration
	requests atomic.Int64
}

// newHTTPClient makes a client that reads certificates, keys, passwords and tokens from their files again when they
// change. An error says which setting is wrong.
func newHTTPClient(
	cfg promconfig.HTTPClientConfig, timeout time.Duration, options ...promconfig.HTTPClientOption,
) (*httpClient, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.FollowRedirects = false
	client, err := promconfig.NewClientFromConfig(cfg, "flink", options...)
	if err != nil {
		return nil, err
	}
	return &httpClient{client: client, timeout: timeout}, nil
}

// close ends the connections that are idle. Those in use end with their request's context.
func (c *httpClient) close() { c.client.CloseIdleConnections() }

// get returns the body of an answer with status 200 that is of the kind asked for. Errors name the URL as endpoint.Shown does.
func (c *httpClient) get(ctx context.Context, u *url.URL, want answer) (body []byte, err error) {
	err = c.ask(ctx, func(ctx context.Context) error {
		body, err = want.question(u).Whole(ctx, c.client, maxBody)
		return err
	})
	return body, err
}

// stream is get for an answer that may be too long to be held: read takes the body while it arrives, and bounds what it
// takes.
func (c *httpClient) stream(ctx context.Context, u *url.URL, want answer, read func(http.Header, io.Reader) error) error {
	return c.ask(ctx, func(ctx context.Context) error { return want.question(u).Stream(ctx, c.client, read) })
}

func (c *httpClient) ask(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %s", c.timeout))
	defer cancel()
	c.requests.Add(1)
	return guard.Do(func() error { return do(ctx) }) // it also reads what was answered
}

func (a answer) question(u *url.URL) *endpoint.Question {
	return &endpoint.Question{URL: u, Accept: a.accept, From: a.from, Reason: serverMessage}
}
