package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"truelag/lab/bench/fake"
)

const (
	identity = "identity"
	gzipped  = "gzip"
)

// One connection for each program under measurement, as Prometheus keeps it.
var client = &http.Client{
	Transport: &http.Transport{DisableCompression: true, ReadBufferSize: 64 << 10},
	Timeout:   2 * time.Minute,
}

func request(ctx context.Context, p *process, encoding string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
	req.Header.Set("Accept-Encoding", encoding)
	req.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", "60")
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("scrape %s: %w\n%s", p.name, err, p.log.tail())
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		return nil, fmt.Errorf("scrape %s: %s: %s", p.name, resp.Status, bytes.TrimSpace(text))
	}
	if got := resp.Header.Get("Content-Encoding"); (got == "gzip") != (encoding == gzipped) {
		resp.Body.Close()
		return nil, fmt.Errorf("scrape %s: asked for %s, got %q", p.name, encoding, got)
	}
	return resp, nil
}

// scrape takes a page, does nothing with it, and says how long that took.
func scrape(ctx context.Context, p *process, encoding string) (time.Duration, error) {
	start := time.Now()
	resp, err := request(ctx, p, encoding)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	for buf := make([]byte, 256<<10); err == nil; { // io.Copy to io.Discard reads 8 KiB at a time
		_, err = resp.Body.Read(buf)
	}
	if !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("scrape %s: %w", p.name, err)
	}
	return time.Since(start), nil
}

// contents is what one page says.
type contents struct {
	bytes, series int
	sums          fake.Truth
}

// inspect takes a page and reads it.
func inspect(ctx context.Context, p *process, encoding string) (contents, error) {
	var c contents
	resp, err := request(ctx, p, encoding)
	if err != nil {
		return c, err
	}
	defer resp.Body.Close()
	counted := &counter{Reader: resp.Body}
	body := io.Reader(counted)
	if encoding == gzipped {
		if body, err = gzip.NewReader(counted); err != nil {
			return c, fmt.Errorf("scrape %s: %w", p.name, err)
		}
	}
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 256<<10), 1<<20)
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		c.series++
		name := line[:max(0, bytes.IndexByte(line, '{'))]
		var sum *int64
		switch string(name) {
		case "truelag_group_lag_offsets":
			sum = &c.sums.Offsets
			c.sums.Commits++
		case "truelag_group_lag_records":
			sum = &c.sums.Records
		default:
			continue
		}
		v, err := strconv.ParseFloat(string(line[bytes.LastIndexByte(line, ' ')+1:]), 64)
		if err != nil {
			return c, fmt.Errorf("scrape %s: %q: %w", p.name, line, err)
		}
		*sum += int64(v)
	}
	c.bytes = counted.n
	return c, lines.Err()
}

type counter struct {
	io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}
