package consumer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

const (
	// maxAnswer is the longest answer that is read whole. A GTID set of a thousand servers is 50 KB.
	maxAnswer = 8 << 20

	// startOfBody is how much of an answer is looked at to tell what it is.
	startOfBody = 4 << 10

	jsonType = "application/json"
	textType = "text/plain;version=0.0.4"
)

// statusError is an answer with a status other than 200. Message is the server's own, where it is one of those that are
// asked here; a proxy's page is not repeated, since nobody knows what it holds.
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

// httpSource asks servers of one kind over a client that knows their certificates and credentials. It follows no redirect: a
// login page is no answer, and credentials go to the host that was configured alone.
type httpSource struct {
	client *http.Client
	kind   string // who would answer, for errors: "a Kafka Connect worker"
}

// newHTTPSource takes a client that is the consumer's own; nil is one without credentials.
func newHTTPSource(client *http.Client, kind string) httpSource {
	own := *cmp.Or(client, &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()})
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return httpSource{client: &own, kind: kind}
}

// Close ends the connections that are idle.
func (s httpSource) Close() { s.client.CloseIdleConnections() }

// get returns the body of an answer with status 200 that may be what accept asks for. Errors name the URL without what may be
// secret in it.
func (s httpSource) get(ctx context.Context, u *url.URL, accept string) ([]byte, error) {
	return s.whole(ctx, http.MethodGet, u, nil, accept)
}

// post is get for a question that has a body.
func (s httpSource) post(ctx context.Context, u *url.URL, question []byte) ([]byte, error) {
	return s.whole(ctx, http.MethodPost, u, question, jsonType)
}

func (s httpSource) whole(ctx context.Context, method string, u *url.URL, question []byte, accept string) (body []byte, err error) {
	err = s.stream(ctx, method, u, question, accept, func(in io.Reader) error {
		body, err = io.ReadAll(io.LimitReader(in, maxAnswer+1))
		switch {
		case err != nil:
			return fmt.Errorf("the answer broke off after %d bytes: %w", len(body), err)
		case len(body) > maxAnswer:
			return fmt.Errorf("the answer is longer than %d MiB, %s's is shorter", maxAnswer>>20, s.kind)
		}
		return nil
	})
	return body, err
}

// stream hands the body to read while it arrives, which bounds what it takes.
func (s httpSource) stream(
	ctx context.Context, method string, u *url.URL, question []byte, accept string, read func(io.Reader) error,
) error {
	err := s.ask(ctx, method, u, question, accept, read)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx) // whatever became of the connection, that is why
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no whole answer in time: %w", err)
	}
	return fmt.Errorf("%s %s: %w", method, shownURL(u), err)
}

func (s httpSource) ask(
	ctx context.Context, method string, u *url.URL, question []byte, accept string, read func(io.Reader) error,
) error {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(question))
	if err != nil {
		return bare(err)
	}
	req.Header.Set("Accept", accept)
	if question != nil {
		req.Header.Set("Content-Type", jsonType)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return bare(err)
	}
	defer resp.Body.Close()
	body := bufio.NewReaderSize(resp.Body, startOfBody)
	start, err := body.Peek(startOfBody)
	if resp.StatusCode != http.StatusOK {
		return refusal(resp, start) // which says enough, also of a body that broke off
	}
	if len(start) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if kind, ok := pageForPeople(resp.Header.Get("Content-Type"), start); ok {
		return fmt.Errorf("answered %s where %s answers %s: is the URL its own, and not a proxy's or login's page?",
			kind, s.kind, accept)
	}
	return read(body)
}

// pageForPeople tells a page that a proxy or a login answers with status 200.
func pageForPeople(contentType string, start []byte) (string, bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = ""
	}
	if kind == "text/html" || kind == "application/xhtml+xml" {
		return kind, true
	}
	return "a page that begins with <", bytes.HasPrefix(bytes.TrimSpace(start), []byte("<"))
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
		var said struct { // of Kafka Connect's REST API
			Message string `json:"message"`
		}
		if json.Unmarshal(body, &said) == nil {
			refused.Message = oneLine(said.Message)
		}
	}
	return refused
}

// bare takes the URL, which may have user information, off an error of net/http.
func bare(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// parseURL takes the URL of a server. Credentials are the client's; an error does not show any that are in it.
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
	case u.Fragment != "":
		return nil, fmt.Errorf("URL %q has a fragment: want none", shownURL(u))
	}
	return u, nil
}

// parseURLs wants one at least.
func parseURLs(raw []string) ([]*url.URL, error) {
	if len(raw) == 0 {
		return nil, errors.New("no URL")
	}
	urls := make([]*url.URL, 0, len(raw))
	for _, one := range raw {
		u, err := parseURL(one)
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	return urls, nil
}

// shownURL is a URL as logs and metrics may show it: without user information, query or fragment.
func shownURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	return shown.String()
}
