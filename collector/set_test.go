package collector_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"testing"

	"github.com/go-kit/log"

	"truelag/collector"
	"truelag/kafka"
)

// hanging reads until its context ends.
type hanging struct{ begun chan struct{} }

func (hanging) Name() string { return "" }

func (h hanging) ReadFor(ctx context.Context, _ kafka.Interest) (*kafka.Reading, error) {
	close(h.begun)
	<-ctx.Done()
	return nil, ctx.Err()
}

// A client that goes away says nothing of the cluster: it is no failure, and nothing to log.
func TestScrapeThatItsClientGivesUp(t *testing.T) {
	h := hanging{make(chan struct{})}
	k, err := collector.NewKafka(collector.KafkaConfig{}, h)
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewLogfmtLogger(&logged), k)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-h.begun; cancel() }()
	set.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/metrics", nil))
	if s := set.Status(); len(s) > 0 {
		t.Errorf("noted: %+v", s)
	}
	if logged.Len() > 0 {
		t.Errorf("logged: %s", &logged)
	}
}
