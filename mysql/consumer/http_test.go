package consumer_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"truelag/mysql/consumer"
)

// connectTo is a consumer by Connect's REST, which stands for all that ask over HTTP.
func connectTo(t *testing.T, handler http.HandlerFunc, client *http.Client) *consumer.Connect {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return ok[*consumer.Connect](t)(consumer.NewConnect(consumer.ConnectConfig{URL: s.URL, Connector: "c", Client: client}))
}

// A redirect is answered by a server that is not the one that was configured: it is not asked, and gets no credentials.
func TestRedirectsAreRefused(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	client, err := promconfig.NewClientFromConfig(promconfig.HTTPClientConfig{
		FollowRedirects: true, BasicAuth: &promconfig.BasicAuth{Username: "u", Password: "hunter2"},
	}, "test")
	if err != nil {
		t.Fatal(err)
	}
	c := connectTo(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "u" || password != "hunter2" {
			t.Errorf("user %q password %q", user, password)
		}
		http.Redirect(w, r, strings.Replace(other.URL, "://", "://u:hunter2@", 1)+"/login?token=hunter2", http.StatusFound)
	}, client)
	_, err = c.Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "answered 302 Found: it redirects to "+other.URL+"/login; redirects are not followed") ||
		strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	if asked {
		t.Error("the other server was asked")
	}
}

func TestAnswersOfAnyLength(t *testing.T) {
	c := connectTo(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		some := []byte(strings.Repeat(" ", 1<<20))
		for r.Context().Err() == nil {
			if _, err := w.Write(some); err != nil {
				return
			}
		}
	}, nil)
	_, err := c.Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the answer is longer than 8 MiB, a Kafka Connect worker's is shorter") {
		t.Error(err)
	}
}

func TestAnswersThatBreakOff(t *testing.T) {
	c := connectTo(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"offsets":[`))
	}, nil)
	_, err := c.Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the answer broke off after 12 bytes") {
		t.Error(err)
	}
}

func TestAnswersThatDoNotCome(t *testing.T) {
	over := make(chan struct{})
	c := connectTo(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}, nil)
	defer close(over)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := c.Read(ctx)
	if err == nil || !strings.Contains(err.Error(), "no whole answer in time: context deadline exceeded") {
		t.Error(err)
	}
}

func TestNobodyListens(t *testing.T) {
	const url = "http://127.0.0.1:1"
	c := ok[*consumer.Connect](t)(consumer.NewConnect(consumer.ConnectConfig{URL: url, Connector: "c"}))
	_, err := c.Read(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "GET "+url+"/connectors/c/offsets: dial tcp") {
		t.Error(err)
	}
}

// A name is one part of the path, whatever it has in it.
func TestConnectorInThePath(t *testing.T) {
	paths := make(chan string, 2) // offsets and state are asked for at the same time
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.EscapedPath()
		_, _ = w.Write([]byte(running))
	}))
	defer s.Close()
	c := ok[*consumer.Connect](t)(consumer.NewConnect(consumer.ConnectConfig{URL: s.URL + "/kc/", Connector: "a/../b c?"}))
	_, _ = c.Read(t.Context())
	asked := []string{<-paths, <-paths}
	slices.Sort(asked)
	const at = "/kc/connectors/a%2F..%2Fb%20c%3F"
	if want := []string{at + "/offsets", at + "/status"}; !slices.Equal(asked, want) {
		t.Errorf("asked %s, want %s", asked, want)
	}
}

func TestURLs(t *testing.T) {
	for url, want := range map[string]string{
		"":                            `URL "" has no scheme http or https: want http://HOST:PORT or https://HOST:PORT, with a path if there is one`,
		"localhost:8083":              `URL "localhost:8083" has no scheme http or https: want http://HOST:PORT or https://HOST:PORT, with a path if there is one`,
		"http://u:hunter2@h:8083/a":   `URL "http://h:8083/a" has a user in it: want http://HOST:PORT, user and password have settings of their own`,
		"http://u:hunter2@h:808x3/":   `URL "...@h:808x3/": invalid port ":808x3" after host: want http://HOST:PORT or https://HOST:PORT, with a path if there is one`,
		"ftp://u:hunter2@h/?hunter2":  `URL "ftp://h/" has no scheme http or https: want http://HOST:PORT or https://HOST:PORT, with a path if there is one`,
		"http://h/#token=hunter2":     `URL "http://h/" has a fragment (#): want http://HOST:PORT or https://HOST:PORT, with a path if there is one`,
		"http://h/?x=hunter2#hunter2": `URL "http://h/" has a fragment (#): want http://HOST:PORT or https://HOST:PORT, with a path if there is one`,
	} {
		for kind, err := range map[string]error{
			"connector c: ":              second(consumer.NewConnect(consumer.ConnectConfig{URL: url, Connector: "c"})),
			"page of the JMX exporter: ": second(consumer.NewDebeziumPage(consumer.DebeziumConfig{URLs: []string{url}})),
			"agent of Jolokia: ":         second(consumer.NewJolokia(consumer.DebeziumConfig{URLs: []string{url}})),
			"page of Flink's reporter: ": second(consumer.NewFlinkCDC(consumer.FlinkCDCConfig{URLs: []string{url}})),
		} {
			if err == nil || err.Error() != kind+want {
				t.Errorf("%s: got %v, want %s", url, err, kind+want)
			}
		}
	}
}

func second[C any](_ C, err error) error { return err }
