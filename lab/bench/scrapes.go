package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	coldStarts  = 3
	heapScrapes = 50
	pause       = 150 * time.Millisecond // lets a program's collector end before the other is measured
)

// scrapes measures the exporter beside the floor on the wide cluster.
func (b *bench) scrapes(ctx context.Context) (err error) {
	c, err := startCluster(b.binary("fakecluster"))
	if err != nil {
		return err
	}
	defer func() {
		if e := c.stop(); err == nil {
			err = e
		}
	}()
	if err := b.cold(ctx, c); err != nil {
		return err
	}
	floor, err := startProgram(ctx, b.binary("floor"), c.Brokers)
	if err != nil {
		return err
	}
	defer floor.stop()
	exporter, err := startProgram(ctx, b.exporter, c.Brokers)
	if err != nil {
		return err
	}
	defer exporter.stop()
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
	for range coldStarts {
		for i, binary := range []string{b.binary("floor"), b.exporter} {
			p, err := startProgram(ctx, binary, c.Brokers)
			if err != nil {
				return err
			}
			took, err := scrape(ctx, p, identity)
			if err != nil {
				return err
			}
			times[i] = append(times[i], took.Seconds())
			if err := p.stop(); err != nil {
				return err
			}
		}
	}
	floor, exporter := median(times[0]), median(times[1])
	fmt.Printf("cold scrape: floor %.3f s, exporter %.3f s\n", floor, exporter)
	b.add("cold_scrape_seconds_beyond_floor", exporter-floor, 2)
	return nil
}

// contents checks that what is measured is the right answer: all series, and the lags that the cluster knows.
func (b *bench) contents(ctx context.Context, c *cluster, floor, exporter *process) error {
	truth, err := c.truth()
	if err != nil {
		return err
	}
	for _, p := range []*process{floor, exporter} {
		for _, encoding := range []string{identity, gzipped} {
			got, err := inspect(ctx, p, encoding)
			if err != nil {
				return err
			}
			fmt.Printf("%s, %s: %d series, %.1f MB\n", p.name, encoding, got.series, float64(got.bytes)/1e6)
			if got.series < 1_000_000 {
				return fmt.Errorf("%s exports %d series, of 1,000,000 that are to be measured", p.name, got.series)
			}
			if p == floor {
				got.sums.Records = truth.Records // it claims none
			}
			if got.sums != truth {
				return fmt.Errorf("%s says %+v, the cluster %+v", p.name, got.sums, truth)
			}
		}
	}
	return nil
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

// requests counts what one broker is asked for a scrape, beside the scan's Fetches: the most of any broker and scrape.
func (b *bench) requests(ctx context.Context, c *cluster, _, exporter *process) error {
	const scrapes = 5
	before, err := c.counts()
	if err != nil {
		return err
	}
	var most int64
	each := map[string]int64{}
	for range scrapes {
		if err := c.move(); err != nil {
			return err
		}
		if _, err := scrape(ctx, exporter, gzipped); err != nil {
			return err
		}
		after, err := c.counts()
		if err != nil {
			return err
		}
		asked := map[int]int64{}
		for api, brokers := range after.Requests {
			for broker, n := range brokers {
				n -= before.Requests[api][broker]
				each[api] += n
				if api != "Fetch" {
					asked[broker] += n
					most = max(most, asked[broker])
				}
			}
		}
		before = after
	}
	fmt.Print("requests of a warm scrape to all brokers:")
	for _, api := range slices.Sorted(maps.Keys(each)) {
		if each[api] > 0 {
			fmt.Printf(" %s %.1f", api, float64(each[api])/scrapes)
		}
	}
	fmt.Println()
	b.add("requests_per_broker_and_scrape", float64(most), 8)
	return nil
}

// idle counts the Fetches of scrapes between which nothing moved.
func (b *bench) idle(ctx context.Context, c *cluster, _, exporter *process) error {
	var before int64
	for turn := range 4 {
		if _, err := scrape(ctx, exporter, gzipped); err != nil {
			return err
		}
		counts, err := c.counts()
		if err != nil {
			return err
		}
		var all int64
		for _, n := range counts.Fetches {
			all += n
		}
		if turn == 0 { // takes what the last move left
			before = all
		} else if turn == 3 {
			b.add("fetches_of_3_idle_scrapes", float64(all-before), 0)
		}
	}
	return nil
}

// parallel counts how often the groups are listed when two scrapers come at once.
func (b *bench) parallel(ctx context.Context, c *cluster, _, exporter *process) error {
	before, err := c.counts()
	if err != nil {
		return err
	}
	if err := together(ctx, exporter, 1); err != nil {
		return err
	}
	after, err := c.counts()
	if err != nil {
		return err
	}
	var most int64
	for broker, n := range after.Requests["ListGroups"] {
		most = max(most, n-before.Requests["ListGroups"][broker])
	}
	b.add("reads_of_2_parallel_scrapes", float64(most), 1)
	return nil
}

// together runs two scrapers, one of each encoding, each with so many scrapes.
func together(ctx context.Context, p *process, scrapes int) error {
	var scrapers sync.WaitGroup
	errs := make([]error, 2)
	for i, encoding := range []string{identity, gzipped} {
		scrapers.Go(func() {
			for n := 0; n < scrapes && errs[i] == nil; n++ {
				_, errs[i] = scrape(ctx, p, encoding)
			}
		})
	}
	scrapers.Wait()
	if errs[0] != nil {
		return errs[0]
	}
	return errs[1]
}

// heap compares the live heap of the last of many scrapes with that of the first.
func (b *bench) heap(ctx context.Context, c *cluster, _, exporter *process) error {
	start := len(exporter.log.collections())
	for range heapScrapes {
		if err := c.move(); err != nil {
			return err
		}
		if _, err := scrape(ctx, exporter, gzipped); err != nil {
			return err
		}
	}
	live := exporter.log.collections()[start:]
	if len(live) < 10 {
		return fmt.Errorf("%s collected garbage %d times in %d scrapes", exporter.name, len(live), heapScrapes)
	}
	fifth := len(live) / 5
	first, last := median(live[:fifth]), median(live[len(live)-fifth:])
	fmt.Printf("live heap over %d scrapes: %.0f MB to %.0f MB, %d collections\n", heapScrapes, first, last, len(live))
	b.add("live_heap_growth_over_50_scrapes", last/first, 1.1)
	return nil
}

// twoScrapers lets two scrapers come again and again. The peak is that of the process's whole life.
func (b *bench) twoScrapers(ctx context.Context, _ *cluster, floor, exporter *process) error {
	if err := together(ctx, exporter, 10); err != nil {
		return err
	}
	peak, err := exporter.peakRSS()
	if err != nil {
		return err
	}
	floorPeak, err := floor.peakRSS()
	if err != nil {
		return err
	}
	fmt.Printf("peak RSS: exporter %.0f MB with two scrapers, floor %.0f MB with one\n", peak, floorPeak)
	b.add("peak_rss_megabytes_two_scrapers", peak, 400)
	return nil
}

// medianRatio is the median of the ratios of pairs.
func medianRatio(over, under []float64) float64 {
	ratios := make([]float64, len(over))
	for i := range over {
		ratios[i] = over[i] / under[i]
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
