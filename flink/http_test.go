package flink

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"truelag/endpoint"
)

const secret = "hunter2"

var restAnswer = answer{accept: endpoint.JSON, from: "a JobManager's REST API"}

// getFrom asks a server that answers by handle, with a user, a password and a query.
func getFrom(t *testing.T, timeout time.Duration, handle http.HandlerFunc) ([]byte, error) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	cfg := promconfig.HTTPClientConfig{BasicAuth: &promconfig.BasicAuth{Username: "admin", Password: secret}}
	client, u := clientOf(t, cfg, timeout, server.URL+"/flink/jobs")
	u.RawQuery = "get=" + secret
	return client.get(t.Context(), u, restAnswer)
}

func clientOf(t *testing.T, cfg promconfig.HTTPClientConfig, timeout time.Duration, raw string) (*httpClient, *url.URL) {
	t.Helper()
	u, err := endpoint.ParseBase(raw)
	if err != nil {
		t.Fatal(err)
	}
	client, err := newHTTPClient(cfg, timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.close)
	return client, u
}

func TestWrongAnswersSayWhatCameAndWhatWouldBeRight(t *testing.T) {
	for name, test := range map[string]struct {
		handle http.HandlerFunc
		want   []string
	}{
		"login page": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = io.WriteString(w, "<html>"+secret)
			},
			[]string{"answered text/html", "a JobManager's REST API answers application/json", "login"},
		},
		"page without a type": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				_, _ = io.WriteString(w, "\n <!DOCTYPE html>"+secret)
			},
			[]string{"begins with <"},
		},
		"redirect": {
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://a:"+secret+"@login.example/sign?in="+secret, http.StatusFound)
			},
			[]string{"302", "https://login.example/sign", "not followed"},
		},
		"redirect to nowhere": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTemporaryRedirect) },
			[]string{"307", "not followed"},
		},
		"unauthorized": {
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusUnauthorized) },
			[]string{"401 Unauthorized", "credentials"},
		},
		"proxy's error page": {
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusBadGateway) },
			[]string{"502 Bad Gateway"},
		},
		"Flink's own error": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, `{"errors":["Job 00 not found\n\tat `+secret+`"]}`)
			},
			[]string{"404 Not Found (Job 00 not found)"},
		},
		"too long": {
			func(w http.ResponseWriter, _ *http.Request) {
				chunk := make([]byte, 1<<20)
				for range maxBody>>20 + 2 {
					if _, err := w.Write(chunk); err != nil {
						return
					}
				}
			},
			[]string{"longer than 64 MiB"},
		},
		"broken off": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, `{"jobs":`)
			},
			[]string{"broke off after 8 bytes"},
		},
		"connection closed": {
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			[]string{"EOF"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := getFrom(t, 10*time.Minute, test.handle)
			if err == nil {
				t.Fatalf("no error, and %d bytes", len(body))
			}
			for _, want := range append(test.want, "GET http://127.0.0.1:", "/flink/jobs: ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "admin") {
				t.Errorf("%q shows a secret", err)
			}
		})
	}
}

func TestSlowAnswersEnd(t *testing.T) {
	for name, send := range map[string]func(w http.ResponseWriter){
		"nothing": func(http.ResponseWriter) {},
		"a part": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, "{")
			w.(http.Flusher).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := getFrom(t, 50*time.Millisecond, func(w http.ResponseWriter, r *http.Request) {
				send(w)
				<-r.Context().Done()
			})
			if err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
				t.Errorf("got %v", err)
			}
		})
	}
	var cause = errors.New("the scrape ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	client, err := newHTTPClient(promconfig.HTTPClientConfig{}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.get(ctx, &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, restAnswer); !errors.Is(err, cause) {
		t.Errorf("a request that was given up: %v", err)
	}
}

func TestGarbageIsNoAnswer(t *testing.T) {
	for body, want := range map[string]string{
		"":                     "no JSON",
		"{":                    "no JSON",
		"nonsense":             "no JSON",
		"[1]":                  "JSON array",
		"\"jobs\"":             "JSON string",
		"\x1f\x8b\x00":         "no JSON",
		`{"jobs":[]} trailing`: "no JSON",
	} {
		var overview jobsOverview
		if err := decode([]byte(body), &overview); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", body, err)
		}
	}
	var overview jobsOverview
	odd := `{"jobs":[{"jid":"aa","name":7,"start-time":"1000","end-time":1e3,"state":{"x":1}},{"jid":"bb","start-time":"NaN","name":"b"}],"x":[]}`
	if err := decode([]byte(odd), &overview); err != nil {
		t.Fatal(err)
	}
	if len(overview.Jobs) != 2 || overview.Jobs[0].Start.or(0) != 1000 || overview.Jobs[0].End.or(0) != 1000 ||
		overview.Jobs[1].Start.ok || overview.Jobs[1].Name != "b" {
		t.Errorf("a wrong value took others along: %+v", overview.Jobs)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"jid":"a","vertices":[{"id":"v","tasks":{"RUNNING":1},"metrics":{"read-records":"7"}}],"plan":{"nodes":[{"id":"v"}]}}`))
	f.Add([]byte(`[{"id":"0.a","value":"1"},{"id":1,"value":null}]`))
	f.Add([]byte(`{"latest":{"failed":{"failure_message":3},"restored":null},"counts":{"completed":"NaN"}}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		var detail jobDetail
		if decode(body, &detail) == nil {
			_ = detail.sourceVertices()
		}
		var checkpoints checkpointAnswer
		if decode(body, &checkpoints) == nil {
			_ = checkpoints.checkpoints(0, "FINISHED")
		}
		for _, into := range []any{
			new(jobsOverview), new(vertexSubtasks), new([]metricAnswer), new(checkpointConfigAnswer), new(jobConfigAnswer), new([]configEntry),
		} {
			_ = decode(body, into)
		}
		_ = serverMessage(body)
	})
}

func TestURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"flink:8081":                     "want http://HOST:PORT",
		"http://":                        "want http://HOST:PORT",
		"ftp://flink":                    "want http://HOST:PORT",
		"http://flink?x=" + secret:       "has a query",
		"http://u:" + secret + "@flink":  "has a user in it",
		"http://u:" + secret + "@f:x/":   "invalid port",
		"http://u:" + secret + "@ f/":    "invalid character",
		"http://u:" + secret + "@%zz":    "invalid URL escape",
		"://u:" + secret + "@flink:8081": "missing protocol scheme",
	} {
		if _, err := endpoint.ParseBase(raw); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	u, err := endpoint.ParseBase("https://[::1]:8081/a%2Fb/")
	if err != nil {
		t.Fatal(err)
	}
	if shown := endpoint.Shown(u); shown != "https://[::1]:8081/a%2Fb/" {
		t.Errorf("shown as %s", shown)
	}
}
