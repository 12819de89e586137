//go:build e2e

package lab_test

import "testing"

// Where a Prometheus server scrapes the reporters, it is as good as they are: a job is not doubted while it runs, and its
// last words are kept when its series end.
func TestFlinkByPrometheus(t *testing.T) {
	t.Parallel()
	running := stage(t, "flink-scraped")
	running.prometheus = pool.Prometheus(t, running.f.Reporters...)
	ended := stage(t, "flink-scraped-ended")
	ended.prometheus = running.prometheus
	defer feed(t, running)()
	running.play(t)
	ended.uncommitted(t)
	ended.job.Cancel(t)
	running.want(t, agreement("match"))
	running.watch(t, agreement("unknown")) // for as long as a scrape of the server has failed, or comes late
	ended.wantBy(t, byPrometheus, "flink_stopped_uncommitted_records 7")
}
