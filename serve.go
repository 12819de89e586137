package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/go-kit/log/level"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/bootstrap"
	toolkit "github.com/prometheus/exporter-toolkit/web"

	"truelag/web"
)

// drain is how long a running scrape may go on after a signal to end. Kubernetes kills after 30 s.
const drain = 20 * time.Second

// serve is the command of this name.
func serve(o *options) error {
	return serveOn(o, newLoggers(os.Stderr, o.logFormat, o.logLevel), nil)
}

// serveOn serves until a signal ends it. It calls listening with the base URL of each address once that accepts.
func serveOn(o *options, logs loggers, listening func(url string)) error {
	signals := watchSignals()
	defer signals.stop()

	e, err := newExporter(o, logs)
	if err != nil {
		return usage(err)
	}
	defer e.Close()
	handler, err := newHandler(o, logs, e)
	if err != nil {
		return err
	}
	level.Info(logs.kit).Log("msg", "Starting "+program, "version", version.Info(), "build", version.BuildContext(), "cpus", runtime.GOMAXPROCS(0))

	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: time.Minute,
		WriteTimeout:      time.Minute, // a scrape has its own where its client says when it gives up
		IdleTimeout:       5 * time.Minute,
		ErrorLog:          slog.NewLogLogger(logs.slog.Handler(), slog.LevelWarn),
	}
	// Requests do not descend from the signals' context: a scrape that runs when the signal comes must finish.
	srv.BaseContext = func(l net.Listener) context.Context {
		if listening != nil {
			listening(baseURL(l.Addr(), srv))
		}
		return context.Background()
	}
	served := make(chan error, 1)
	go func() { served <- toolkit.ListenAndServe(srv, o.web, logs.slog) }()
	for {
		select {
		case err := <-served:
			return fmt.Errorf("serve HTTP: %w", err)
		case <-signals.reload:
			_ = e.Reload() // it has logged its error: the old configuration serves on
		case <-signals.end.Done():
			level.Info(logs.kit).Log("msg", "Ending: running scrapes finish first", "at_most", drain)
			return shutdown(srv, served)
		}
	}
}

// shutdown stops accepting, lets running requests finish, and cuts those that take too long.
func shutdown(srv *http.Server, served <-chan error) error {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("requests still ran %s after the signal and were cut", drain), srv.Close())
	}
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// newHandler puts the samples beside the pages.
func newHandler(o *options, logs loggers, e *exporter) (http.Handler, error) {
	cfg := web.Config{
		Name:        program,
		Version:     cmp.Or(version.Version, "development build"),
		Build:       version.Print(program),
		MetricsPath: o.telemetryPath,
		Overview:    e.Overview,
		Settings:    e.Settings,
		Ready:       e.Ready,
		ReadsKafka:  e.readsKafka,
	}
	if o.lifecycle {
		cfg.Reload = e.Reload
	}
	if o.collectKafka {
		cfg.Lags, cfg.Explain, cfg.Events = e.Lags, e.Explain, e.Events
	}
	if o.collectBinlog {
		cfg.Binlogs, cfg.ReadsBinlogs = e.Binlogs, e.readsBinlogs
	}
	pages, err := web.New(cfg)
	if err != nil {
		return nil, err
	}
	bound := &bootstrap.Bootstrap{Logger: logs.slog, MaxRequests: o.maxRequests}
	samples := bound.MaxRequestsHandler(withDeadline(e, o.timeoutOffset))
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	path := o.telemetryPath
	if path == "/" {
		path = "/{$}" // the landing page gives way, the other pages stay
	}
	mux.Handle("GET "+path, samples)
	mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Samples are read by GET.", http.StatusMethodNotAllowed)
	})
	return mux, nil
}

// baseURL is how a browser on this machine reaches a listener of srv.
func baseURL(addr net.Addr, srv *http.Server) string {
	scheme := "http"
	// The toolkit sets this, before it serves, when the web configuration has a certificate.
	if srv.TLSConfig != nil && srv.TLSConfig.GetConfigForClient != nil {
		scheme = "https"
	}
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	return scheme + "://" + host
}
