package main

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"
)

// timeoutHeader is how Prometheus says, in seconds, when it gives a scrape up.
const timeoutHeader = "X-Prometheus-Scrape-Timeout-Seconds"

// defaultTimeout bounds the scrapes of clients that do not say when they give up. It is Prometheus' own default.
const defaultTimeout = 10 * time.Second

// longestTimeout is more than Prometheus' longest sensible interval; a header beyond it is taken for nonsense.
const longestTimeout = time.Hour

// withDeadline gives each request's context the time until the client gives up, less the offset.
func withDeadline(h http.Handler, offset time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), scrapeTimeout(r.Header.Get(timeoutHeader), offset))
		defer cancel()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// scrapeTimeout is how long a scrape may take. An offset that would leave less than half of the time takes only half:
// a short timeout must not mean no samples at all.
func scrapeTimeout(header string, offset time.Duration) time.Duration {
	timeout := defaultTimeout
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && seconds > 0 && seconds <= longestTimeout.Seconds() {
		timeout = time.Duration(math.Ceil(seconds * float64(time.Second)))
	}
	return max(timeout-offset, timeout/2)
}
