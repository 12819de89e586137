package web

import (
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// pages builds the handler over an overview; change adapts the rest.
func pages(t *testing.T, o Overview, change func(*Config)) http.Handler {
	t.Helper()
	cfg := Config{
		Name:        "truelag_exporter",
		Version:     "1.2.3",
		Build:       "truelag_exporter, version 1.2.3",
		MetricsPath: "/metrics",
		Overview:    func() Overview { return o },
		Settings:    func() string { return "kafka: []" },
		Ready:       func() error { return nil },
		Now:         func() time.Time { return noon },
	}
	if change != nil {
		change(&cfg)
	}
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func rank(groups ...Group) Ranking {
	var r Ranking
	for _, g := range groups {
		r.Add(g)
	}
	return r
}

func ask(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestEndpoints(t *testing.T) {
	plain := pages(t, Overview{}, nil)
	unready := pages(t, Overview{}, func(c *Config) {
		c.Ready = func() error { return errors.New(`collector "kafka" has not succeeded yet`) }
	})
	reloads := pages(t, Overview{}, func(c *Config) { c.Reload = func() error { return nil } })
	broken := pages(t, Overview{}, func(c *Config) {
		c.Reload = func() error { return errors.New("truelag.yml:3: unknown key") }
	})
	tests := []struct {
		name, method, path string
		h                  http.Handler
		code               int
		body               string
	}{
		{"healthy", "GET", "/-/healthy", plain, 200, "truelag_exporter is healthy.\n"},
		{"healthz", "GET", "/healthz", plain, 200, "truelag_exporter is healthy.\n"},
		{"livez", "GET", "/livez", plain, 200, "truelag_exporter is healthy.\n"},
		{"healthy while unready", "GET", "/-/healthy", unready, 200, "truelag_exporter is healthy.\n"},
		{"healthy by POST", "POST", "/-/healthy", plain, 405, "Method Not Allowed\n"},
		{"ready", "GET", "/-/ready", plain, 200, "truelag_exporter is ready.\n"},
		{"unready", "GET", "/-/ready", unready, 503, "Not ready: collector \"kafka\" has not succeeded yet\n"},
		{"readyz", "GET", "/readyz", unready, 503, "Not ready: collector \"kafka\" has not succeeded yet\n"},
		{"settings", "GET", "/config", plain, 200, "kafka: []\n"},
		{"version", "GET", "/version", plain, 200, "truelag_exporter, version 1.2.3\n"},
		{"unknown path", "GET", "/nothing", plain, 404, "404 page not found\n"},
		{"reload off", "POST", "/-/reload", plain, 403,
			"Reloading over HTTP is switched off: start with --web.enable-lifecycle, or send SIGHUP.\n"},
		{"reload by GET", "GET", "/-/reload", reloads, 405, "Only POST reloads the configuration.\n"},
		{"reload", "POST", "/-/reload", reloads, 200, "The configuration is reloaded.\n"},
		{"bad reload", "POST", "/-/reload", broken, 500, "The old configuration stays: truelag.yml:3: unknown key\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(tt.h, tt.method, tt.path)
			if w.Code != tt.code || w.Body.String() != tt.body {
				t.Errorf("%s %s: %d %q, want %d %q", tt.method, tt.path, w.Code, w.Body, tt.code, tt.body)
			}
			if tt.code == 405 && w.Header().Get("Allow") == "" {
				t.Error("405 without Allow")
			}
		})
	}
}

func TestOtherSitesCannotReload(t *testing.T) {
	called := false
	h := pages(t, Overview{}, func(c *Config) { c.Reload = func() error { called = true; return nil } })
	r := httptest.NewRequest(http.MethodPost, "/-/reload", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden || called {
		t.Errorf("a page of another site got %d, reloaded: %t", w.Code, called)
	}
}

// Who configures a probe of a target, as other exporters have it, is told what is right here, and where the samples are.
func TestNoProbe(t *testing.T) {
	h := pages(t, Overview{}, func(c *Config) { c.MetricsPath = "/samples" })
	for _, path := range []string{"/probe", "/probe?target=db-1:3306&module=mysql"} {
		w := ask(h, http.MethodGet, path)
		if text := w.Body.String(); w.Code != http.StatusNotFound || !strings.Contains(text, "mysql.servers") || !strings.Contains(text, "is at /samples.") {
			t.Errorf("%s: %d %s", path, w.Code, text)
		}
	}
	if Taken("/probe") {
		t.Error("the samples cannot be at /probe")
	}
}

func TestNewWantsItsFuncs(t *testing.T) {
	if _, err := New(Config{Name: "truelag_exporter"}); err == nil {
		t.Error("a page without an overview was made")
	}
}

func TestTaken(t *testing.T) {
	for path, want := range map[string]bool{
		"/": false, "/metrics": false, "/config": true, "/-/reload": true, "/readyz": true, "/healthzz": false,
	} {
		if got := Taken(path); got != want {
			t.Errorf("Taken(%q) = %t, want %t", path, got, want)
		}
	}
}

func TestLandingPage(t *testing.T) {
	var many []Group
	for range 312 {
		many = append(many, Group{Group: "g", Topic: "t", Known: true})
	}
	many[300] = Group{Group: "orders-archive", Topic: "orders.placed", Known: true, Offsets: 12400, Records: 12345}
	tests := []struct {
		name     string
		overview Overview
		want     []string
		never    []string
	}{
		{
			name: "nothing read yet",
			want: []string{"Unknown: no read has succeeded yet.", "No collector is switched on."},
		},
		{
			name:     "no groups",
			overview: Overview{Read: noon.Add(-3 * time.Second)},
			want:     []string{"No group has a committed offset. Read 3 s ago."},
		},
		{
			name:     "five worst",
			overview: Overview{Read: noon.Add(-2 * time.Second), Groups: rank(many...)},
			want: []string{"The 5 worst of 312 pairs of group and topic, read 2 s ago.", ">12,345<", ">12,400<",
				"Behind by 12,345 records.", `<b class="behind">1</b>`, `<b class="level">311</b>`},
		},
		{
			name:     "what is unknown has no numbers",
			overview: Overview{Read: noon, Groups: rank(Group{Cluster: "eu", Group: "g", Topic: "t"})},
			want:     []string{`class="n">unknown<`, "Unknown: commits or end offsets", "<bdi>eu</bdi>"},
			never:    []string{`class="n">0<`},
		},
		{
			name: "collectors",
			overview: Overview{Collectors: []Collector{
				{Name: "kafka", Success: noon.Add(-90 * time.Second), Duration: 42 * time.Millisecond,
					Err: errors.New(`cluster "eu": broker b2:9093: <refused>`)},
				{Name: "flink", System: "jobs-eu"},
			}},
			want: []string{"90 s ago", "2026-11-29 11:58:30 UTC", "42 ms", "failing", "never", "<bdi>jobs-eu</bdi>",
				`cluster &#34;eu&#34;: broker b2:9093: &lt;refused&gt;`},
		},
		{
			name: "switched off",
			overview: Overview{Off: []Off{
				{What: "Collector kafka", Why: "Switched off by a flag.", How: "Leave out --no-collector.kafka."},
			}},
			want: []string{"Switched off", `Switched off by a flag. Leave out <span class="flag">--no-collector.kafka.</span></dd>`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(pages(t, tt.overview, nil), "GET", "/")
			if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
				t.Fatalf("%d %s", w.Code, w.Header().Get("Content-Type"))
			}
			body := w.Body.String()
			for _, want := range append(tt.want, `href="metrics"`, `href="config"`, `href="-/healthy"`, `href="version"`) {
				if !strings.Contains(body, want) {
					t.Errorf("page lacks %q", want)
				}
			}
			for _, never := range append(tt.never, "<script", "http://", "https://", "ZgotmplZ") {
				if strings.Contains(body, never) {
					t.Errorf("page has %q", never)
				}
			}
		})
	}
}

// Names come from whoever may commit an offset: any bytes.
func TestHostileNamesStayText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"markup", `<script>alert(1)</script>`, `<script>alert(1)</script>`},
		{"markup in parts", `<img src=x>.<script>alert(1)</script>`, `<img src=x>.<script>alert(1)</script>`},
		{"quotes", `a"b'c`, `a"b'c`},
		{"end of style", `</style><img src=x>`, `</style><img src=x>`},
		{"newline", "a\nb", `a\nb`},
		{"nul", "a\x00b", `a\x00b`},
		{"invalid UTF-8", "a\xff\xfeb", `a\xff\xfeb`},
		{"text that runs backwards", "a\u202egpj", `a\u202egpj`},
		{"CJK", "グループ", "グループ"},
		{"empty", "", "(empty name)"},
		{"long", strings.Repeat("x", 4000), strings.Repeat("x", 120) + "… (4,000 bytes)"},
		{"template", "{{.}}", "{{.}}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Overview{
				Read:   noon,
				Groups: rank(Group{Cluster: tt.in + "c", Group: tt.in, Topic: tt.in, Known: true}),
			}
			body := strings.ReplaceAll(ask(pages(t, o, nil), "GET", "/").Body.String(), "<wbr>", "")
			cell := "<bdi>" + html.EscapeString(tt.want) + "</bdi>"
			if n := strings.Count(body, cell); n != 2 {
				t.Errorf("found %d times, want 2 times: %s", n, cell)
			}
			if strings.Contains(body, "<script") || strings.Contains(body, "<img") {
				t.Error("a name became markup")
			}
		})
	}
}

func TestBrowsersAreHeldShort(t *testing.T) {
	h := pages(t, Overview{}, nil)
	for _, path := range paths {
		header := ask(h, "GET", path).Header()
		for name, want := range map[string]string{
			"Cache-Control":          "no-store",
			"Referrer-Policy":        "no-referrer",
			"X-Content-Type-Options": "nosniff",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s: %q, want %q", path, name, got, want)
			}
		}
		if got := header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; ") {
			t.Errorf("%s: Content-Security-Policy: %q", path, got)
		}
	}
}
