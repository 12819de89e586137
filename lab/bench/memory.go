package main

import (
	"context"
	"fmt"
)

const heapScrapes = 50

// heap compares the live heap in the last third of many scrapes with that in the first.
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
	third := len(live) / 3
	first, last := median(live[:third]), median(live[len(live)-third:])
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
