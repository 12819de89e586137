package endpoint_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"truelag/endpoint"
)

// What cannot be parsed may have a password anywhere before the last @, and a token in its query.
func TestUnparsableURLsShowNoSecret(t *testing.T) {
	for raw, want := range map[string]string{
		"http://u:hunter2@hunter2@h:x/a":   `URL "...@h:x/a"`,
		"http://u:hunter2/b@h:8083":        `URL "...@h:8083"`,
		"http://u:hunter2%zz@h":            `URL "...@h"`,
		"http://h:x/a?token=hunter2":       `URL "http://h:x/a": invalid port ":x" after host`,
		"http://h:x/a#hunter2":             `URL "http://h:x/a": invalid port ":x" after host`,
		"http://u:hunter2@h:x?a=b@hunter2": `URL "...`,
		"http://h/%zz":                     `URL "http://h/%zz": invalid URL escape "%zz"`,
	} {
		for kind, parse := range parsers {
			if err := parse(raw); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s %s: got %v, want %s", kind, raw, err, want)
			}
		}
	}
}

// Without // before it, a user is no user, and stands where a path or a scheme does.
func TestWrongURLsShowNoSecret(t *testing.T) {
	for raw, want := range map[string]string{
		"me:hunter2@h:8083":            `URL "...@h:8083" has no scheme http or https`,
		"http:me:hunter2@h:8083":       `URL "...@h:8083" has no host`,
		"http:/me:hunter2@h:8083":      `URL "...@h:8083" has no host`,
		"//me:hunter2@h:8083/a":        `URL "//h:8083/a" has no scheme http or https`,
		"http://me:hunter2@h:8083/a":   `URL "http://h:8083/a" has a user in it`,
		"http://h:99999/a?t=hunter2":   `URL "http://h:99999/a" has a port that is not one`,
		"http://h:0/a#hunter2":         `URL "http://h:0/a" has a port that is not one`,
		"http://h/a?t=hunter2#hunter2": `URL "http://h/a" has a fragment (#)`,
		"http://:8083":                 `URL "http://:8083" has no host`,
	} {
		for kind, parse := range parsers {
			err := parse(raw)
			if wrong, ok := errors.AsType[*endpoint.URLError](err); !ok || wrong.What != want || strings.Contains(err.Error(), "hunter2") ||
				wrong.User != strings.Contains(want, "a user") {
				t.Errorf("%s %s: got %v, want %s", kind, raw, err, want)
			}
		}
	}
	for _, raw := range []string{"http://h/a?t=hunter2", "http://h?"} {
		if err := parsers["page"](raw); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if err := parsers["base"](raw); err == nil || !strings.Contains(err.Error(), "has a query (?)") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

var parsers = map[string]func(string) error{
	"page": func(raw string) error { _, err := endpoint.ParseURL(raw); return err },
	"base": func(raw string) error { _, err := endpoint.ParseBase(raw); return err },
}

// Whatever listens, what is told of it fits a line.
func TestErrorsAreBrief(t *testing.T) {
	long := strings.Repeat("a", 200_000)
	for name, answer := range map[string]string{
		"no HTTP":      long + "\r\n\r\n",
		"a redirect":   "HTTP/1.1 302 Found\r\nLocation: /" + long + "\r\nContent-Length: 0\r\n\r\n",
		"a header":     "HTTP/1.1 200 OK\r\n" + long + "\r\n\r\n",
		"its encoding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + long + "\r\n\r\n",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			_, _ = c.Read(make([]byte, 4096))
			_, _ = c.Write([]byte(answer))
		}()
		u, err := endpoint.ParseBase("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{
			Transport:     &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		q := endpoint.Question{URL: u, Accept: endpoint.JSON, From: "a test"}
		_, err = q.Whole(context.Background(), client, 1<<20)
		if err == nil || len(err.Error()) > 1000 || !strings.HasPrefix(err.Error(), "GET "+u.String()+": ") {
			t.Errorf("%s: %.300v", name, err)
		}
		l.Close()
	}
}
