package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"truelag/mysql"
	"truelag/mysql/consumer"
)

func flink(t *testing.T, job, operator string, pages ...string) *consumer.FlinkCDC {
	t.Helper()
	cfg := consumer.FlinkCDCConfig{Name: "f", Job: job, Operator: operator}
	for _, p := range pages {
		cfg.URLs = append(cfg.URLs, serve(t, map[string]answer{"/": page([]byte(p))}))
	}
	return ok[*consumer.FlinkCDC](t)(consumer.NewFlinkCDC(cfg))
}

// subtask is what the reporter writes of one: gauges and their values in turn.
func subtask(index int, gauges ...any) string {
	var b strings.Builder
	for i := 0; i < len(gauges); i += 2 {
		fmt.Fprintf(&b, "flink_taskmanager_job_task_operator_%s{job_id=\"j1\",task_attempt_id=\"a_%d\",operator_id=\"o1\",operator_name=\"Source:_MySQL_Source\","+
			"job_name=\"cdc\",subtask_index=\"%d\",} %v\n", gauges[i], index, index, gauges[i+1])
	}
	return b.String()
}

// Subtask 0 reads the binlog; the other tells that it knows nothing.
var cdcPage = subtask(0, "currentBinlogPositionLag", 2.0, "currentBinlogBytePositionLag", 551845.0, "currentBinlogTransactionLag", 401.0,
	"currentFetchEventTimeLag", -1.0, "sourceIdleTime", 1200.0) +
	subtask(1, "currentBinlogPositionLag", -1.0, "sourceIdleTime", 90000.0) +
	"flink_taskmanager_job_task_operator_numRecordsIn{job_id=\"j1\",job_name=\"cdc\"} 5\n"

// otherPage has a source of Kafka in another job.
const otherPage = `flink_taskmanager_job_task_operator_currentFetchEventTimeLag{job_id="j2",job_name="other",operator_id="o2",operator_name="Source:_kafka"} 17
`

// The pages are those of Flink 1.20.5 with Flink CDC 3.5.0, and with a build of what was proposed to Flink CDC as FLINK-40397. Two
// subtasks run; one of them has had nothing since its part of the snapshot.
func TestFlinkCDCRecorded(t *testing.T) {
	for _, c := range []struct {
		page, job string
		want      []string
	}{
		{"flinkcdc-3.5.0", "cdc", []string{"currentFetchEventTimeLag 106", "currentEmitEventTimeLag 584", "sourceIdleTime 4580"}},
		{"flinkcdc-3.5.0-snapshot", "cdc.job 1", []string{"sourceIdleTime 0"}},
		{"flinkcdc-3.5.0-behind", "cdc.job 1", []string{"currentFetchEventTimeLag 372", "currentEmitEventTimeLag 7862", "sourceIdleTime 0"}},
		{"flinkcdc-proposed", "cdc.job 1", []string{
			"currentBinlogBytePositionLag 5.031946e+06", "currentBinlogTransactionLag 285",
			"currentFetchEventTimeLag 515", "currentEmitEventTimeLag 2687", "sourceIdleTime 0",
		}},
	} {
		p := string(testdata(t, c.page+".prom"))
		for _, operator := range []string{"", "MySQL Source", "MySQL_Source"} {
			want(t, flink(t, c.job, operator, p), c.want...)
		}
	}
}

// Which subtask has the binlog is nowhere said.
func TestFlinkCDCSubtasks(t *testing.T) {
	for name, c := range map[string]struct {
		page string
		want []string
	}{
		"one has begun": {
			subtask(0, "currentFetchEventTimeLag", -1, "sourceIdleTime", 5) + subtask(1, "currentFetchEventTimeLag", 30, "sourceIdleTime", 700),
			[]string{"currentFetchEventTimeLag 30", "sourceIdleTime 700"},
		},
		"none has": {
			subtask(0, "currentFetchEventTimeLag", -1, "sourceIdleTime", 900) + subtask(1, "currentFetchEventTimeLag", -1, "sourceIdleTime", 700),
			[]string{"sourceIdleTime 700"},
		},
		"the binlog has gone from one to another": {
			subtask(0, "currentFetchEventTimeLag", 9000, "currentEmitEventTimeLag", 9100, "sourceIdleTime", 60000) +
				subtask(1, "currentFetchEventTimeLag", 0, "currentEmitEventTimeLag", 40, "sourceIdleTime", 0),
			[]string{"currentFetchEventTimeLag 0", "currentEmitEventTimeLag 40", "sourceIdleTime 0"},
		},
		"it is not said how long they were idle": {
			subtask(0, "currentFetchEventTimeLag", 10) + subtask(1, "currentFetchEventTimeLag", 20), []string{"currentFetchEventTimeLag 20"},
		},
		"it is said of one alone": {
			subtask(0, "currentFetchEventTimeLag", 90) + subtask(1, "currentFetchEventTimeLag", 20, "sourceIdleTime", 7),
			[]string{"currentFetchEventTimeLag 20", "sourceIdleTime 7"},
		},
		"no gauge has a value": {subtask(0, "currentFetchEventTimeLag", -1), nil},
	} {
		t.Run(name, func(t *testing.T) { want(t, flink(t, "", "", c.page), c.want...) })
	}
}

// A TaskManager that is gone leaves its address in the configuration, and the job runs on others.
func TestFlinkCDCLostPage(t *testing.T) {
	lost := answer{http.StatusBadGateway, "text/plain", ""}
	pages := func(body string) *consumer.FlinkCDC {
		urls := []string{serve(t, map[string]answer{"/": lost}), serve(t, map[string]answer{"/": page([]byte(body))})}
		return ok[*consumer.FlinkCDC](t)(consumer.NewFlinkCDC(consumer.FlinkCDCConfig{Name: "f", URLs: urls}))
	}
	n, err := pages(subtask(1, "currentFetchEventTimeLag", 30, "sourceIdleTime", 0)).Read(t.Context())
	if err != nil || len(n.Reported) != 2 || n.Which != "" || !strings.HasPrefix(n.LeftOut, "GET ") {
		t.Errorf("%+v, %v", n, err)
	}
	for _, body := range []string{"", subtask(1, "currentFetchEventTimeLag", -1, "sourceIdleTime", 90000)} { // that with the binlog may be on the other
		n, err := pages(body).Read(t.Context())
		if err == nil || !strings.Contains(err.Error(), "502") || len(n.Reported) > 0 || n.State != "" {
			t.Errorf("of %q: %+v, %v", body, n, err)
		}
	}
}

func TestFlinkCDC(t *testing.T) {
	ours := []string{"currentBinlogBytePositionLag 551845", "currentBinlogTransactionLag 401", "currentBinlogPositionLag 2", "sourceIdleTime 1200"}
	want(t, flink(t, "", "", cdcPage), ours...)
	want(t, flink(t, "cdc", "", cdcPage, otherPage), ours...)
	want(t, flink(t, "j1", "MySQL", otherPage, cdcPage), ours...)
	want(t, flink(t, "", "MySQL", cdcPage+otherPage), ours...)
	want(t, flink(t, "other", "", cdcPage+otherPage), "currentFetchEventTimeLag 17")
	want(t, flink(t, "", "", cdcPage, otherPage),
		"error gauges of several sources: configure the job, and a part of the operator's name")
	want(t, flink(t, "cdc", "Mongo", cdcPage), "state missing", "reason no page tells gauges of such a source")
	want(t, flink(t, "", "", ""), "state missing", "reason no page tells gauges of such a source")
}

func TestReports(t *testing.T) {
	place := func() *consumer.File {
		return ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Name: "a", Path: written(t, `{"file":"b.000001","pos":4}`)}))
	}
	if c := place(); consumer.WithReports(c) != c {
		t.Error("not the place's own")
	}
	jmx := page(testdata(t, "jmx-debezium.txt")) // without a place, which is not asked for
	c := consumer.WithReports(place(), flink(t, "", "", cdcPage), debezium(t, "my80", jmx))
	if c.Name() != "a" {
		t.Error(c.Name())
	}
	lines := []string{"place b.000001:4", "currentBinlogBytePositionLag 551845", "currentBinlogTransactionLag 401", "currentBinlogPositionLag 2",
		"sourceIdleTime 1200", "MilliSecondsBehindSource 0"}
	want(t, c, lines...)
	c.Close()
	want(t, consumer.WithReports(place(), flink(t, "", "", cdcPage+otherPage), debezium(t, "my80", jmx)),
		"place b.000001:4", "left out: reported by f: gauges of several sources: configure the job, and a part of the operator's name",
		"MilliSecondsBehindSource 0")
	none := ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Name: "a", Path: "/none"}))
	want(t, consumer.WithReports(none, debezium(t, "my80", jmx)), "MilliSecondsBehindSource 0", "error stat /none: no such file or directory")
}

// startling panics over what it reads.
type startling struct{ mysql.Consumer }

func (startling) Name() string { return "s" }
func (startling) Read(context.Context) (n mysql.Note, _ error) {
	return n, errors.New(n.Position.File)
}

// A report that nobody can read costs neither the place nor the process.
func TestReportsThatPanic(t *testing.T) {
	place := ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Name: "a", Path: written(t, `{"file":"b.000001","pos":4}`)}))
	n, err := consumer.WithReports(place, startling{}).Read(t.Context())
	if err != nil || n.Position == nil || n.Position.File != "b.000001" || !strings.Contains(n.LeftOut, "reported by s: panic: ") {
		t.Errorf("%+v, %v", n, err)
	}
}
