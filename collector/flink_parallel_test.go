package collector_test

import (
	"context"
	"math/rand/v2"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/collector"
	"truelag/flink"
	"truelag/kafka"
)

// turningFlink says another of some views each time.
type turningFlink struct {
	views []*flink.View
	next  atomic.Int64
}

func (f *turningFlink) Name() string { return "" }

func (f *turningFlink) Read(context.Context) *flink.View {
	return f.views[int(f.next.Add(1))%len(f.views)]
}

// Scrapes at the same time, some of which are given up, share passes; what was handed out does not change.
func TestFlinkScrapesAtTheSameTime(t *testing.T) {
	b := newFlinkBed(t, collector.FlinkSources{}, "t", "u.v")
	b.transact("t", 0, 40, kgo.TryCommit)
	b.transact("t", 1, 40, kgo.TryCommit)
	says := &turningFlink{views: make([]*flink.View, 8)}
	copies := make([]*flink.View, 8)
	now := time.Now()
	for i := range says.views {
		for _, views := range [][]*flink.View{says.views, copies} {
			views[i] = manyJobs(uint64(i), now)
		}
	}
	k, err := collector.NewKafka(collector.KafkaConfig{}, b.reader("", b.broker, kafka.Shard{}))
	must(t, err)
	f, err := collector.NewFlink(collector.FlinkConfig{}, k, collector.FlinkCluster{Reader: says, Sources: collector.FlinkSources{Infer: true, Parameter: "group"}})
	must(t, err)
	b.set, err = collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), k, f)
	must(t, err)
	done := make(chan struct{})
	var scrapes, commits sync.WaitGroup
	commits.Go(func() {
		for i := int64(0); ; i++ {
			select {
			case <-done:
				return
			default:
				b.commit([]string{"g", "h"}[i%2], "t", int32(i/2%2), i%40)
			}
		}
	})
	for scraper := range 4 {
		scrapes.Go(func() {
			for i := range 40 {
				if scraper > 0 || i%5 > 0 {
					b.page()
					f.Said("", "g", "t", 0)
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond/4)
				b.set.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/metrics", nil))
				cancel()
			}
		})
	}
	scrapes.Wait()
	close(done)
	commits.Wait()
	for i := range says.views {
		if !reflect.DeepEqual(says.views[i], copies[i]) {
			t.Errorf("what was said has been changed: %+v", says.views[i])
		}
	}
}

// While a configuration is reloaded, the collectors of the old and of the new one read the same systems, and scrapes of both are
// given up and made anew at once.
func TestFlinkScrapesOfTwoGenerations(t *testing.T) {
	b := newFlinkBed(t, collector.FlinkSources{}, "t", "u.v")
	b.transact("t", 0, 40, kgo.TryCommit)
	b.commit("g", "t", 0, 7)
	says := &turningFlink{views: make([]*flink.View, 8)}
	for i := range says.views {
		says.views[i] = manyJobs(uint64(i), time.Now())
	}
	reader := b.reader("", b.broker, kafka.Shard{})
	var scrapes sync.WaitGroup
	for range 2 {
		k, err := collector.NewKafka(collector.KafkaConfig{Compat: true}, reader)
		must(t, err)
		f, err := collector.NewFlink(collector.FlinkConfig{}, k, collector.FlinkCluster{Reader: says, Sources: collector.FlinkSources{Infer: true, Parameter: "group"}})
		must(t, err)
		set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), k, f)
		must(t, err)
		for range 2 {
			scrapes.Go(func() {
				for i := range 30 {
					ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
					if i%3 < 2 {
						time.AfterFunc(time.Duration(i)*100*time.Microsecond, cancel)
					}
					w := httptest.NewRecorder()
					set.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/metrics", nil))
					cancel()
					f.Review()
					if i%3 == 2 && !strings.Contains(w.Body.String(), `truelag_scrape_collector_success{collector="kafka"} 1`) {
						t.Errorf("scrape %d: %s", i, w.Body)
					}
				}
			})
		}
	}
	scrapes.Wait()
}

func manyJobs(seed uint64, at time.Time) *flink.View {
	rnd := rand.New(rand.NewPCG(seed, 1))
	v := &flink.View{}
	at = at.Add(time.Duration(seed) * time.Second)
	for id := range rnd.IntN(6) {
		job := says("t", rnd.Int64N(10), flink.Partition{Emitted: rnd.Int64N(40), Committed: rnd.Int64N(40)}, flink.Partition{Emitted: -1, Committed: rnd.Int64N(40)}).Jobs[0]
		job.ID, job.Started, job.Heard = string(rune('a'+id)), at, at.Add(100*time.Hour)
		sample := &job.Sources[0].Samples[0]
		sample.After, sample.Before = at.Add(99*time.Hour), at.Add(100*time.Hour)
		if id%2 == 0 {
			job.Parameters = map[string]string{"group": "g"}
			job.Sources[0].Samples = append(job.Sources[0].Samples, flink.Sample{Interface: flink.Reporter, Running: true, Partitions: []flink.Partition{{Topic: "u_v"}}})
		}
		v.Jobs = append(v.Jobs, job)
	}
	return v
}

// All that is asked about the offsets between a job and its group is known from the scrape before, while nothing moves.
func TestFlinkQuestionsCostNothingAtRest(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 30, kgo.TryCommit)
	b.transact("t", 1, 30, kgo.TryAbort)
	b.commit("g", "t", 0, 10)
	b.commit("g", "t", 1, 10)
	for name, partition := range map[string]flink.Partition{
		"as usual":                     {Emitted: 20, Committed: 8},
		"behind its group":             {Emitted: 3, Committed: 4},
		"beyond the log":               {Emitted: 500, Committed: 900},
		"at the highest offsets":       {Emitted: 1<<63 - 1, Committed: 1<<63 - 1},
		"nothing emitted or committed": {Emitted: -1, Committed: -1},
	} {
		b.says = says("t", 1, partition, partition)
		b.page()
		fetches := b.scrape("scan_fetches_total")
		if b.page(); len(fetches) == 0 || !slices.Equal(b.scrape("scan_fetches_total"), fetches) {
			t.Errorf("%s: %s fetches, and then %s", name, strings.Join(fetches, ""), strings.Join(b.scrape("scan_fetches_total"), ""))
		}
		b.says.Jobs[0].State = "FINISHED"
		b.page()
		ended := b.scrape("scan_fetches_total")
		if b.page(); !slices.Equal(b.scrape("scan_fetches_total"), ended) {
			t.Errorf("%s, ended: %s fetches", name, strings.Join(ended, ""))
		}
	}
}

// What is written after a job has ended, or far from where it reads, is not read for its sake.
func TestFlinkAsksNothingOfWhatIsNotItsOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*flink.Job)
		group  string // of which the commits are
	}{
		"an ended job, and its group is at the end": {group: "g", change: func(j *flink.Job) { j.State = "CANCELED" }},
		"a job that told how much it had read": {group: "g", change: func(j *flink.Job) {
			j.State = "FINISHED"
			j.Sources[0].ReadRecords = 5
			j.Sources[0].Samples[0].Subtasks[0].Records = 5
		}},
		"a job whose group has no commit": {group: "other", change: func(*flink.Job) {}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFlinkBed(t, groupIs("g"), "t")
			end := int64(0)
			write := func() {
				b.transact("t", 0, 10, kgo.TryCommit)
				end += 11
				b.commit(tc.group, "t", 0, end)
			}
			write()
			b.says = says("t", 1, flink.Partition{Emitted: end - 1, Committed: flink.Unset})
			tc.change(&b.says.Jobs[0])
			b.page()
			fetches := b.scrape("scan_fetches_total")
			for range 3 {
				write()
				if name == "a job whose group has no commit" {
					b.says.Jobs[0].Sources[0].Samples[0].Partitions[0].Emitted = end - 1
				}
				b.page()
			}
			if got := b.scrape("scan_fetches_total"); len(got) == 0 || !slices.Equal(got, fetches) {
				t.Errorf("%s fetches, and then %s", strings.Join(fetches, ""), strings.Join(got, ""))
			}
		})
	}
}
