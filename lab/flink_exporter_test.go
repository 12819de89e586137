//go:build e2e

package lab_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"

	"truelag/collector"
	"truelag/flink"
	"truelag/kafka"
	"truelag/lab"
)

// exposed is the exporter on a scene's clusters, which hears Flink by one interface. It is scraped about once a second for as
// long as the test runs, since it judges by what it has seen over time.
type exposed struct {
	set *collector.Set

	mu    sync.Mutex
	false []string // scrapes that say what is never true of a healthy job
}

// expose starts an exporter for each interface, once for a scene.
func (s *scene) expose(t *testing.T) {
	t.Helper()
	if s.exporters != nil {
		return
	}
	s.exporters = map[flink.Interface]*exposed{}
	for _, w := range s.ways() {
		s.exporters[w.of] = s.exporter(t, w)
	}
}

func (s *scene) exporter(t *testing.T, w way) *exposed {
	t.Helper()
	change := func(cfg *kafka.Config) {
		if !s.infer {
			cfg.Groups.Include = []*regexp.Regexp{regexp.MustCompile("^" + regexp.QuoteMeta(s.group) + "$")}
		}
		cfg.Topics.Include = []*regexp.Regexp{regexp.MustCompile("^flink-")}
	}
	reads := exporter
	if w.of == flink.Reporter {
		reads = follow // what a follower of the commits sees is judged otherwise; each interface is heard with one of the two
	}
	k, err := collector.NewKafka(collector.KafkaConfig{}, reads(t, s.c, "flink-", change))
	if err != nil {
		t.Fatal(err)
	}
	sources := collector.FlinkSources{Infer: s.infer}
	if !s.infer {
		all := func(string) bool { return true }
		sources.Rules = []collector.FlinkSourceRule{{Job: all, Operator: all, DynamicID: all, Group: s.group}}
	}
	f, err := collector.NewFlink(collector.FlinkConfig{}, k, collector.FlinkCluster{Reader: s.readers[w.of], Sources: sources})
	if err != nil {
		t.Fatal(err)
	}
	set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), k, f)
	if err != nil {
		t.Fatal(err)
	}
	x := &exposed{set: set}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			began := time.Now()
			x.scrape(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(max(time.Second, 2*time.Since(began))): // others want to be answered, too
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if s.disputed {
			return
		}
		for _, sample := range slices.Compact(x.false) {
			t.Errorf("topic %s: the exporter has said by %s: %s", s.topic, w.of, sample)
		}
	})
	return x
}

var (
	sampleLine  = regexp.MustCompile(`^(\w+)(?:\{(.*)\})? (\S+)$`)
	sampleLabel = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
	never       = regexp.MustCompile(`^flink_partitions\{.*agreement="broker_(ahead|behind)"\} [^0]|^flink_skip_records\{.*\} [^0]`)
)

// scrape is what the exporter says, a sample a line, without the prefix of all names.
func (x *exposed) scrape(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, passTime)
	defer cancel()
	w := httptest.NewRecorder()
	x.set.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", nil))
	var samples []string
	for line := range strings.Lines(w.Body.String()) {
		sample, ok := strings.CutPrefix(strings.TrimSpace(line), "truelag_")
		if !ok {
			continue
		}
		samples = append(samples, sample)
		if never.MatchString(sample) {
			x.mu.Lock()
			x.false = append(x.false, sample)
			x.mu.Unlock()
		}
	}
	return samples
}

// exported is what the exporter says by an interface, without the labels that are those of the scene and its job.
func (s *scene) exported(t *testing.T, w way) []string {
	t.Helper()
	samples := s.exporters[w.of].scrape(t.Context())
	job := ""
	info := regexp.MustCompile(`^flink_job_info\{job="([^"]*)",job_id="` + s.job.ID + `"`)
	for _, sample := range samples {
		if m := info.FindStringSubmatch(sample); m != nil {
			job = m[1]
		}
	}
	own := map[string]string{"job": job, "group": s.group, "topic": s.topic, "partition": "0"}
	for i, sample := range samples {
		m := sampleLine.FindStringSubmatch(sample)
		if m == nil {
			t.Fatalf("no sample: %s", sample)
		}
		var labels []string
		for _, l := range sampleLabel.FindAllStringSubmatch(m[2], -1) {
			if l[1] != "operator" && own[l[1]] != l[2] {
				labels = append(labels, l[0])
			}
		}
		samples[i] = m[1] + " " + m[3]
		if len(labels) > 0 {
			samples[i] = m[1] + "{" + strings.Join(labels, ",") + "} " + m[3]
		}
	}
	return samples
}

// judging bounds the wait for what the exporter says: of some things it is sure after two minutes.
const judging = 10 * time.Minute

// want waits until the exporter says all that, by each interface, in one scrape.
func (s *scene) want(t *testing.T, samples ...string) {
	t.Helper()
	for _, w := range s.ways() {
		s.wantBy(t, w, samples...)
	}
}

func (s *scene) wantBy(t *testing.T, w way, samples ...string) {
	t.Helper()
	lab.AwaitWithin(t, judging, func() error {
		got := s.exported(t, w)
		for _, sample := range samples {
			if !slices.Contains(got, sample) {
				return fmt.Errorf("the exporter says by %s:\n%s\nwant %s", w.of, strings.Join(flinkSamples(got), "\n"), sample)
			}
		}
		return nil
	})
}

// flinkSamples are the samples for people: what is of Flink and the lag, without zeros of conditions.
func flinkSamples(all []string) []string {
	return slices.DeleteFunc(all, func(s string) bool {
		return !strings.HasPrefix(s, "flink_") && !strings.HasPrefix(s, "group_lag_") && !strings.HasPrefix(s, "scrape_") ||
			strings.HasPrefix(s, "flink_condition") && strings.HasSuffix(s, " 0") || strings.HasPrefix(s, "flink_job_state") && strings.HasSuffix(s, " 0")
	})
}

func agreement(verdict string) string {
	return fmt.Sprintf(`flink_partitions{agreement="%s"} 1`, verdict)
}

func condition(name string) string { return fmt.Sprintf(`flink_condition{condition="%s"} 1`, name) }

func not(condition string) string { return strings.TrimSuffix(condition, "1") + "0" }
