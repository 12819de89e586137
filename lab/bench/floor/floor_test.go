package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/lab/bench/fake"
)

// The floor's page is valid and says the raw lag that the cluster knows, before and after the cluster moved.
func TestFloorSaysTheRawLag(t *testing.T) {
	cluster := fake.NewCluster(fake.Layout{Brokers: 3, Topics: 20, Partitions: 4, Groups: 20, GroupSpan: 5})
	server, err := fake.Listen(cluster)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		server.Run(ctx)
	}()
	defer func() {
		stop()
		<-served
	}()
	client, err := kgo.NewClient(kgo.SeedBrokers(server.Addresses()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	h := &handler{client: client}
	for range 3 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		var commits, offsets int64
		for _, m := range families["truelag_group_lag_offsets"].GetMetric() {
			commits++
			offsets += int64(m.GetGauge().GetValue())
		}
		if truth := cluster.Truth(); commits != truth.Commits || offsets != truth.Offsets {
			t.Fatalf("%d commits, %d offsets behind; the cluster claims %+v", commits, offsets, truth)
		}
		for _, name := range []string{"truelag_group_rewinds_total", "truelag_group_info", "truelag_topic_partition_high_watermark"} {
			if len(families[name].GetMetric()) == 0 {
				t.Fatalf("%s has no sample", name)
			}
		}
		cluster.Move()
	}
}
