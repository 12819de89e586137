//go:build e2e

package lab_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"truelag/lab"
)

// scraping scrapes without a pause, by some clients, until it is ended.
type scraping struct {
	end   context.CancelFunc
	ended sync.WaitGroup

	mu   sync.Mutex
	seen []scraped
	errs []error
}

func scrapeOn(t *testing.T, e *lab.Exporter) *scraping {
	ctx, cancel := context.WithCancel(t.Context())
	h := &scraping{end: cancel}
	for range 3 {
		h.ended.Go(func() {
			for ctx.Err() == nil {
				s, err := scrapeWithin(context.WithoutCancel(ctx), e, scrapeTime)
				h.mu.Lock()
				if err != nil {
					h.errs = append(h.errs, err)
				} else {
					h.seen = append(h.seen, s)
				}
				h.mu.Unlock()
			}
		})
	}
	return h
}

// stop ends it, and wants no scrape to have failed.
func (h *scraping) stop(t *testing.T) []scraped {
	t.Helper()
	h.end()
	h.ended.Wait()
	for _, err := range h.errs {
		t.Error(err)
	}
	return h.seen
}

// wantRead wants no reading to have failed, but for want of time: the program's own scrape after a reload, which others share, has ten
// seconds, and on a machine that stands still for some of them a server does not answer in its part of that.
func wantRead(t *testing.T, e *lab.Exporter, seen []scraped) {
	t.Helper()
	var failed []string
	for _, s := range seen {
		for series, value := range s {
			if value != "1" && (strings.HasPrefix(series, "truelag_scrape_collector_success") || strings.HasPrefix(series, "truelag_mysql_up")) {
				failed = append(failed, series+" "+value)
			}
		}
	}
	if failed == nil {
		return
	}
	var late int
	for line := range strings.Lines(e.Log(t)) {
		switch {
		case !strings.Contains(line, `msg="Reading failed"`):
		case strings.Contains(line, "deadline exceeded"):
			late++
		default:
			t.Errorf("during the reloads: %s", line)
		}
	}
	if late == 0 {
		t.Errorf("scrapes during the reloads say %q, and no reading was late", failed)
	}
}
