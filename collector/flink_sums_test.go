package collector

import (
	"testing"
	"time"

	"truelag/flink"
)

// counts is a sample of instances with these counts of commits, heard some seconds before.
func counts(now time.Time, via flink.Interface, ago int, succeeded ...int64) flink.Sample {
	at := now.Add(-time.Duration(ago) * time.Second)
	s := flink.Sample{Interface: via, After: at, Before: at, Running: true}
	for i, n := range succeeded {
		s.Subtasks = append(s.Subtasks, flink.Subtask{Index: int32(i), Succeeded: n, Failed: 0, Busy: 0.5, Backpressured: 0, Idle: 0.5})
	}
	return s
}

// A counter that falls looks like a restart, and increase() then counts all of it again: within an attempt it never does,
// whichever interface was heard last, and of how many instances.
func TestCommitsNeverFallWithinAnAttempt(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	silent := func(s flink.Sample, n int) flink.Sample {
		s.Silent = n
		return s
	}
	stopped := func(s flink.Sample) flink.Sample {
		s.Running = false
		return s
	}
	for name, tc := range map[string]struct {
		samples   []flink.Sample // the one taken last first
		succeeded int64
		busy      float64
	}{
		"the later one":                           {[]flink.Sample{counts(now, flink.Reporter, 0, 7, 8), counts(now, flink.REST, 9, 6, 7)}, 15, 0.5},
		"the later one is behind":                 {[]flink.Sample{counts(now, flink.Prometheus, 3, 6, 8), counts(now, flink.REST, 4, 7, 8)}, 15, 0.5},
		"an instance is silent":                   {[]flink.Sample{silent(counts(now, flink.Reporter, 0, 7), 1)}, -1, 0.5},
		"an instance is silent over one":          {[]flink.Sample{silent(counts(now, flink.Reporter, 0, 7), 1), counts(now, flink.REST, 9, 6, 7)}, 13, 0.5},
		"reporters of half of the instances":      {[]flink.Sample{counts(now, flink.Reporter, 0, 7), counts(now, flink.REST, 9, 6, 7)}, 13, 0.5},
		"another attempt's, heard long ago":       {[]flink.Sample{counts(now, flink.REST, 9, 1, 1), counts(now, flink.Reporter, 900, 50, 50)}, 2, 0.5},
		"another attempt's, which does not run":   {[]flink.Sample{counts(now, flink.Reporter, 1, 1, 1), stopped(counts(now, flink.REST, 5, 50, 50))}, 2, 0.5},
		"the last words":                          {[]flink.Sample{stopped(counts(now, flink.REST, 900, 6, 7)), counts(now, flink.Reporter, 910, 7, 7)}, 14, -1},
		"the last words, and another attempt's":   {[]flink.Sample{stopped(counts(now, flink.REST, 900, 6, 7)), counts(now, flink.Reporter, 2000, 70, 7)}, 13, -1},
		"an instance that does not say its count": {[]flink.Sample{counts(now, flink.REST, 1, 6, -1)}, -1, 0.5},
		"nobody": {nil, -1, -1},
	} {
		row := flinkSource{succeeded: -1, failed: -1, busy: -1, backpressured: -1, idle: -1}
		if row.sum(&flink.Source{Samples: tc.samples}, now); row.succeeded != tc.succeeded || row.busy != tc.busy {
			t.Errorf("%s: %d commits, busy %v; want %d, %v", name, row.succeeded, row.busy, tc.succeeded, tc.busy)
		}
	}
}
