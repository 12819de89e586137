package web

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed landing.html
var landingHTML string

//go:embed style.css
var style string

// landing is the data of the page.
type landing struct {
	Overview
	Program, Version string

	// MetricsPath is relative, as the page's other links are: a proxy may put us under a path of its own.
	MetricsPath string

	Links links
	Kafka bool // a cluster is read: without one there is nothing to say of groups

	Style template.CSS
	At    time.Time
}

// Age is how long before the page was made t was.
func (l landing) Age(t time.Time) string { return age(l.At, t) }

func landingPage(cfg Config) http.Handler {
	page := template.Must(newTemplate("landing").Parse(landingHTML))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		data := landing{
			Overview:    cfg.Overview(),
			Program:     cfg.Name,
			Version:     cfg.Version,
			MetricsPath: strings.TrimPrefix(cfg.MetricsPath, "/"),
			Links:       linksOf(cfg),
			Kafka:       cfg.ReadsKafka(),
			Style:       template.CSS(style),
			At:          cfg.Now(),
		}
		var body bytes.Buffer
		if err := page.Execute(&body, &data); err != nil {
			http.Error(w, fmt.Sprintf("The page cannot be shown: %v", err), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = body.WriteTo(w) // the reader has gone: nobody to tell
	})
}

// contentPolicy lets a page use its own styles, ask itself, and nothing else: a name that broke out of its place could
// run nothing.
func contentPolicy() string {
	policy := "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src"
	for _, css := range []string{style, explainStyle} {
		sum := sha256.Sum256([]byte(css))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return policy
}
