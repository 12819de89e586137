// Command scan measures how long the exporter's package takes to read a cluster whose commits stand far below the end of
// the logs, beside the time that it takes to fetch the same bytes in plain kmsg and to drop them. It prints its
// measurements as one JSON object.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/kafka"
	"truelag/lab/bench/fake"
)

// Result is what the program prints. The times are in seconds, in pairs.
type Result struct {
	Fetch, Read           []float64
	FetchBytes, ReadBytes int64
	FetchCalls, ReadCalls int64
	Truth, Answer         fake.Truth
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	brokers := flag.String("brokers", "", "the fake cluster's brokers, comma-separated")
	control := flag.String("control", "", "the URL of the fake cluster's control")
	pairs := flag.Int("pairs", 11, "measurements of each kind")
	flag.Parse()
	seeds := strings.Split(*brokers, ",")

	var r Result
	var counts fake.Counts
	if _, err := read(ctx, seeds, &r); err != nil { // says which limits its Fetches have
		return err
	}
	for path, v := range map[string]any{"/truth": &r.Truth, "/counts": &counts} {
		if err := get(*control+path, v); err != nil {
			return err
		}
	}
	rec := recorder{seeds, counts.MaxBytes, counts.PartitionMaxBytes}
	plan, err := rec.record(ctx)
	if err != nil {
		return err
	}
	for range *pairs {
		runtime.GC()
		took, bytes, err := plan.replay(ctx, seeds)
		if err != nil {
			return err
		}
		r.Fetch, r.FetchBytes, r.FetchCalls = append(r.Fetch, took.Seconds()), bytes, plan.calls()
		runtime.GC()
		if took, err = read(ctx, seeds, &r); err != nil {
			return err
		}
		r.Read = append(r.Read, took.Seconds())
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// read is a first read of the cluster by the exporter's package: nothing is known of the tails.
func read(ctx context.Context, seeds []string, r *Result) (time.Duration, error) {
	cluster, err := kafka.NewCluster(kafka.Config{
		Client: kafka.ClientConfig{Seeds: seeds},
		Scan:   kafka.ScanConfig{Enabled: true, BytesPerScrape: 1 << 40, BytesPerPartition: 1 << 40, MaxRuns: 1 << 30},
	}, log.NewNopLogger())
	if err != nil {
		return 0, err
	}
	defer cluster.Close()
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	reading, err := cluster.Read(ctx)
	if err != nil {
		return 0, err
	}
	took := time.Since(start)
	r.Answer = fake.Truth{}
	for _, l := range reading.Lags {
		for _, p := range l.Partitions {
			r.Answer.Commits++
			r.Answer.Offsets += p.Offsets
			r.Answer.Records += p.Records
		}
	}
	r.ReadBytes, r.ReadCalls = reading.Ledger.ScanBytes, reading.Ledger.ScanFetches
	return took, nil
}

func get(url string, v any) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

func newClient(seeds []string) (*kgo.Client, error) {
	return kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.DisableClientMetrics())
}
