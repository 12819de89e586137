package consumer_test

import (
	"context"
	"errors"
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

// One subtask reads the binlog; the other tells that it knows nothing.
const cdcPage = `# TYPE flink_taskmanager_job_task_operator_currentBinlogPositionLag gauge
flink_taskmanager_job_task_operator_currentBinlogPositionLag{job_id="j1",job_name="cdc",operator_id="o1",operator_name="Source:_MySQL_Source",subtask_index="0",} 2.0
flink_taskmanager_job_task_operator_currentBinlogPositionLag{job_id="j1",job_name="cdc",operator_id="o1",operator_name="Source:_MySQL_Source",subtask_index="1",} -1.0
flink_taskmanager_job_task_operator_currentBinlogBytePositionLag{job_id="j1",job_name="cdc",operator_id="o1",operator_name="Source:_MySQL_Source",subtask_index="0",} 551845.0
flink_taskmanager_job_task_operator_currentBinlogTransactionLag{job_id="j1",job_name="cdc",operator_id="o1",operator_name="Source:_MySQL_Source",subtask_index="0",} 401.0
flink_taskmanager_job_task_operator_currentFetchEventTimeLag{job_id="j1",job_name="cdc",operator_id="o1",operator_name="Source:_MySQL_Source",subtask_index="0",} -1.0
flink_taskmanager_job_task_operator_sourceIdleTime{job_id="j1",job_name="cdc",operator_id="o1",operator_name="Source:_MySQL_Source",subtask_index="0",} 1200.0
flink_taskmanager_job_task_operator_sourceIdleTime{job_id="j1",job_name="cdc",operator_id="o1",operator_name="Source:_MySQL_Source",subtask_index="1",} 90000.0
flink_taskmanager_job_task_operator_numRecordsIn{job_id="j1",job_name="cdc"} 5
`

// otherPage has a source of Kafka in another job.
const otherPage = `flink_taskmanager_job_task_operator_currentFetchEventTimeLag{job_id="j2",job_name="other",operator_id="o2",operator_name="Source:_kafka"} 17
`

// The page is that of Flink 1.20.5 with Flink CDC 3.5.0, whose second subtask has had nothing since its part of the snapshot.
func TestFlinkCDCRecorded(t *testing.T) {
	p := string(testdata(t, "flinkcdc-3.5.0.prom"))
	for _, operator := range []string{"", "MySQL Source", "MySQL_Source"} {
		want(t, flink(t, "cdc", operator, p), "currentFetchEventTimeLag 106", "currentEmitEventTimeLag 584", "sourceIdleTime 4580")
	}
}

func TestFlinkCDC(t *testing.T) {
	ours := []string{"currentBinlogPositionLag 2", "currentBinlogBytePositionLag 551845", "currentBinlogTransactionLag 401", "sourceIdleTime 1200"}
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
	lines := []string{"place b.000001:4", "currentBinlogPositionLag 2", "currentBinlogBytePositionLag 551845", "currentBinlogTransactionLag 401",
		"sourceIdleTime 1200", "MilliSecondsBehindSource 0"}
	want(t, c, lines...)
	c.Close()
	want(t, consumer.WithReports(place(), flink(t, "", "", cdcPage+otherPage), debezium(t, "my80", jmx)),
		"place b.000001:4", "which left out: reported by f: gauges of several sources: configure the job, and a part of the operator's name",
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
	if err != nil || n.Position == nil || n.Position.File != "b.000001" || !strings.Contains(n.Which, "left out: reported by s: panic: ") {
		t.Errorf("%+v, %v", n, err)
	}
}
