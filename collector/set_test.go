package collector_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"

	"truelag/collector"
	"truelag/exposition"
	"truelag/flink"
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

// broken breaks down over what it was told.
type broken struct{}

func (broken) Name() string                               { return "broken" }
func (broken) Descs() []exposition.Desc                   { return nil }
func (broken) Collect(context.Context) collector.Findings { panic("odd bytes") }

// A collector that breaks down costs its own rows.
func TestCollectorThatPanics(t *testing.T) {
	k, err := collector.NewKafka(collector.KafkaConfig{}, unread{})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewLogfmtLogger(&logged), broken{}, k)
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewRecorder()
	set.ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`truelag_scrape_collector_success{collector="broken"} 0`, `truelag_scrape_collector_success{collector="kafka"} 0`,
	} {
		if !strings.Contains(page.Body.String(), want+"\n") {
			t.Errorf("want %s:\n%s", want, page.Body)
		}
	}
	if !strings.Contains(logged.String(), "odd bytes") || !strings.Contains(logged.String(), "no broker") {
		t.Errorf("logged: %s", &logged)
	}
}

// unread cannot be read.
type unread struct{}

func (unread) Name() string { return "" }

func (unread) ReadFor(context.Context, kafka.Interest) (*kafka.Reading, error) {
	return nil, errors.New("no broker")
}

// saying is a Flink cluster whose only interface was reached so.
type saying struct{ reach flink.Reach }

func (*saying) Name() string { return "" }

func (s *saying) Read(context.Context) *flink.View {
	return &flink.View{Reaches: []flink.Reach{s.reach}}
}

// The first scrape comes before the first poll. That is nothing to log, unless it stays so.
func TestFlinkThatIsNotPolledYet(t *testing.T) {
	polled := flink.Reach{Interface: flink.REST, Target: "http://jm", At: time.Now()}
	unpolled := flink.Reach{Interface: flink.REST, Target: "http://jm"}
	broken := polled
	broken.Err = errors.New("refused")
	tests := []struct {
		name    string
		reaches []flink.Reach
		want    []string // what the log says, a line each
	}{
		{"polled soon", []flink.Reach{unpolled, polled}, nil},
		{"polled late", []flink.Reach{unpolled, unpolled, polled}, []string{"not polled yet", "works again"}},
		{"never reached", []flink.Reach{unpolled, broken, broken}, []string{"refused"}},
		{"lost", []flink.Reach{polled, broken, polled}, []string{"refused", "works again"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, err := collector.NewKafka(collector.KafkaConfig{}, unread{})
			if err != nil {
				t.Fatal(err)
			}
			s := &saying{}
			f, err := collector.NewFlink(collector.FlinkConfig{}, k, collector.FlinkCluster{Reader: s})
			if err != nil {
				t.Fatal(err)
			}
			var logged bytes.Buffer
			set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewLogfmtLogger(&logged), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, s.reach = range tt.reaches {
				set.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
			}
			lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
			if logged.Len() == 0 {
				lines = nil
			}
			if len(lines) != len(tt.want) {
				t.Fatalf("logged:\n%s\nwant %q", &logged, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(lines[i], want) {
					t.Errorf("line %d is %s, want %q", i, lines[i], want)
				}
			}
		})
	}
}
