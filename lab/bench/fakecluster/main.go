// Command fakecluster serves a fake Kafka cluster on loopback until its standard input ends. Its only line of output is a
// JSON object with the brokers' addresses and the URL of its control: GET /counts, /truth and /tails, POST /move.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime/debug"

	"truelag/lab/bench/fake"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fakecluster:", err)
		os.Exit(1)
	}
}

func run() error {
	tail := flag.Int64("tail-bytes", 0, "serve 6 partitions with tails of this many bytes instead of the wide cluster")
	flag.Parse()
	debug.SetGCPercent(800) // the collector's work would be counted as the clients'

	layout := fake.Wide()
	if *tail > 0 {
		layout = fake.Tail(*tail)
	}
	cluster := fake.NewCluster(layout)
	server, err := fake.Listen(cluster)
	if err != nil {
		return err
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the control: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) { reply(w, server.Counts()) })
	mux.HandleFunc("GET /truth", func(w http.ResponseWriter, _ *http.Request) { reply(w, cluster.Truth()) })
	mux.HandleFunc("GET /tails", func(w http.ResponseWriter, _ *http.Request) { reply(w, cluster.Tails()) })
	mux.HandleFunc("POST /move", func(http.ResponseWriter, *http.Request) { cluster.Move() })
	go func() { log.Fatal(http.Serve(control, mux)) }()

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		defer stop()
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			log.Print(err)
		}
	}()
	addresses := map[string]any{"Brokers": server.Addresses(), "Control": "http://" + control.Addr().String()}
	if err := json.NewEncoder(os.Stdout).Encode(addresses); err != nil {
		return err
	}
	server.Run(ctx)
	return nil
}

func reply(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		log.Print(err)
	}
}
