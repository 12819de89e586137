package web

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"
)

//go:embed explain_frame.html
var frameHTML string

//go:embed explain.css
var explainStyle string

// frame is the data that the pages have in common.
type frame struct {
	Program, Version string
	Title            string
	Root             string // leads from the page to the landing page's folder
	MetricsPath      string // relative to that, as all are
	Links            links
	Style, More      template.CSS
	Now              time.Time
	JSON             string // the same as JSON; empty: none
}

// links are the pages that others lead to: those that are there, and have something to show.
type links struct{ Groups, Binlogs, Events bool }

func linksOf(cfg Config) links {
	kafka := cfg.ReadsKafka()
	return links{
		Groups:  kafka && cfg.Explain != nil && cfg.Lags != nil,
		Binlogs: cfg.Binlogs != nil && cfg.ReadsBinlogs(),
		Events:  kafka && cfg.Events != nil,
	}
}

func newFrame(cfg Config, title string) frame {
	return frame{
		Program: cfg.Name, Version: cfg.Version, Title: title,
		MetricsPath: strings.TrimPrefix(cfg.MetricsPath, "/"),
		Links:       linksOf(cfg),
		Style:       template.CSS(style), More: template.CSS(explainStyle), Now: cfg.Now(),
	}
}

// Age is how long before the page was made t was.
func (f frame) Age(t time.Time) string { return age(f.Now, t) }

// page is a template inside the frame.
type page struct{ *template.Template }

func newPage(text string) page {
	t := newTemplate("frame")
	template.Must(t.Parse(frameHTML))
	return page{template.Must(t.Parse(text))}
}

// newTemplate knows how pages put things.
func newTemplate(name string) *template.Template {
	return template.New(name).Funcs(template.FuncMap{
		"name": shownName, "parted": parted, "number": number, "took": took, "stamp": stamp, "count": count,
		"add":    func(a, b int) int { return a + b },
		"arrow":  func(marks []string) string { return "▼ " + strings.Join(marks, " = ") },
		"clock":  clock,
		"length": func(n int) int64 { return int64(n) },
		"plural": plural, "leading": leading, "flagged": flagged,
	})
}

func (p page) answer(w http.ResponseWriter, code int, data any) {
	var body bytes.Buffer
	if err := p.Execute(&body, data); err != nil {
		http.Error(w, fmt.Sprintf("The page cannot be shown: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = body.WriteTo(w) // the reader has gone: nobody to tell
}

func wantsJSON(q url.Values) bool { return q.Get("format") == "json" }

func answerJSON(w http.ResponseWriter, code int, view any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = writeJSON(w, view) // the reader has gone: nobody to tell
}

func writeJSON(w interface{ Write([]byte) (int, error) }, view any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(view)
}
