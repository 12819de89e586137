//go:build e2e

package lab_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"

	"truelag/flink"
	"truelag/lab"
)

// none is no offset: the broker has no commit, Flink has not set its gauge.
const none = -1

// scene is a job that reads a topic and commits for a group, on clusters that the tests share.
type scene struct {
	c            *lab.Cluster
	f            *lab.Flink
	topic, group string
	job          *lab.FlinkJob

	infer    bool // the exporter is not told the group
	disputed bool // somebody else commits for the group: the exporter may say so

	prometheus *lab.Prometheus // that scrapes the reporters; nil: none does

	readers   map[flink.Interface]*flink.Cluster // the exporter's, of jobs of this name
	exporters map[flink.Interface]*exposed
}

// stage is a scene with a new topic and no job yet.
func stage(t *testing.T, topic string) *scene {
	t.Helper()
	s := &scene{c: pool.Shared(t, lab.Options{}), f: pool.Flink(t, lab.FlinkOptions{}), topic: topic, group: topic}
	s.c.CreateTopic(t, topic, 1, nil)
	return s
}

// play submits a job, named like the group unless an option says otherwise.
func (s *scene) play(t *testing.T, options ...string) {
	t.Helper()
	s.replay(t, "", options...)
}

// replay is play from a savepoint.
func (s *scene) replay(t *testing.T, savepoint string, options ...string) {
	t.Helper()
	options = append([]string{"name=" + s.group, "topics=" + s.topic, "group=" + s.group}, options...)
	s.job = s.f.Submit(t, s.c, savepoint, options...)
	if s.readers == nil {
		s.readers = map[flink.Interface]*flink.Cluster{}
		for _, w := range s.ways() {
			s.readers[w.of] = s.reader(t, w.of)
		}
	}
	s.expose(t)
}

// other is a scene of another job on the same topic.
func (s *scene) other(group string) *scene {
	return &scene{c: s.c, f: s.f, topic: s.topic, group: group}
}

// write writes a batch of records.
func (s *scene) write(t *testing.T, n int) {
	t.Helper()
	s.c.Producer(t, lab.ProducerOptions{}).Batch(t, s.topic, 0, lab.Records(n)...)
}

// transaction writes a batch of records in a transaction.
func (s *scene) transaction(t *testing.T, n int, commit bool) {
	t.Helper()
	p := s.c.Producer(t, lab.ProducerOptions{TxnID: s.topic})
	p.Batch(t, s.topic, 0, lab.Records(n)...)
	p.End(t, commit)
}

// awaitEnds waits until the topic has the last stable offset and the high watermark that it should.
func (s *scene) awaitEnds(t *testing.T, stable, high int64) {
	t.Helper()
	lab.Await(t, func() error {
		if e := s.c.Ends(t, s.topic)[0]; e.LastStable != stable || e.HighWatermark != high {
			return fmt.Errorf("topic %s: ends %+v, want a last stable offset of %d and a high watermark of %d", s.topic, e, stable, high)
		}
		return nil
	})
}

// way is an interface to Flink: how it is asked without the exporter, and which characters of a topic's name it replaces.
type way struct {
	of       flink.Interface
	ask      func(*lab.FlinkJob, testing.TB) lab.FlinkSource
	replaced *regexp.Regexp
}

var (
	byREST     = way{flink.REST, (*lab.FlinkJob).Source, regexp.MustCompile(`[. :,]`)}
	byReporter = way{flink.Reporter, (*lab.FlinkJob).ReporterSource, regexp.MustCompile(`[^a-zA-Z0-9:_]`)}
	ways       = []way{byREST, byReporter}

	// Prometheus has what the reporters said a moment ago.
	byPrometheus = way{flink.Prometheus, byReporter.ask, byReporter.replaced}
)

// ways are the interfaces to a scene's Flink.
func (s *scene) ways() []way {
	if s.prometheus == nil {
		return ways
	}
	return []way{byREST, byReporter, byPrometheus}
}

func (w way) spell(topic string) string { return w.replaced.ReplaceAllString(topic, "_") }

// reader is the exporter's reader of the scene's jobs by one interface. It runs until the test ends.
func (s *scene) reader(t *testing.T, by flink.Interface) *flink.Cluster {
	t.Helper()
	job := byReporter.spell(s.job.Name)
	cfg := flink.Config{
		Jobs:      func(name string) bool { return byReporter.spell(name) == job },
		KeepEnded: time.Hour,
	}
	const timeout = 30 * time.Second
	switch by {
	case flink.REST:
		cfg.REST = &flink.RESTConfig{URL: s.f.REST, Interval: lab.FlinkUpdate, Timeout: timeout}
	case flink.Reporter:
		cfg.Reporter = &flink.ReporterConfig{URLs: s.f.Reporters, Timeout: timeout}
	case flink.Prometheus:
		cfg.Prometheus = &flink.PrometheusConfig{URL: s.prometheus.URL, Lookback: time.Minute, Timeout: timeout}
	}
	k, err := flink.New(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	runs(t, k.Run)
	return k
}

// facts are what the broker and a job say of partition 0: the group's commit, Flink's committedOffset and currentOffset.
type facts struct {
	B, C, U int64
}

// say reads the facts. Flink is asked first, so that what it knows to be committed is what the broker has or had.
func (s *scene) say(t *testing.T, w way) (facts, lab.FlinkSource) {
	t.Helper()
	source := w.ask(s.job, t)
	at, ok := source.Offsets[w.spell(s.topic)+"-0"]
	if !ok {
		at = lab.FlinkOffsets{Emitted: none, Committed: none}
	}
	return facts{B: s.commit(t).At, C: at.Committed, U: at.Emitted}, source
}

// await waits until the facts are as they should be, by each interface, and the exporter knows it.
func (s *scene) await(t *testing.T, want facts) {
	t.Helper()
	for _, w := range s.ways() {
		s.awaitBy(t, w, want)
		s.awaitHeard(t, w, want)
	}
}

// heard is what the exporter's reader says of the job; nil: nothing yet.
func (s *scene) heard(t *testing.T, w way) *flink.Job {
	t.Helper()
	view := s.readers[w.of].Read(t.Context())
	for i := range view.Jobs {
		if view.Jobs[i].ID == s.job.ID {
			return &view.Jobs[i]
		}
	}
	return nil
}

// awaitHeard waits until the exporter's reader says of the job what it should, and that its sample is of a running source.
func (s *scene) awaitHeard(t *testing.T, w way, want facts) {
	t.Helper()
	s.awaitSource(t, w, func(source flink.Source) error {
		if sample := source.Samples[0]; !sample.Running || !s.told(w, sample, want) {
			return fmt.Errorf("%+v, want it to run and %+v", sample, want)
		}
		return nil
	})
}

// awaitSource waits until what the exporter's reader says of the job's source is as it should be. A vertex that was late to show a Kafka
// source's metrics is asked for them again after five minutes.
func (s *scene) awaitSource(t *testing.T, w way, is func(flink.Source) error) {
	t.Helper()
	lab.AwaitWithin(t, judging, func() error {
		job := s.heard(t, w)
		if job == nil || len(job.Sources) != 1 || len(job.Sources[0].Samples) != 1 {
			return fmt.Errorf("job %s: the exporter hears by %s: %+v", s.job.Name, w.of, job)
		}
		if err := is(job.Sources[0]); err != nil {
			return fmt.Errorf("job %s: the exporter hears by %s: %w", s.job.Name, w.of, err)
		}
		return nil
	})
}

// told says whether a sample has the offsets that it should.
func (s *scene) told(w way, sample flink.Sample, want facts) bool {
	return slices.ContainsFunc(sample.Partitions, func(p flink.Partition) bool {
		return p.Topic == w.spell(s.topic) && p.Partition == 0 && p.Emitted == want.U && p.Committed == want.C
	})
}

func (s *scene) awaitBy(t *testing.T, w way, want facts) {
	t.Helper()
	lab.Await(t, func() error {
		if got, source := s.say(t, w); got != want {
			return fmt.Errorf("job %s by %s: %+v, want %+v; it says %+v", s.job.Name, w.of, got, want, source)
		}
		return nil
	})
}

// commit is the group's commit on partition 0 of the topic.
func (s *scene) commit(t *testing.T) (commit kadm.Offset) {
	t.Helper()
	lab.Await(t, func() error { // a coordinator that begins, or is away, says so
		all, err := s.c.Admin(t).FetchOffsets(t.Context(), s.group)
		if err != nil {
			return err
		}
		o, ok := all.Lookup(s.topic, 0)
		if !ok {
			o.At = none
		}
		commit = o.Offset
		return o.Err
	})
	return commit
}

var recordFlag = flag.Bool("record", false, "write what Flink answers in the scenes to flink/testdata/LINE")

// capture keeps what Flink answers now for tests that need none, when that is asked for.
func (s *scene) capture(t *testing.T, name string) {
	t.Helper()
	if *recordFlag {
		s.job.Capture(t, filepath.Join("..", "flink", "testdata", s.f.Options.Line), name)
	}
}

// awaitCounters waits until a way says that commits have succeeded and failed so often, at least.
func (s *scene) awaitCounters(t *testing.T, succeeded, failed int64) {
	t.Helper()
	for _, w := range ways {
		lab.Await(t, func() error {
			if source := w.ask(s.job, t); source.Succeeded < succeeded || source.Failed < failed {
				return fmt.Errorf("job %s by %s: %+v, want %d commits to succeed and %d to fail", s.job.Name, w.of, source,
					succeeded, failed)
			}
			return nil
		})
	}
}
