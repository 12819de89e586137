package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"truelag/lab/bench/fake"
)

const (
	coldStarts = 3
	pause      = 150 * time.Millisecond // lets a program's collector end before the other is measured
)

// scrapes measures the exporter beside the floor on the wide cluster.
func (b *bench) scrapes(ctx context.Context) (err error) {
	c, err := startCluster(b.binary("fakecluster"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	if err := b.cold(ctx, c); err != nil {
		return err
	}
	floor, err := startProgram(ctx, b.binary("floor"), c.Brokers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, floor.stop()) }()
	exporter, err := startProgram(ctx, b.exporter, c.Brokers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, exporter.stop()) }()
	for _, measure := range []func(context.Context, *cluster, *process, *process) error{
		b.contents, b.warm, b.requests, b.idle, b.parallel, b.heap, b.twoScrapers,
	} {
		if err := measure(ctx, c, floor, exporter); err != nil {
			return err
		}
	}
	return nil
}

// cold measures first scrapes, with the connections and, for the exporter, the scan of all tails.
func (b *bench) cold(ctx context.Context, c *cluster) error {
	var times [2][]float64
	before, err := c.counts()
	if err != nil {
		return err
	}
	for range coldStarts {
		for i, binary := range []string{b.binary("floor"), b.exporter} {
			p, err := startProgram(ctx, binary, c.Brokers)
			if err != nil {
				return err
			}
			took, err := scrape(ctx, p, identity)
			if err := errors.Join(err, p.stop()); err != nil {
				return err
			}
			times[i] = append(times[i], took.Seconds())
		}
	}
	floor, exporter := median(times[0]), median(times[1])
	fmt.Printf("cold scrape: floor %.3f s, exporter %.3f s\n", floor, exporter)
	after, err := c.counts()
	if err != nil {
		return err
	}
	var tails int64
	if err := c.get("/tails", &tails); err != nil {
		return err
	}
	fmt.Printf("cold scan: %.1f MB in %d Fetches, of tails of %.1f MB\n",
		float64(after.Fetched-before.Fetched)/coldStarts/1e6, (after.Fetches-before.Fetches)/coldStarts, float64(tails)/1e6)
	b.add("cold_scrape_seconds_beyond_floor", exporter-floor, 2)
	return nil
}

// contents checks that what is measured is the right answer: all series, and the lags that the cluster knows. The tails
// are small enough for the exporter to know all of them at once.
func (b *bench) contents(ctx context.Context, c *cluster, floor, exporter *process) error {
	truth, err := c.truth()
	if err != nil {
		return err
	}
	raw := truth
	raw.Records = truth.Offsets // the floor knows no better
	if _, err := b.exact(ctx, floor, raw); err != nil {
		return err
	}
	scrapes, err := b.exact(ctx, exporter, truth)
	b.add("scrapes_until_exact", float64(scrapes), 1)
	return err
}

// exact takes pages until one is right, and says which one that was.
func (b *bench) exact(ctx context.Context, p *process, want fake.Truth) (scrapes int, err error) {
	const patience = 20
	var got contents
	for scrapes < patience && got.sums != want {
		scrapes++
		if got, err = inspect(ctx, p, []string{identity, gzipped}[scrapes%2]); err != nil {
			return scrapes, err
		}
		if got.series < 1_000_000 {
			return scrapes, fmt.Errorf("%s exports %d series, of 1,000,000 that are to be measured", p.name, got.series)
		}
	}
	if got.sums != want {
		return scrapes, fmt.Errorf("%s says %+v after %d scrapes, the cluster %+v", p.name, got.sums, scrapes, want)
	}
	for _, encoding := range []string{identity, gzipped} {
		if got, err = inspect(ctx, p, encoding); err != nil {
			return scrapes, err
		}
		fmt.Printf("%s, %s: %d series, %.1f MB\n", p.name, encoding, got.series, float64(got.bytes)/1e6)
	}
	return scrapes, nil
}

// warm takes scrapes in turns, with one row in a hundred changed between two.
func (b *bench) warm(ctx context.Context, c *cluster, floor, exporter *process) error {
	for _, encoding := range []string{identity, gzipped} {
		var times [2][]float64
		var cpu [2]float64
		var server float64
		for turn := range b.pairs {
			if err := c.move(); err != nil {
				return err
			}
			programs := []*process{floor, exporter}
			for k := range programs {
				i := (k + turn) % 2 // who comes first changes
				p := programs[i]
				time.Sleep(pause)
				before, serverBefore, err := cpuOf(p, &c.process)
				if err != nil {
					return err
				}
				took, err := scrape(ctx, p, encoding)
				if err != nil {
					return err
				}
				after, serverAfter, err := cpuOf(p, &c.process)
				if err != nil {
					return err
				}
				times[i] = append(times[i], took.Seconds())
				cpu[i] += after - before
				server += serverAfter - serverBefore
			}
		}
		n := float64(b.pairs)
		fmt.Printf("warm scrape, %s: floor %.3f s (CPU %.3f s), exporter %.3f s (CPU %.3f s), the cluster's CPU %.3f s each\n",
			encoding, median(times[0]), cpu[0]/n, median(times[1]), cpu[1]/n, server/n/2)
		b.add("warm_scrape_"+encoding+"_over_floor", medianRatio(times[1], times[0]), 2)
	}
	return nil
}

func cpuOf(a, b *process) (float64, float64, error) {
	x, err := a.cpu()
	if err != nil {
		return 0, 0, err
	}
	y, err := b.cpu()
	return x, y, err
}
