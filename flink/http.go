package flink

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	promconfig "github.com/prometheus/common/config"
)

// maxBody is the longest answer that is read: the ids of a vertex with 10,000 partitions are 3 MB.
const maxBody = 64 << 20

// startOfBody is how much of an answer is looked at to tell what it is, or what an error says.
const startOfBody = 16 << 10

// statusError is an answer with a status other than 200. Message is the server's own, where it is Flink's or a
// Prometheus server's; a proxy's page is not repeated, since nobody knows what it holds.
type statusError struct {
	Code    int
	Message string
	hint    string
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("answered %d %s", e.Code, http.StatusText(e.Code))
	if e.Message != "" {
		text += " (" + e.Message + ")"
	}
	if e.hint != "" {
		text += ": " + e.hint
	}
	return text
}

// answer is what a server is asked for.
type answer struct {
	accept string // media type
	from   string // who would answer so, for errors: "a JobManager's REST API"
}

// httpClient asks one kind of server, within a time and a size, and never follows a redirect: a login page is no
// answer, and credentials go to the host that was configured alone. It is safe for concurrent use.
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

// get returns the body of an answer with status 200 that is of the kind asked for. Errors name the URL as shownURL does.
func (c *httpClient) get(ctx context.Context, u *url.URL, want answer) ([]byte, error) {
	var body []byte
	err := c.stream(ctx, u, want, func(_ http.Header, in io.Reader) (err error) {
		body, err = io.ReadAll(io.LimitReader(in, maxBody+1))
		switch {
		case err != nil:
			return fmt.Errorf("the answer broke off after %d bytes: %w", len(body), err)
		case len(body) > maxBody:
			return fmt.Errorf("the answer is longer than %d MiB, %s is shorter", maxBody>>20, want.from)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return body, nil
}

// stream is get for an answer that may be too long to be held: read takes the body while it arrives, and bounds what it
// takes.
func (c *httpClient) stream(
	ctx context.Context, u *url.URL, want answer, read func(header http.Header, body io.Reader) error,
) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %s", c.timeout))
	defer cancel()
	err := c.fetch(ctx, u, want, read)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // whatever became of the connection, that is why
		}
		return fmt.Errorf("GET %s: %w", shownURL(u), err)
	}
	return nil
}

func (c *httpClient) fetch(
	ctx context.Context, u *url.URL, want answer, read func(header http.Header, body io.Reader) error,
) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return bare(err)
	}
	req.Header.Set("Accept", want.accept)
	c.requests.Add(1)
	resp, err := c.client.Do(req)
	if err != nil {
		return bare(err)
	}
	defer resp.Body.Close()
	body := bufio.NewReaderSize(resp.Body, startOfBody)
	start, err := body.Peek(startOfBody)
	if resp.StatusCode != http.StatusOK {
		return refusal(resp, start) // which says enough, also of a body that broke off
	}
	if len(start) == 0 && err != nil && !errors.Is(err, io.EOF) { // else read comes upon it
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if err := checkKind(resp.Header.Get("Content-Type"), start, want); err != nil {
		return err
	}
	return read(resp.Header, body)
}

// checkKind tells a page for people, which a proxy or a login answers with status 200, from what was asked for.
func checkKind(contentType string, body []byte, want answer) error {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = contentType // what a server says there is shown as it is, and nothing is not wrong yet
	}
	start := bytes.TrimSpace(body[:min(len(body), 512)])
	if kind != "text/html" && kind != "application/xhtml+xml" && !bytes.HasPrefix(start, []byte("<")) {
		return nil
	}
	if kind == "" {
		kind = "a page that begins with <"
	}
	return fmt.Errorf("answered %s where %s answers %s: is the URL its own, and not a proxy's or login's page?",
		kind, want.from, want.accept)
}

func refusal(resp *http.Response, body []byte) error {
	refused := &statusError{Code: resp.StatusCode}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		refused.hint = "redirects are not followed, configure the URL that answers by itself"
		if to, err := resp.Location(); err == nil {
			refused.hint = "it redirects to " + shownURL(to) + "; " + refused.hint
		}
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		refused.hint = "credentials are missing or not accepted"
	default:
		refused.Message = serverMessage(body)
	}
	return refused
}

// bare takes the URL, which may have user information, off an error of net/http.
func bare(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// parseURL takes the URL of a server. Credentials have settings of their own; an error does not show any that are in it.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		if _, after, ok := strings.Cut(raw, "@"); ok {
			raw = "...@" + after
		}
		return nil, fmt.Errorf("URL %q: %w", raw, bare(err))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("URL %q: want http://HOST:PORT or https://HOST:PORT, with a path where there is one", shownURL(u))
	case u.User != nil:
		return nil, fmt.Errorf("URL %q has user information: want none, credentials have settings of their own", shownURL(u))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("URL %q has a query or fragment: want none", shownURL(u))
	}
	return u, nil
}

// shownURL is a URL as logs and metrics may show it: without user information, query or fragment.
func shownURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	return shown.String()
}
