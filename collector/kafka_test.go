package collector_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/collector"
	"truelag/kafka"
)

var update = flag.Bool("update", false, "write testdata/*.prom anew")

// readings is a cluster that answers with what it was given.
type readings struct {
	name    string
	reading *kafka.Reading
	err     error
}

func (r *readings) Name() string { return r.name }

func (r *readings) ReadFor(context.Context, kafka.Interest) (*kafka.Reading, error) {
	return r.reading, r.err
}

func scrape(t *testing.T, cfg collector.KafkaConfig, query string, clusters ...collector.KafkaReader) string {
	t.Helper()
	k, err := collector.NewKafka(cfg, clusters...)
	if err != nil {
		t.Fatal(err)
	}
	set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), k)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	set.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics"+query, nil))
	return w.Body.String()
}

// cluster is one of everything that a reading can hold.
func cluster() *kafka.Reading {
	at := time.Unix(1_800_000_000, 0)
	s := &kafka.Snapshot{
		At:      at,
		Brokers: []kafka.Broker{{ID: 1, Host: "b1", Port: 9092}, {ID: 2, Host: "b2", Port: 9093}},
		Topics: []kafka.Topic{
			{Name: "denied", Err: kerr.TopicAuthorizationFailed},
			{Name: "t", Partitions: []kafka.Partition{
				{Leader: 1, PreferredLeader: 1, Replicas: 2, InSync: 2, LogStart: 3, LastStable: 9007199254740993, HighWatermark: 9007199254740994},
				{Leader: -1, PreferredLeader: 2, Replicas: 2, InSync: 1, Err: kerr.LeaderNotAvailable},
			}},
		},
		Groups: []kafka.Group{
			{Name: "g", Type: kafka.Classic, State: "Empty"},
			{Name: "s", Type: kafka.Share, State: "Stable", Members: 3, Share: &kafka.ShareState{
				Isolation: kafka.ReadUncommitted,
				Topics: []kafka.ShareTopic{{Topic: "t", Partitions: []kafka.SharePartition{
					{Partition: 0, Start: 9007199254740993, Lag: 12}, {Partition: 1, Start: 7, Lag: -1}, {Partition: 2, Code: 29},
				}}},
			}},
			{Name: "s-denied", Type: kafka.Share, State: "Empty", Share: &kafka.ShareState{Err: kerr.GroupAuthorizationFailed, IsolationErr: kerr.GroupAuthorizationFailed}},
			{Name: "undescribed", Type: kafka.Consumer, State: "Stable", DescribeErr: kerr.GroupAuthorizationFailed},
		},
	}
	lag := kafka.TopicLag{
		Group: "g", Topic: "t", Isolation: kafka.ReadUncommitted, Source: kafka.Observed,
		Partitions: []kafka.PartitionLag{
			{Partition: 0, Committed: 9007199254740000, Offsets: 994, Records: 990, Known: true, Rewinds: 2, CommitAt: 1_700_000_000_123},
			{Partition: 1, Committed: 5},
		},
		Known: 1, Followed: true, Commits: 17, Rewound: 40, Replayed: 38,
	}
	lag.Composition[kafka.Record], lag.Composition[kafka.Control] = 990, 4
	lag.Conditions[kafka.NoLeader] = 1
	denied := kafka.TopicLag{Group: "g", Topic: "denied", Partitions: []kafka.PartitionLag{{Partition: 7, Committed: 1}}}
	denied.Conditions[kafka.Denied] = 1
	open := []kafka.OpenTransaction{
		{Topic: "t", Partition: 0, FirstOffset: 7, ProducerID: 12, Epoch: 3, TransactionalID: `in "hand"`, State: "Ongoing", StartedAt: at.Add(-90 * time.Second)},
		{Topic: "t", Partition: 1, FirstOffset: 8, ProducerID: 13, StartedAt: at.Add(time.Second), Hanging: true, Why: "no coordinator knows its producer"},
		{Topic: "t", Partition: 2, FirstOffset: 9, ProducerID: 14, StartedAt: at.Add(-time.Hour), Err: kerr.TransactionalIDAuthorizationFailed},
		{Topic: "t", Partition: 3, FirstOffset: 9, ProducerID: -1, StartedAt: at.Add(-1500 * time.Millisecond), Err: kerr.TopicAuthorizationFailed},
	}
	follower := &kafka.Following{State: kafka.FollowerBehind, Behind: 9007199254740993}
	follower.Records[kafka.CommitRecord], follower.Records[kafka.UndecodableRecord] = 18, 1
	ledger := kafka.Ledger{
		Requests: map[string]int64{"Metadata": 3, "Fetch": 0}, Errors: map[kafka.Failure]int64{{API: "Metadata", Error: "timeout"}: 1}, ScanBytes: 70, ScanFetches: 2, TLSFiles: true, TLSFailures: 4,
	}
	ledger.Faults[kafka.Corrupt] = 5
	return &kafka.Reading{Snapshot: s, Lags: []kafka.TopicLag{denied, lag}, Transactions: open, Follower: follower, Ledger: ledger}
}

// TestExposition holds the whole output to files: go test ./collector -update writes them anew.
func TestExposition(t *testing.T) {
	for _, c := range []struct {
		name     string
		cfg      collector.KafkaConfig
		clusters []collector.KafkaReader
	}{
		{"one", collector.KafkaConfig{}, []collector.KafkaReader{&readings{reading: cluster()}}},
		{"compat", collector.KafkaConfig{Compat: true}, []collector.KafkaReader{&readings{reading: cluster()}}},
		{"compat-records", collector.KafkaConfig{Compat: true, CompatRecords: true}, []collector.KafkaReader{&readings{reading: cluster()}}},
		{"one-of-two-fails", collector.KafkaConfig{}, []collector.KafkaReader{&readings{name: "eu", reading: cluster()}, &readings{name: "us", err: errors.New("no broker answers")}}},
		{"fails", collector.KafkaConfig{}, []collector.KafkaReader{&readings{err: errors.New("no broker answers")}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := withoutBuild(scrape(t, c.cfg, "", c.clusters...))
			file := filepath.Join("testdata", c.name+".prom")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s:\n%s", file, got)
			}
		})
	}
}

// withoutBuild drops what differs from one build and one run to the next.
func withoutBuild(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "truelag_exporter_build_info") || strings.HasPrefix(line, "truelag_scrape_collector_duration_seconds{") {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}

func TestOddGroupNames(t *testing.T) {
	names := []string{"", " ", `a"b`, `a\b`, "a\nb", "グループ", strings.Repeat("x", 4000), "\xff\xfe", "\xff\xfd", "\ufffd", "\ufffdff", `\xff`}
	r := &kafka.Reading{Snapshot: &kafka.Snapshot{}}
	for _, n := range names {
		r.Groups = append(r.Groups, kafka.Group{Name: n})
		r.Lags = append(r.Lags, kafka.TopicLag{Group: n, Topic: "t", Known: 1, Partitions: []kafka.PartitionLag{{Known: true}}})
	}
	for _, cfg := range []collector.KafkaConfig{{}, {Compat: true}} {
		text := scrape(t, cfg, "", &readings{reading: r})
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			t.Fatalf("the exposition does not parse: %v", err)
		}
		seen := map[string]bool{}
		for _, m := range families["truelag_group_lag_offsets"].GetMetric() {
			seen[fmt.Sprint(m.GetLabel())] = true
		}
		if len(seen) != len(names) {
			t.Errorf("%d different series for %d different groups", len(seen), len(names))
		}
	}
}

func TestCollectFilter(t *testing.T) {
	r := &readings{reading: cluster()}
	if text := scrape(t, collector.KafkaConfig{}, "?collect[]=kafka", r); !strings.Contains(text, "truelag_group_lag_offsets{") {
		t.Errorf("collect[]=kafka leaves out Kafka:\n%s", text)
	}
	if text := scrape(t, collector.KafkaConfig{}, "?collect[]=kafak", r); !strings.Contains(text, `no collector "kafak" is enabled; enabled: kafka`) {
		t.Errorf("an unknown collector is answered with %q", text)
	}
}

func TestClustersNeedNames(t *testing.T) {
	if _, err := collector.NewKafka(collector.KafkaConfig{}, &readings{name: "a"}, &readings{name: "a"}); err == nil {
		t.Error("two clusters of one name were taken")
	}
	if _, err := collector.NewKafka(collector.KafkaConfig{}); err == nil {
		t.Error("no cluster was taken")
	}
}

func TestFailuresAreLoggedOnce(t *testing.T) {
	var out strings.Builder
	r := &readings{err: errors.New("no broker answers")}
	k, err := collector.NewKafka(collector.KafkaConfig{}, r)
	if err != nil {
		t.Fatal(err)
	}
	set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewLogfmtLogger(&out), k)
	if err != nil {
		t.Fatal(err)
	}
	get := func() {
		set.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	}
	get()
	get()
	get()
	if n := strings.Count(out.String(), "no broker answers"); n != 1 {
		t.Errorf("%d lines for one lasting failure:\n%s", n, out.String())
	}
	r.reading, r.err = cluster(), nil
	get()
	if !strings.Contains(out.String(), `msg="Reading works again" failures=3`) {
		t.Errorf("no line says that it is over:\n%s", out.String())
	}
	if st := set.Status(); len(st) != 1 || st[0].Err != nil || st[0].LastSuccess.IsZero() {
		t.Errorf("status %+v after a success", st)
	}
}
