package consumer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"truelag/endpoint"
	"truelag/mysql"
)

// maxAnswer is the longest answer that is read whole. A GTID set of a thousand servers is 50 KB.
const maxAnswer = 8 << 20

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

// json returns the JSON that a server answers: to a GET, or to a question that is posted to it.
func (s httpSource) json(ctx context.Context, u *url.URL, question []byte) ([]byte, error) {
	q := endpoint.Question{URL: u, Accept: endpoint.JSON, Body: question, From: s.kind, Reason: reasonOf}
	began := time.Now()
	raw, err := q.Whole(ctx, s.client, maxAnswer)
	mysql.Sent(ctx, q.String(), began, errors.Unwrap(err)) // without the question
	return raw, err
}

// page hands a page of metrics to read while it arrives, which bounds what it takes.
func (s httpSource) page(ctx context.Context, u *url.URL, read func(io.Reader) error) error {
	q := endpoint.Question{URL: u, Accept: endpoint.Text, From: s.kind, Reason: reasonOf}
	began := time.Now()
	err := q.Stream(ctx, s.client, func(_ http.Header, body io.Reader) error { return read(body) })
	mysql.Sent(ctx, q.String(), began, errors.Unwrap(err))
	return err
}

// reasonOf is what Kafka Connect's REST API gives for a reason.
func reasonOf(body []byte) string {
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	return oneLine(said.Message)
}

// parseURLs wants one at least.
func parseURLs(raw []string) ([]*url.URL, error) {
	if len(raw) == 0 {
		return nil, errors.New("no URL")
	}
	urls := make([]*url.URL, 0, len(raw))
	for _, one := range raw {
		u, err := endpoint.ParseURL(one)
		if err != nil {
			return nil, err
		}
		urls = append(urls, u)
	}
	return urls, nil
}
