package scenarios

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/go-kit/log"

	"truelag/collector"
	"truelag/kafka"
)

var dir = flag.String("dir", ".", "folder with the cases to play: *.yaml in it and in its subfolders kafka, flink and mysql; relative to this package or to the module")

// TestScenarios plays every case of the folder: those of Kafka against the exporter, a cluster's reader and the collector
// that is served; those of Flink and of MySQL against the comparison alone.
func TestScenarios(t *testing.T) {
	cases := loadAll(t)
	for _, c := range cases.Flink {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Play(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, c := range cases.MySQL {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Play(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, c := range cases.Kafka {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			for _, hard := range worlds {
				f := newFake(t, &c, hard)
				if err := c.Play(t.Context(), f, exporter(t, &c, f)); err != nil {
					t.Errorf("hard: %v\n%v", hard, err)
				}
			}
		})
	}
}

// exporter starts the exporter on a world's cluster, as a case wants it configured, and returns how to scrape it.
func exporter(t *testing.T, c *Case, w World) func(context.Context) (*Scrape, error) {
	t.Helper()
	cfg := kafka.Config{
		Client: w.Client(),
		Groups: kafka.Filter{Include: []*regexp.Regexp{regexp.MustCompile("^" + regexp.QuoteMeta(w.Group("")))}},
		Scan: kafka.ScanConfig{
			Enabled: c.Scan, BytesPerScrape: 64 << 20, BytesPerPartition: 16 << 20, MaxRuns: 1 << 20,
			Recheck: time.Nanosecond, // what a compaction changes is seen after some scrapes, not minutes
		},
	}
	for group, level := range c.Isolation {
		rule := kafka.IsolationRule{Groups: regexp.MustCompile("^" + regexp.QuoteMeta(w.Group(group)) + "$")}
		if level == kafka.ReadUncommitted.String() {
			rule.Isolation = kafka.ReadUncommitted
		}
		cfg.Isolation = append(cfg.Isolation, rule)
	}
	cluster, err := kafka.NewCluster(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	of, err := collector.NewKafka(collector.KafkaConfig{}, cluster)
	if err != nil {
		t.Fatal(err)
	}
	set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), of)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), unhurried)
		defer cancel()
		set.ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(server.Close)
	compacts := FakeFor(c, false).Compacted
	return func(ctx context.Context) (s *Scrape, err error) {
		scrapes := 1
		if compacts {
			scrapes = 4
		}
		for range scrapes {
			if s, err = ask(ctx, server); err != nil {
				return nil, err
			}
		}
		return s, explained(ctx, cluster)
	}
}

func ask(ctx context.Context, server *httptest.Server) (*Scrape, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	return ReadScrape(resp.Body)
}

// unhurried is the time of a scrape, and of an explanation. What they have none for is not scanned, and a busy machine takes
// long for many cases at once.
const unhurried = 2 * time.Minute

// worlds are how each case is played, FakeConfig.Hard: both must give the same numbers.
var worlds = []bool{false, true}

func newFake(t *testing.T, c *Case, hard bool) *Fake {
	t.Helper()
	f, err := NewFake(t.Context(), FakeFor(c, hard))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// load reads the folder's cases of Kafka.
func load(t *testing.T) []Case {
	t.Helper()
	return loadAll(t).Kafka
}

// loadAll reads the cases of the folder. Those with a mistake fail the test; the others are returned.
func loadAll(t *testing.T) Cases {
	t.Helper()
	folder := *dir
	if _, err := os.Stat(folder); err != nil && !filepath.IsAbs(folder) {
		folder = filepath.Join("..", folder)
	}
	cases, err := Load(folder)
	if err != nil {
		t.Error(err)
	}
	return cases
}
