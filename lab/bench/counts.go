package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

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

// idle counts the Fetches of scrapes between which nothing moved, once the exporter knows what the last move left: it
// decodes a bounded number of batches a scrape, for the times of the records in them.
func (b *bench) idle(ctx context.Context, c *cluster, _, exporter *process) error {
	const most = 40
	scrapes, seen := 0, []int64{}
	for len(seen) < 4 || seen[len(seen)-1] != seen[len(seen)-4] && scrapes < most {
		if _, err := scrape(ctx, exporter, gzipped); err != nil {
			return err
		}
		counts, err := c.counts()
		if err != nil {
			return err
		}
		scrapes, seen = scrapes+1, append(seen, counts.Fetches)
	}
	fmt.Printf("idle after a move: the last Fetch is in scrape %d\n", scrapes-3)
	b.add("fetches_of_3_idle_scrapes", float64(seen[len(seen)-1]-seen[len(seen)-4]), 0)
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
