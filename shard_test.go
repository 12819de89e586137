package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// sharded is a cluster of many topics and groups, of every kind that differs in how it is read.
type sharded struct {
	*kfake.Cluster
	t      *testing.T
	client *kgo.Client
	admin  *kadm.Client
}

func newSharded(t *testing.T) *sharded {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(3))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := &sharded{Cluster: c, t: t}
	s.client = s.open()
	s.admin = kadm.NewClient(s.client)
	for i := range 14 {
		s.topic(fmt.Sprint("topic-", i))
	}
	for i := range 30 {
		s.commit(fmt.Sprint("group-", i), fmt.Sprint("topic-", i%9), 0, 1)
		s.commit(fmt.Sprint("group-", i), fmt.Sprint("topic-", i%4), 1, int64(i%6)) // some beyond the end
	}
	s.commit("グループ", "topic-3", 0, 2)
	s.topic("deleted")
	s.commit("group-1", "deleted", 0, 1)
	s.commit("group-2", "deleted", 1, 1)
	if _, err := s.admin.DeleteTopic(t.Context(), "deleted"); err != nil {
		t.Fatal(err)
	}
	s.join("member", kgo.ConsumerGroup("member"), kgo.ConsumeTopics("topic-9", "topic-10"))
	s.join("share", kgo.ShareGroup("share"), kgo.ConsumeTopics("topic-11"))
	for i, topics := range [][]string{{"topic-0", "topic-5"}, {"topic-12"}} {
		tx := s.open(kgo.TransactionalID(fmt.Sprint("tx-", i)), kgo.TransactionTimeout(15*time.Minute)) // for the whole test
		if err := tx.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		for _, topic := range topics {
			s.produce(tx, topic, 1)
		}
	}
	return s
}

func (s *sharded) open(opts ...kgo.Opt) *kgo.Client {
	s.t.Helper()
	c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(s.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// topic makes a topic of two partitions with three records in each.
func (s *sharded) topic(name string) {
	s.t.Helper()
	if err := s.CreateTopic(name, 2, nil); err != nil {
		s.t.Fatal(err)
	}
	for p := range int32(2) {
		for range 3 {
			s.produce(s.client, name, p)
		}
	}
}

func (s *sharded) produce(c *kgo.Client, topic string, partition int32) {
	s.t.Helper()
	if err := c.ProduceSync(s.t.Context(), &kgo.Record{Topic: topic, Partition: partition, Value: []byte("v")}).FirstErr(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sharded) commit(group, topic string, partition int32, offset int64) {
	s.t.Helper()
	var o kadm.Offsets
	o.AddOffset(topic, partition, offset, -1)
	if err := s.admin.CommitAllOffsets(s.t.Context(), group, o); err != nil {
		s.t.Fatal(err)
	}
}

// join adds a member to a group and waits until it is assigned partitions: it then is handed a record.
func (s *sharded) join(group string, opts ...kgo.Opt) {
	s.t.Helper()
	c := s.open(opts...)
	await(s.t, "a record for the member of "+group, func() bool {
		s.produce(s.client, "topic-11", 0) // a share group begins at the end
		ctx, cancel := context.WithTimeout(s.t.Context(), 100*time.Millisecond)
		defer cancel()
		return c.PollFetches(ctx).NumRecords() > 0
	})
}

// exporterOf is one exporter, as the flags make it.
func exporterOf(t *testing.T, args ...string) http.Handler {
	t.Helper()
	o, err := parse(args)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := load(o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := generate(o, cfg, nil, newLoggers(io.Discard, o.logFormat, o.logLevel), new(reloadMetrics))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.release)
	return g.samples
}

// counted adds the samples of a scrape and how often each is there, but for those about the exporter itself. What tells
// a time stands without its value, since no two scrapes are at one time, and events with their count.
func counted(t *testing.T, into map[string]int, exporter http.Handler) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	w := httptest.NewRecorder()
	exporter.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/metrics", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("scrape: %d %s", w.Code, w.Body)
	}
	for line := range strings.Lines(w.Body.String()) {
		name := line[:max(strings.IndexAny(line, "{ "), 0)]
		own := slices.ContainsFunc([]string{"#", "truelag_kafka_", "truelag_scan_", "truelag_scrape_", "truelag_exporter_", "truelag_config_", "truelag_follower_"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if own {
			continue
		}
		if strings.HasSuffix(name, "_seconds") {
			line = line[:strings.LastIndexByte(line, ' ')]
		}
		sample := strings.TrimSpace(line)
		if name == "truelag_events_total" { // adds up
			at := strings.LastIndexByte(sample, ' ')
			n, err := strconv.Atoi(sample[at+1:])
			if err != nil {
				t.Fatal(err)
			}
			into[sample[:at]] += n
			continue
		}
		into[sample]++
	}
}

// N exporters, each with its shard, export together what one without shards does: nothing less, and nothing twice.
func TestShardsExportTogetherWhatOneDoes(t *testing.T) {
	s := newSharded(t)
	flags := []string{"--kafka.brokers=" + strings.Join(s.ListenAddrs(), ","), "--compat.kafka-exporter", "--web.disable-exporter-metrics"}
	whole := exporterOf(t, flags...)
	shards := map[int][]http.Handler{}
	for _, count := range []int{1, 2, 3, 7} {
		for i := range count {
			shards[count] = append(shards[count], exporterOf(t, append(slices.Clone(flags), fmt.Sprintf("--shard=%d/%d", i, count))...))
		}
	}
	families := map[string]bool{}
	for scrape, change := range []func(){
		func() {},
		func() { s.commit("group-5", "topic-5", 0, 3); s.commit("group-6", "topic-6", 0, 0) }, // caught up; rewound
		func() { s.topic("new"); s.commit("group-7", "new", 0, 1); s.commit("group-7", "topic-13", 1, 2) },
		func() {},
	} {
		change()
		want := map[string]int{}
		counted(t, want, whole)
		for sample := range want {
			families[sample[:strings.IndexAny(sample, "{ ")]] = true
		}
		for count, exporters := range shards {
			got := map[string]int{}
			for _, e := range exporters {
				counted(t, got, e)
			}
			for _, sample := range slices.Sorted(maps.Keys(want)) {
				if got[sample] != want[sample] {
					t.Errorf("scrape %d: %d shards export %d times, want %d times: %s", scrape, count, got[sample], want[sample], sample)
				}
			}
			for _, sample := range slices.Sorted(maps.Keys(got)) {
				if _, ok := want[sample]; !ok {
					t.Errorf("scrape %d: %d shards export what is not there: %s", scrape, count, sample)
				}
			}
		}
	}
	for _, name := range []string{
		"truelag_group_lag_records", "truelag_group_lag_seconds", "truelag_group_rewinds_total", "truelag_group_members", "truelag_topic_partition_high_watermark",
		"truelag_partition_open_transaction_info", "truelag_partition_hanging_transaction", "truelag_share_group_start_offset",
		"kafka_brokers", "kafka_broker_info", "kafka_topic_partitions", "kafka_consumergroup_lag", "kafka_topic_partition_oldest_offset",
	} {
		if !families[name] {
			t.Errorf("the cluster has no %s to compare", name)
		}
	}
}
