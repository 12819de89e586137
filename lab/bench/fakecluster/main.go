// Command fakecluster serves a fake Kafka cluster on loopback until its standard input ends. Its first line of output is a
// JSON object with the brokers' addresses and the URL of its control: GET /counts, GET /truth, POST /move.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
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
	mux.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(server.Counts()) })
	mux.HandleFunc("GET /truth", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(cluster.Truth()) })
	mux.HandleFunc("POST /move", func(http.ResponseWriter, *http.Request) { cluster.Move() })
	go http.Serve(control, mux)

	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	json.NewEncoder(os.Stdout).Encode(map[string]any{"Brokers": server.Addresses(), "Control": "http://" + control.Addr().String()})
	server.Run(ctx)
	return nil
}
