package kafka

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-kit/log"
	"golang.org/x/oauth2"
)

func TestOAuthTokenIsReadForEachConnection(t *testing.T) {
	var conns breakable
	got := make(chan string, 100)
	cluster := saslCluster(t, &conns, func(mechanism string, first []byte) error {
		got <- mechanism + " " + strings.ReplaceAll(string(first), "\x01", "|")
		return nil
	})
	var token rotating
	token.Store("one")
	cl := newTestClient(t, ClientConfig{
		Seeds: cluster.ListenAddrs(),
		SASL:  OAuthToken{Token: token.read, Extensions: map[string]string{"logicalCluster": "lkc-1"}},
	}, log.NewNopLogger())
	for _, want := range []string{"one", "two"} {
		token.Store(want)
		conns.breakAll()
		must(t, ping(t, cl))
		if s := <-got; s != "OAUTHBEARER n,,|auth=Bearer "+want+"|logicalCluster=lkc-1||" {
			t.Fatalf("the broker was sent %q", s)
		}
		for len(got) > 0 {
			<-got
		}
	}
}

// endpoint is a token endpoint whose answer a test sets. It counts what it is asked.
type endpoint struct {
	*httptest.Server
	asked  atomic.Int64
	answer atomic.Value // func(http.ResponseWriter, *http.Request)
}

func newEndpoint(t *testing.T) *endpoint {
	e := new(endpoint)
	e.answerWith(200, `{"access_token":"tok-1","token_type":"bearer","expires_in":3600}`)
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		e.answer.Load().(func(http.ResponseWriter, *http.Request))(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) answerWith(status int, body string) {
	e.answer.Store(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
}

func TestOAuthClient(t *testing.T) {
	e := newEndpoint(t)
	var conns breakable
	got := make(chan string, 100)
	var refuse atomic.Bool
	cluster := saslCluster(t, &conns, func(_ string, first []byte) error {
		token := strings.TrimRight(strings.TrimPrefix(string(first), "n,,\x01auth=Bearer "), "\x01")
		got <- token
		if refuse.Swap(false) {
			return errors.New(`{"status":"invalid_token"}`)
		}
		return nil
	})
	var clientSecret rotating
	clientSecret.Store("hunter2 &=%")
	var form, user, password string
	e.answer.Store(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		must(t, r.ParseForm())
		form = r.PostForm.Encode()
		fmt.Fprint(w, `{"access_token":"tok-1","expires_in":3600}`)
	})
	cl := newTestClient(t, ClientConfig{
		Seeds: cluster.ListenAddrs(),
		SASL: OAuthClient{
			TokenURL: e.URL, ID: secret("exporter"), ClientSecret: clientSecret.read,
			Scopes: []string{"a", "b"}, Params: map[string]Secret{"audience": secret("kafka")},
		},
	}, log.NewNopLogger())
	must(t, ping(t, cl))
	if form != "audience=kafka&grant_type=client_credentials&scope=a+b" || user != "exporter" || password != "hunter2+%26%3D%25" {
		t.Errorf("the endpoint was asked %q by %s, %s", form, user, password)
	}

	// One token serves further connections.
	conns.breakAll()
	must(t, ping(t, cl))
	if n := e.asked.Load(); n != 1 {
		t.Errorf("asked for %d tokens for two connections, want 1", n)
	}

	// A refused token is not offered again.
	e.answerWith(200, `{"access_token":"tok-2","expires_in":3600}`)
	refuse.Store(true)
	conns.breakAll()
	if err := ping(t, cl); err == nil {
		t.Fatal("a refused token was no error")
	}
	for len(got) > 0 {
		<-got
	}
	must(t, ping(t, cl))
	if s := <-got; s != "tok-2" {
		t.Errorf("the broker was offered %q after it had refused tok-1, want tok-2", s)
	}
}

func TestOAuthEndpointFaults(t *testing.T) {
	e := newEndpoint(t)
	cluster := saslCluster(t, new(breakable), func(_ string, first []byte) error {
		t.Errorf("authenticated with %q", first)
		return nil
	})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect was followed")
	}))
	defer other.Close()
	closed := "http://" + refusingAddr(t)
	for name, c := range map[string]struct {
		url    string
		answer func(w http.ResponseWriter, r *http.Request)
		want   string
	}{
		"500": {e.URL, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "hunter2\nhunter2", 500)
		}, "500 Internal Server Error"},
		"401": {e.URL, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error":"invalid_client","error_description":"hunter2 is wrong"}`)
		}, "401 Unauthorized: invalid_client"},
		"secret as error": {e.URL, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error":"hunter2"}`)
		}, "400 Bad Request"},
		"empty token": {e.URL, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"access_token":""}`)
		}, "missing access_token"},
		"no JSON":  {e.URL, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hunter2") }, "cannot parse"},
		"redirect": {e.URL, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, 307) }, "307"},
		"closed":   {closed, nil, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.answer != nil {
				e.answer.Store(c.answer)
			}
			cl := newTestClient(t, ClientConfig{
				Seeds: cluster.ListenAddrs(),
				SASL:  OAuthClient{TokenURL: c.url, ID: secret("exporter"), ClientSecret: secret("hunter2")},
			}, log.NewNopLogger())
			err := ping(t, cl)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.url) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error shows a secret, or has two lines: %q", err)
			}
		})
	}
}

func TestOAuthEndpointWithOwnAuthority(t *testing.T) {
	e := newEndpoint(t)
	secure := httptest.NewUnstartedServer(e.Config.Handler)
	secure.Config.ErrorLog = stdlog.New(io.Discard, "", 0) // of the connection that fails
	secure.StartTLS()
	defer secure.Close()
	caFile := filepath.Join(t.TempDir(), "ca.pem")
	write(t, caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	cluster := saslCluster(t, new(breakable), func(string, []byte) error { return nil })
	for ca, want := range map[string]string{caFile: "", "": "unknown authority"} {
		cl := newTestClient(t, ClientConfig{
			Seeds: cluster.ListenAddrs(),
			SASL:  OAuthClient{TokenURL: secure.URL, ID: secret("exporter"), ClientSecret: secret("s"), CAFile: ca},
		}, log.NewNopLogger())
		if err := ping(t, cl); (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("CA file %q: got %v, want %q", ca, err, want)
		}
	}
}

func TestTokenCache(t *testing.T) {
	now := time.Unix(1000, 0)
	var asked int
	var life time.Duration // 0: the endpoint does not tell
	var down error
	c := &tokenCache{
		now: func() time.Time { return now },
		fetch: func(context.Context) (*oauth2.Token, error) {
			asked++
			if down != nil {
				return nil, down
			}
			token := &oauth2.Token{AccessToken: fmt.Sprint("tok-", asked)}
			if life > 0 {
				token.Expiry = now.Add(life)
			}
			return token, nil
		},
	}
	for i, step := range []struct {
		pass time.Duration
		life time.Duration
		down error
		want string // empty: an error
	}{
		{0, time.Hour, nil, "tok-1"},
		{58*time.Minute + 59*time.Second, time.Hour, nil, "tok-1"},
		{time.Second, 2 * time.Second, nil, "tok-2"}, // a minute before its end
		{1500 * time.Millisecond, 2 * time.Second, nil, "tok-2"},
		{100 * time.Millisecond, 0, nil, "tok-3"}, // a fifth of a short life before its end
		{0, 0, nil, "tok-4"},                      // without a known end: once
		{0, 0, errors.New("500"), ""},
		{0, time.Hour, nil, "tok-6"},
		{30 * time.Minute, 0, errors.New("500"), "tok-6"}, // nobody is asked
		{time.Hour, 0, errors.New("500"), ""},             // never an old one
	} {
		now, life, down = now.Add(step.pass), step.life, step.down
		got, err := c.token(t.Context())
		if got != step.want || (err == nil) != (step.want != "") {
			t.Fatalf("step %d: got %q, %v, want %q", i, got, err, step.want)
		}
	}
}

func TestTokenCacheAsksOnce(t *testing.T) {
	release := make(chan struct{})
	var asked atomic.Int64
	c := &tokenCache{now: time.Now, fetch: func(context.Context) (*oauth2.Token, error) {
		asked.Add(1)
		<-release
		return &oauth2.Token{AccessToken: "tok", Expiry: time.Now().Add(time.Hour)}, nil
	}}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if got, err := c.token(t.Context()); got != "tok" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	close(release)
	wg.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("20 connections asked for %d tokens, want 1", n)
	}
}
