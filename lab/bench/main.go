// Command bench measures the exporter beside the floor program (lab/bench/floor) on a fake cluster of 3 brokers, 10,000
// partitions, 500 groups and 250,000 commits, all on loopback in processes of their own. What is compared is measured in
// turns within one run. Its last lines are one figure each:
//
//	bench: NAME VALUE (at most LIMIT)
//
// It exits with 0 when all figures could be measured, whatever they are. It needs Linux (/proc).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	exporter := flag.String("exporter", "", "the exporter's binary; built from the module's root when empty")
	pairs := flag.Int("pairs", 15, "warm scrapes of each program and encoding")
	tailMB := flag.Int64("tail-mb", 64, "size of each of the 6 tails that are scanned")
	only := flag.String("only", "", "measure only this part: scrape, scan or walk")
	flag.Parse()

	dir, err := os.MkdirTemp("", "truelag-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, exporter: *exporter, pairs: *pairs, tailBytes: *tailMB << 20}
	if err := b.build(ctx); err != nil {
		return err
	}
	err = b.measure(ctx, *only)
	for _, f := range b.figures {
		fmt.Println(f)
	}
	return err
}

func (b *bench) measure(ctx context.Context, only string) error {
	for _, part := range []struct {
		name    string
		measure func(context.Context) error
	}{{"scrape", b.scrapes}, {"scan", b.scan}, {"walk", b.walk}} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.measure(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

type bench struct {
	dir       string // binaries
	exporter  string
	pairs     int
	tailBytes int64
	figures   []figure
}

func (b *bench) binary(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) build(ctx context.Context) error {
	fmt.Println("building")
	packages := []string{"truelag/lab/bench/floor", "truelag/lab/bench/fakecluster", "truelag/lab/bench/scan"}
	args := append([]string{"build", "-o", b.dir + "/"}, packages...)
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	if b.exporter != "" {
		return nil
	}
	b.exporter = b.binary("truelag_exporter")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", b.exporter, "truelag").CombinedOutput(); err != nil {
		return fmt.Errorf("go build truelag: %w\n%s", err, out)
	}
	return nil
}
