package flink

import (
	"context"
	"errors"
	"time"
)

// errNoDumps says that the JobManager never gathers metrics, so that no source can be read there.
var errNoDumps = errors.New("metrics.fetcher.update-interval is 0 there, so that it has no metrics: want Flink's default of 10000 ms, or less")

const (
	defaultCacheTime = 3 * time.Second // Flink's web.refresh-interval
	maxCacheTime     = time.Minute     // which nobody sets, and a wrong answer must not keep a job from being done with
)

// readSettings asks what the cluster says of itself, until it was told. Without an answer the version is not told and
// the interval Flink's default; neither is worth an error.
func (p *restPoll) readSettings(ctx context.Context) error {
	if p.version == "" {
		var config dashboardConfig
		p.cacheTime = defaultCacheTime
		if p.get(ctx, "/config", &config) == nil {
			p.version = config.Version
			refresh := config.Refresh.or(defaultCacheTime.Milliseconds())
			p.cacheTime = time.Duration(min(max(refresh, 0), maxCacheTime.Milliseconds())) * time.Millisecond
		}
	}
	if p.updateInterval > 0 {
		return nil
	}
	var entries []configEntry
	if p.get(ctx, "/jobmanager/config", &entries) == nil {
		for _, entry := range entries {
			if entry.Key != "metrics.fetcher.update-interval" {
				continue
			}
			interval, ok := parseFlinkDuration(string(entry.Value))
			if ok && interval == 0 {
				return errNoDumps
			}
			if ok {
				p.updateInterval = interval
				return nil
			}
		}
	}
	p.updateInterval = defaultUpdateInterval
	return nil
}
