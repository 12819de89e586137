package collector_test

import (
	"fmt"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/collector"
	"truelag/flink"
	"truelag/kafka"
)

// BenchmarkFlink is what scrapes cost with and without the comparison of 50 jobs of 200 partitions each, where three groups
// have commits on each topic. The heap is what stays after it.
func BenchmarkFlink(b *testing.B) {
	const jobs, partitions = 50, 200
	for _, how := range []string{"none", "configured", "inferred"} {
		b.Run(how, func(b *testing.B) {
			c, err := kfake.NewCluster(kfake.NumBrokers(1))
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			bed := &flinkBed{}
			reader, err := kafka.NewCluster(kafka.Config{
				Client: kafka.ClientConfig{Seeds: c.ListenAddrs()},
				Scan:   kafka.ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1 << 20, Recheck: time.Minute, MaxRuns: 1 << 20},
			}, log.NewNopLogger())
			if err != nil {
				b.Fatal(err)
			}
			defer reader.Close()
			k, _ := collector.NewKafka(collector.KafkaConfig{}, reader)
			collectors := []collector.Collector{k}
			if how != "none" {
				sources := collector.FlinkSources{Infer: how == "inferred", Parameter: "group"}
				f, _ := collector.NewFlink(collector.FlinkConfig{}, k, collector.FlinkCluster{Reader: bed, Sources: sources})
				collectors = append(collectors, f)
			}
			set, _ := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), collectors...)
			client := benchClient(b, c)
			admin := kadm.NewClient(client)
			for j := range jobs {
				if _, err := admin.CreateTopics(b.Context(), partitions, 1, nil, fmt.Sprintf("topic-%d", j)); err != nil {
					b.Fatal(err)
				}
			}
			round := 0
			step := func() {
				round++
				for j := range jobs {
					for g := range 3 {
						var o kadm.Offsets
						for p := range int32(partitions) {
							o.AddOffset(fmt.Sprintf("topic-%d", j), p, int64(round*(g+1)), -1)
						}
						if err := admin.CommitAllOffsets(b.Context(), fmt.Sprintf("group-%d-%d", j, g), o); err != nil {
							b.Fatal(err)
						}
					}
				}
				now := time.Now()
				v := &flink.View{}
				for j := range jobs {
					said := make([]flink.Partition, partitions)
					for p := range said {
						said[p] = flink.Partition{Emitted: int64(round), Committed: int64(round)}
					}
					job := says(fmt.Sprintf("topic-%d", j), int64(round), said...).Jobs[0]
					job.ID, job.Name, job.Heard = fmt.Sprint(j), fmt.Sprintf("job-%d", j), now
					if how == "configured" {
						job.Parameters = map[string]string{"group": fmt.Sprintf("group-%d-0", j)}
					}
					v.Jobs = append(v.Jobs, job)
				}
				bed.says = v
			}
			scrape := func() int {
				w := httptest.NewRecorder()
				set.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), "GET", "/metrics", nil))
				return w.Body.Len()
			}
			size := 0
			for b.Loop() {
				b.StopTimer()
				step()
				b.StartTimer()
				size = scrape()
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MB")
			b.ReportMetric(float64(size)/(1<<20), "page-MB")
		})
	}
}

func benchClient(b *testing.B, c *kfake.Cluster) *kgo.Client {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return client
}
