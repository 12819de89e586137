package collector_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/collector"
	"truelag/flink"
	"truelag/kafka"
)

// flinkBed is a Kafka cluster and a Flink cluster that says what it is told to, with their collectors.
type flinkBed struct {
	t       *testing.T
	broker  *kfake.Cluster
	admin   *kadm.Client
	sources collector.FlinkSources
	set     *collector.Set
	flink   *collector.Flink
	says    *flink.View
}

func (b *flinkBed) Name() string { return "" }

func (b *flinkBed) Read(context.Context) *flink.View { return b.says }

func newFlinkBed(t *testing.T, sources collector.FlinkSources, topics ...string) *flinkBed {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, topics...))
	must(t, err)
	t.Cleanup(c.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	must(t, err)
	t.Cleanup(client.Close)
	b := &flinkBed{t: t, broker: c, admin: kadm.NewClient(client), sources: sources}
	b.shard(kafka.Shard{})
	return b
}

// shard puts the collectors of one shard into the place of those that are there.
func (b *flinkBed) shard(shard kafka.Shard) {
	b.t.Helper()
	reader := b.reader("", b.broker, shard)
	k, err := collector.NewKafka(collector.KafkaConfig{}, reader)
	must(b.t, err)
	b.flink, err = collector.NewFlink(collector.FlinkConfig{Shard: shard}, k, collector.FlinkCluster{Reader: b, Sources: b.sources})
	must(b.t, err)
	b.set, err = collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), k, b.flink)
	must(b.t, err)
}

func (b *flinkBed) reader(name string, broker *kfake.Cluster, shard kafka.Shard) *kafka.Cluster {
	b.t.Helper()
	reader, err := kafka.NewCluster(kafka.Config{
		Name: name, Client: kafka.ClientConfig{Seeds: broker.ListenAddrs(), DialTimeout: 2 * time.Minute}, Shard: shard,
		Scan: kafka.ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1 << 20, Recheck: time.Minute, MaxRuns: 1 << 20},
	}, log.NewNopLogger())
	must(b.t, err)
	b.t.Cleanup(reader.Close)
	return reader
}

// hangUp makes a cluster close its connections instead of answering. One that is gone leaves its port to whoever comes.
func hangUp(broker *kfake.Cluster) {
	broker.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
		broker.KeepControl()
		return nil, errors.New("closed"), true
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// transact writes n records and a marker.
func (b *flinkBed) transact(topic string, partition int32, n int, end kgo.TransactionEndTry) {
	b.t.Helper()
	p, err := kgo.NewClient(kgo.SeedBrokers(b.broker.ListenAddrs()...), kgo.TransactionalID("p"),
		kgo.TransactionTimeout(15*time.Minute), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(b.t, err)
	defer p.Close()
	must(b.t, p.BeginTransaction())
	records := make([]*kgo.Record, n)
	for i := range records {
		records[i] = &kgo.Record{Topic: topic, Partition: partition, Value: []byte("v")}
	}
	must(b.t, p.ProduceSync(b.t.Context(), records...).FirstErr()) // Flush may make a new client forget what is in its transaction
	must(b.t, p.EndTransaction(b.t.Context(), end))
}

func (b *flinkBed) commit(group, topic string, partition int32, offset int64) {
	b.t.Helper()
	var o kadm.Offsets
	o.AddOffset(topic, partition, offset, -1)
	must(b.t, b.admin.CommitAllOffsets(b.t.Context(), group, o))
}

// says is a view of one job whose source says what is given of each partition.
func says(topic string, succeeded int64, partitions ...flink.Partition) *flink.View {
	now := time.Now()
	for i := range partitions {
		partitions[i].Topic, partitions[i].Partition = topic, int32(i)
	}
	return &flink.View{
		Jobs: []flink.Job{{
			ID: "0123", Name: "payments", State: "RUNNING", Version: "2.2.1", Started: now.Add(-time.Hour), Heard: now,
			Checkpoints: &flink.Checkpoints{Interval: time.Second, Completed: 7, LastCompleted: time.UnixMilli(1_800_000_000_500)},
			Sources: []flink.Source{{
				Vertex: "v", Operator: "Source__orders", ReadRecords: -1,
				Samples: []flink.Sample{{
					Interface: flink.REST, After: now, Before: now, Running: true, Partitions: partitions,
					Subtasks: []flink.Subtask{{Succeeded: succeeded, Busy: 0.25, Backpressured: 0, Idle: 0.75}},
				}},
			}},
		}},
		Reaches: []flink.Reach{{Interface: flink.REST, Target: "http://jobmanager:8081", At: now, Requests: 12}},
	}
}

// answer is that to a scrape. It has all the time that a busy machine takes: what is not scanned in time counts as records.
func (b *flinkBed) answer() string {
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*time.Minute)
	defer cancel()
	w := httptest.NewRecorder()
	b.set.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/metrics", nil))
	return w.Body.String()
}

// scrape is the samples of some families, one a line.
func (b *flinkBed) scrape(families string) []string {
	b.t.Helper()
	chosen := regexp.MustCompile(`^truelag_(` + families + `)[{ ]`)
	var lines []string
	for line := range strings.Lines(b.answer()) {
		if chosen.MatchString(line) {
			lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "truelag_"))
		}
	}
	return lines
}

// want compares the samples of some families.
func (b *flinkBed) want(families, want string) {
	b.t.Helper()
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if got := b.scrape(families); !slices.Equal(got, lines) {
		b.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func everyJob(string) bool { return true }

func groupIs(name string) collector.FlinkSources {
	return collector.FlinkSources{Rules: []collector.FlinkSourceRule{{Job: everyJob, Operator: everyJob, DynamicID: everyJob, Group: name}}}
}
