package endpoint_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"truelag/endpoint"
)

// transport is what a request comes upon.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// late is a context that ends a moment after its deadline, as on a busy machine.
type late struct {
	context.Context
	deadline time.Time
}

func (l late) Deadline() (time.Time, bool) { return l.deadline, true }

// Why there was no time left is told also where the connection noticed before the context did.
func TestTheEndOfTimeIsToldByTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, cancel := context.WithCancelCause(t.Context())
		ctx := late{inner, time.Now().Add(time.Minute)}
		client := &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
			<-time.After(time.Until(ctx.deadline))
			time.AfterFunc(time.Millisecond, func() { cancel(errors.New("no answer within 1m0s")) })
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
		})}
		q := endpoint.Question{URL: &url.URL{Scheme: "http", Host: "h"}, Accept: endpoint.JSON, From: "a test"}
		_, err := q.Whole(ctx, client, 1<<20)
		if err == nil || !strings.HasSuffix(err.Error(), ": no answer within 1m0s") {
			t.Errorf("got %v", err)
		}
	})
}
