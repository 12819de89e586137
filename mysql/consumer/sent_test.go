package consumer_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"

	"truelag/mysql"
	"truelag/mysql/consumer"
)

// Whatever way a place is read, the round tells what was sent for it, without queries and users of URLs, and what came of it.
func TestWhatIsSent(t *testing.T) {
	w := newWorker(t)
	w.note("c", "s", at(5))
	base := serve(t, map[string]answer{"/connectors/c/offsets": json(`{"offsets":[]}`), "/metrics": page(nil)})
	canal := canal(t, `{"destination":"d"}`, "", 0)
	made := map[string]mysql.Consumer{
		"rest":  ok[*consumer.Connect](t)(consumer.NewConnect(consumer.ConnectConfig{Name: "rest", URL: base, Connector: "c"})),
		"topic": ok[*consumer.TopicConsumer](t)(w.topic().Consumer(consumer.TopicConsumerConfig{Name: "topic", Connector: "c"})),
		"canal": canal,
		"file":  ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Name: "file", Path: "testdata/none"})),
		"page":  ok[*consumer.DebeziumPage](t)(consumer.NewDebeziumPage(consumer.DebeziumConfig{Name: "page", URLs: []string{base + "/metrics?token=hunter2"}})),
		"flink": ok[*consumer.FlinkCDC](t)(consumer.NewFlinkCDC(consumer.FlinkCDCConfig{Name: "flink", URLs: []string{base + "/metrics"}})),
		"agent": ok[*consumer.Jolokia](t)(consumer.NewJolokia(consumer.DebeziumConfig{Name: "agent", URLs: []string{base + "/jolokia"}})),
	}
	server, err := mysql.New(mysql.Config{
		Dial: mysql.Dial{Address: "127.0.0.1:1", User: "u"}, Timeout: time.Minute, FilesTimeout: time.Minute,
		Consumers: slices.Collect(maps.Values(made)),
	}, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var got []string
	for _, sent := range server.Read(t.Context()).Statements {
		line := sent.Consumer + ": " + strings.ReplaceAll(inTemp.ReplaceAllString(sent.Text, "PATH"), base, "URL")
		if sent.Err != nil {
			line += ": " + sent.Err.Error()
		}
		if sent.At.IsZero() || sent.Took <= 0 {
			t.Errorf("%s: %+v", line, sent)
		}
		got = append(got, line)
	}
	slices.Sort(got)
	want := []string{
		"agent: POST URL/jolokia/: answered 404 Not Found (HTTP 404 Not Found)",
		canal.Name() + ": read PATH",
		"file: read testdata/none: stat testdata/none: no such file or directory",
		"flink: GET URL/metrics",
		"page: GET URL/metrics",
		"rest: GET URL/connectors/c/offsets",
		"rest: GET URL/connectors/c/status: answered 404 Not Found (HTTP 404 Not Found)",
		"topic: fetch what is new in topic connect-offsets",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// However many consumers there are, what the server is asked for all of them is told.
func TestWhatIsSentForManyConsumers(t *testing.T) {
	cfg := mysql.Config{Dial: mysql.Dial{Address: "127.0.0.1:1", User: "u"}, Timeout: time.Minute, FilesTimeout: time.Minute}
	for i := range 300 {
		c := ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Name: fmt.Sprint(i), Path: "testdata/none"}))
		cfg.Consumers = append(cfg.Consumers, c)
	}
	server, err := mysql.New(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	r := server.Read(t.Context())
	if len(r.Statements) != 300 || r.Err == nil {
		t.Errorf("%d are told, %v", len(r.Statements), r.Err)
	}
}
