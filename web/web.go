// Package web serves the pages that people look at and the endpoints that a supervisor asks. It knows how to show
// things, not where they come from: its Config brings funcs that answer from memory.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// Config says what the pages show. The funcs are called once for each request and must answer at once: none may wait
// for a scrape, none but Explain for Kafka, and none but Binlogs for MySQL.
type Config struct {
	Name        string          // of the program
	Version     string          // one word, beside the name
	Build       string          // the text of /version
	MetricsPath string          // where the samples are
	Overview    func() Overview // the landing page
	Settings    func() string   // the effective configuration, secrets hidden
	Ready       func() error    // why the program is not ready; nil: it is
	Reload      func() error    // nil: reloading over HTTP is switched off

	// Lags lists what the last scrapes told of a place, Explain reads one partition afresh before its context ends, and
	// Events are the last findings, newest first. Without the first two there is no page /explain, without the last none
	// of that name. Their errors wrap ErrNoSuch or ErrVague where the question is to blame. ReadsKafka says whether there is a
	// cluster, so that links lead there, and the landing page has groups; nil: there is.
	Lags       func(Place) (Lags, error)
	Explain    func(context.Context, Place) (*Explanation, error)
	Events     func() []Event
	ReadsKafka func() bool

	// Binlogs explains the consumers of binlogs that a place stands for, by rounds that are no older than they may be. It waits for
	// such a round until its context ends. Without it there is no page /explain/binlog. Its errors are as those of Explain.
	// ReadsBinlogs says whether there is a server, so that links lead there; nil: there is.
	Binlogs      func(context.Context, BinlogPlace) ([]*BinlogExplanation, error)
	ReadsBinlogs func() bool

	Now func() time.Time // nil: time.Now
}

// paths are all that New serves.
var paths = []string{
	"/", "/explain", "/explain/binlog", "/events", "/config", "/version", "/-/healthy", "/healthz", "/livez", "/-/ready", "/readyz", "/-/reload",
}

// Taken says whether one of the pages has this path. The landing page gives way: "/" is not taken.
func Taken(path string) bool { return path != "/" && slices.Contains(paths, path) }

// New returns the handler of all pages.
func New(cfg Config) (http.Handler, error) {
	for _, missing := range []bool{cfg.Overview == nil, cfg.Settings == nil, cfg.Ready == nil} {
		if missing {
			return nil, errors.New("pages need Overview, Settings and Ready")
		}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	for _, reads := range []*func() bool{&cfg.ReadsKafka, &cfg.ReadsBinlogs} {
		if *reads == nil {
			*reads = func() bool { return true }
		}
	}
	healthy := func() (int, string) { return http.StatusOK, cfg.Name + " is healthy." }
	ready := func() (int, string) {
		if err := cfg.Ready(); err != nil {
			return http.StatusServiceUnavailable, "Not ready: " + err.Error()
		}
		return http.StatusOK, cfg.Name + " is ready."
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", landingPage(cfg))
	if cfg.Explain != nil && cfg.Lags != nil {
		mux.Handle("GET /explain", newExplainHandler(cfg))
	}
	if cfg.Binlogs != nil {
		mux.Handle("GET /explain/binlog", newBinlogHandler(cfg))
	}
	if cfg.Events != nil {
		mux.Handle("GET /events", eventsHandler(cfg))
	}
	mux.Handle("GET /config", text(func() (int, string) { return http.StatusOK, cfg.Settings() }))
	mux.Handle("GET /version", text(func() (int, string) { return http.StatusOK, cfg.Build }))
	for _, path := range []string{"/-/healthy", "/healthz", "/livez"} {
		mux.Handle("GET "+path, text(healthy))
	}
	for _, path := range []string{"/-/ready", "/readyz"} {
		mux.Handle("GET "+path, text(ready))
	}
	mux.HandleFunc("/probe", noProbe(cfg.MetricsPath))
	// A page of another site must not be able to make a visitor's browser reload us.
	mux.Handle("/-/reload", http.NewCrossOriginProtection().Handler(reload(cfg.Reload)))
	return guarded(mux, contentPolicy()), nil
}

func text(answer func() (int, string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		code, body := answer()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body+"\n") // the reader has gone: nobody to tell
	})
}

// noProbe is for who looks for what other exporters have there: a target that the request names. It is no page, and the samples may
// be there. Nothing is connected to, least of all with a password, because somebody asks for it.
func noProbe(metrics string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "There is no /probe, and no request names a target: the configuration file names what is read (--config.file; "+
			"MySQL servers and their consumers under mysql.servers), and all of it is at "+metrics+". "+
			"Give Prometheus that path, with collect[]=binlog for MySQL alone.", http.StatusNotFound)
	}
}

func reload(do func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if do == nil {
			http.Error(w, "Reloading over HTTP is switched off: start with --web.enable-lifecycle, or send SIGHUP.",
				http.StatusForbidden)
			return
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "Only POST reloads the configuration.", http.StatusMethodNotAllowed)
			return
		}
		if err := do(); err != nil {
			http.Error(w, fmt.Sprintf("The old configuration stays: %v", err), http.StatusInternalServerError)
			return
		}
		text(func() (int, string) { return http.StatusOK, "The configuration is reloaded." }).ServeHTTP(w, r)
	})
}

// guarded keeps browsers from guessing types, from keeping old numbers and from showing the pages inside another site's.
func guarded(h http.Handler, policy string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		h.ServeHTTP(w, r)
	})
}
