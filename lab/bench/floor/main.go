// Command floor is the yardstick for a scrape: the requests that reading lag needs, in plain kmsg, and the samples of the
// exporter's large families, appended as text to labels that are rendered once. It keeps no history, scans no tail and
// minds no error: it fails instead. It takes the exporter's two flags.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run() error {
	brokers := flag.String("kafka.brokers", "", "seed brokers, comma-separated")
	listen := flag.String("web.listen-address", "127.0.0.1:0", "address to serve on")
	flag.Parse()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(*brokers, ",")...))
	if err != nil {
		return err
	}
	defer client.Close()
	http.Handle("GET /metrics", &handler{client: client})
	return http.ListenAndServe(*listen, nil)
}

type handler struct {
	client *kgo.Client
	mu     sync.Mutex // one scrape at a time
	last   page
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	rd, err := read(r.Context(), h.client)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h.last.update(rd)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	if err := h.write(w, r.Header.Get("Accept-Encoding")); err != nil {
		panic(http.ErrAbortHandler) // the scraper went away
	}
}

func (h *handler) write(w http.ResponseWriter, encoding string) error {
	if !strings.Contains(encoding, "gzip") {
		return h.last.write(w)
	}
	w.Header().Set("Content-Encoding", "gzip")
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	return errors.Join(h.last.write(zip), zip.Close())
}
