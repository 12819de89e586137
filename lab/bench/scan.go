package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"truelag/lab/bench/fake"
)

// scan compares a first read of large tails with fetching the same bytes in plain kmsg. Both happen in a process of
// their own, which says what it measured.
func (b *bench) scan(ctx context.Context) (err error) {
	c, err := startCluster(b.binary("fakecluster"), "-tail-bytes="+strconv.FormatInt(b.tailBytes, 10))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	cmd := exec.CommandContext(ctx, b.binary("scan"), "-brokers="+strings.Join(c.Brokers, ","), "-control="+c.Control)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("run the scan: %w", err)
	}
	var r struct {
		Fetch, Read           []float64
		FetchBytes, ReadBytes int64
		FetchCalls, ReadCalls int64
		Truth, Answer         fake.Truth
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return fmt.Errorf("read the scan's measurements: %w", err)
	}
	if r.Answer != r.Truth {
		return fmt.Errorf("the scan says %+v, the cluster %+v", r.Answer, r.Truth)
	}
	fmt.Printf("scan: %.0f MB in %d Fetches take %.3f s, fetching alone %.0f MB in %d takes %.3f s\n",
		float64(r.ReadBytes)/1e6, r.ReadCalls, median(r.Read), float64(r.FetchBytes)/1e6, r.FetchCalls, median(r.Fetch))
	b.add("scan_time_over_fetching", medianRatio(r.Read, r.Fetch), 1.25)
	return nil
}

// walk shows what going through batch headers costs without a network, beside copying the same bytes.
func (b *bench) walk(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench=^BenchmarkWalk$", "-count=5",
		"truelag/kafka").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go test -bench=BenchmarkWalk: %w\n%s", err, out)
	}
	speeds := map[string][]float64{} // MB/s
	for line := range bytes.Lines(out) {
		f := strings.Fields(string(line))
		if len(f) < 6 || f[5] != "MB/s" {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(f[0], "BenchmarkWalk/"), "-")
		speed, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			return fmt.Errorf("read %q: %w", line, err)
		}
		speeds[name] = append(speeds[name], speed)
	}
	headers, plain := speeds["walk"], speeds["copy"]
	if len(headers) == 0 || len(headers) != len(plain) {
		return fmt.Errorf("BenchmarkWalk reports no speed for each of walk and copy:\n%s", out)
	}
	fmt.Printf("header walk: %.1f GB/s, a plain copy of the same bytes %.1f GB/s\n", median(headers)/1000, median(plain)/1000)
	b.add("header_walk_time_over_copy", medianRatio(plain, headers), 1)
	return nil
}
