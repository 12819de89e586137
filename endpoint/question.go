// Package endpoint asks a server over HTTP for what it alone answers: within a size, without following redirects, and with
// errors that name the URL without what may be secret in it. A page for people, which a proxy or a login answers with status
// 200, is told from what was asked for.
package endpoint

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
	"time"
)

// startOfBody is how much of an answer is looked at to tell what it is, or what an error says.
const startOfBody = 16 << 10

// The media types that are asked for.
const (
	JSON = "application/json"
	Text = "text/plain;version=0.0.4" // of Prometheus
)

// Question is what a server is asked.
type Question struct {
	URL    *url.URL
	Accept string // the media type of the answer
	Body   []byte // JSON that is posted; nil: the question is a GET
	From   string // who would answer, for errors: "a JobManager's REST API"

	// Reason is what the server itself says in the body of an answer with another status than 200; empty: nothing that is
	// the server's. A proxy's page is not repeated, since nobody knows what it holds. nil: no server says any.
	Reason func(start []byte) string
}

func (q *Question) method() string {
	if q.Body != nil {
		return http.MethodPost
	}
	return http.MethodGet
}

// String is the question's method and URL, as logs may show them.
func (q *Question) String() string { return q.method() + " " + Shown(q.URL) }

// Errorf is an error about an answer, which it wraps, with the question before it.
func (q *Question) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", q, fmt.Errorf(format, args...))
}

// Whole returns the body of an answer with status 200, which is no longer than most. Errors are Stream's.
func (q *Question) Whole(ctx context.Context, client *http.Client, most int64) (body []byte, err error) {
	err = q.Stream(ctx, client, func(_ http.Header, in io.Reader) (err error) {
		body, err = io.ReadAll(io.LimitReader(in, most+1))
		switch {
		case err != nil:
			return fmt.Errorf("the answer broke off after %d bytes: %w", len(body), err)
		case int64(len(body)) > most:
			return fmt.Errorf("the answer is longer than %d MiB, %s's is shorter", most>>20, q.From)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return body, nil
}

// Stream hands the body of an answer with status 200 to read while it arrives, which bounds what it takes. The client must
// follow no redirects: credentials go to the host that was configured alone. Another status is a *StatusError; where the
// context has ended, its cause is the reason.
func (q *Question) Stream(ctx context.Context, client *http.Client, read func(header http.Header, body io.Reader) error) error {
	err := q.ask(ctx, client, read)
	if err == nil {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done() // whoever connects looks at the clock as well, and may see the end of the time first
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx) // whatever became of the connection, that is why
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no whole answer in time: %w", err)
	}
	return q.Errorf("%w", err)
}

func (q *Question) ask(ctx context.Context, client *http.Client, read func(header http.Header, body io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, q.method(), q.URL.String(), bytes.NewReader(q.Body))
	if err != nil {
		return Bare(err)
	}
	req.Header.Set("Accept", q.Accept)
	if q.Body != nil {
		req.Header.Set("Content-Type", JSON)
	}
	resp, err := client.Do(req)
	if err != nil {
		return brief(Bare(err))
	}
	defer resp.Body.Close()
	body := bufio.NewReaderSize(resp.Body, startOfBody)
	start, err := body.Peek(startOfBody)
	if resp.StatusCode != http.StatusOK {
		return q.refusal(resp, start) // which says enough, also of a body that broke off
	}
	if len(start) == 0 && err != nil && !errors.Is(err, io.EOF) { // else read comes upon it
		return fmt.Errorf("the answer broke off: %w", err)
	}
	if kind, ok := pageForPeople(resp.Header.Get("Content-Type"), start); ok {
		return fmt.Errorf("answered %s where %s answers %s: is the URL its own, and not a proxy's or login's page?",
			kind, q.From, q.Accept)
	}
	return read(resp.Header, body)
}

// pageForPeople tells a page that a proxy or a login answers with status 200.
func pageForPeople(contentType string, start []byte) (kind string, ok bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err == nil && (kind == "text/html" || kind == "application/xhtml+xml") {
		return kind, true
	}
	return "a page that begins with <", bytes.HasPrefix(bytes.TrimSpace(start[:min(len(start), 512)]), []byte("<"))
}
