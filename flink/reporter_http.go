package flink

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// stream hands the body of an answer with status 200, of the kind asked for, to read while it arrives: a page may be too
// long to be held. It is get otherwise, and read bounds what it takes.
func (c *httpClient) stream(
	ctx context.Context, u *url.URL, want answer, read func(header http.Header, body io.Reader) error,
) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %s", c.timeout))
	defer cancel()
	err := c.streamBody(ctx, u, want, read)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("GET %s: %w", shownURL(u), err)
	}
	return nil
}

func (c *httpClient) streamBody(
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
	body := bufio.NewReader(resp.Body)
	if resp.StatusCode != http.StatusOK {
		start, err := io.ReadAll(io.LimitReader(body, 64<<10))
		if err != nil {
			start = nil // the status says enough
		}
		return refusal(resp, start)
	}
	start, err := body.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := checkKind(resp.Header.Get("Content-Type"), start, want); err != nil {
		return err
	}
	return read(resp.Header, body)
}
