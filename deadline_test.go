package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestScrapeTimeout(t *testing.T) {
	tests := []struct {
		header string
		offset time.Duration
		want   time.Duration
	}{
		{"15", 500 * time.Millisecond, 14500 * time.Millisecond},
		{"2.5", 500 * time.Millisecond, 2 * time.Second},
		{"1e1", 0, 10 * time.Second},
		{"0.3", 500 * time.Millisecond, 150 * time.Millisecond},
		{"3600", 0, time.Hour},
		// Nonsense is as good as no header.
		{"", 500 * time.Millisecond, 9500 * time.Millisecond},
		{"0", 0, defaultTimeout},
		{"-3", 0, defaultTimeout},
		{"NaN", 0, defaultTimeout},
		{"+Inf", 0, defaultTimeout},
		{"1e300", 0, defaultTimeout},
		{"3601", 0, defaultTimeout},
		{"10s", 0, defaultTimeout},
		{"ten", 0, defaultTimeout},
		{" 10", 0, defaultTimeout},
	}
	for _, tt := range tests {
		if got := scrapeTimeout(tt.header, tt.offset); got != tt.want {
			t.Errorf("header %q, offset %s: %s, want %s", tt.header, tt.offset, got, tt.want)
		}
	}
}

func TestDeadlineReachesTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		h := withDeadline(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}), time.Second)
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Header.Set(timeoutHeader, "5")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if got := time.Since(start); got != 4*time.Second {
			t.Errorf("the handler's context ended after %s, want 4s", got)
		}
	})
}

// A client that does not read its answer gets no more time than it has asked for.
func TestDeadlineOfAClientThatDoesNotRead(t *testing.T) {
	failed := make(chan error, 1)
	server := httptest.NewServer(withDeadline(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 1<<20)
		for {
			if _, err := w.Write(block); err != nil {
				failed <- err
				return
			}
		}
	}), 0))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\n%s: 0.2\r\n\r\n", timeoutHeader); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the answer ended with %v, want the end of its time", err)
		}
	case <-time.After(patience):
		t.Fatal("the answer still waits for its reader")
	}
}
