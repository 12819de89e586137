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

// withDeadline gives each request's context the time until the client gives up, less the offset, and the client until
// then to read its answer: one that does not read must not hold a place among --web.max-requests. The server bounds those
// that do not say when they give up.
func withDeadline(h http.Handler, offset time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get(timeoutHeader)
		if timeout, ok := clientTimeout(header); ok {
			// What cannot set one, such as the recorder of a test, holds no connection either.
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout))
		}
		ctx, cancel := context.WithTimeout(r.Context(), scrapeTimeout(header, offset))
		defer cancel()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// clientTimeout is when a client gives up; false if it does not say so in a way that makes sense.
func clientTimeout(header string) (time.Duration, bool) {
	seconds, err := strconv.ParseFloat(header, 64)
	if err != nil || !(seconds > 0 && seconds <= longestTimeout.Seconds()) { // also when it is no number
		return 0, false
	}
	return time.Duration(math.Ceil(seconds * float64(time.Second))), true
}

// scrapeTimeout is how long a scrape may take. An offset that would leave less than half of the time takes only half:
// a short timeout must not mean no samples at all.
func scrapeTimeout(header string, offset time.Duration) time.Duration {
	timeout, ok := clientTimeout(header)
	if !ok {
		timeout = defaultTimeout
	}
	return max(timeout-offset, timeout/2)
}
