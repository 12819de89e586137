package consumer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"truelag/mysql"
)

// FlinkCDCConfig is a source of Flink CDC by the gauges of its reader. Flink publishes no place, so there are reported lags alone.
type FlinkCDCConfig struct {
	Name string // of the consumer

	// URLs are the pages of Flink's Prometheus reporter, one for each TaskManager that may run the source.
	URLs []string

	// Job is the name or id of the job, and Operator a part of the source's name, as Flink shows them or as the reporter makes labels of
	// them: with _ for all but letters, digits, colons and _. Empty: any.
	Job, Operator string

	Client *http.Client // knows certificates and credentials, and is the consumer's own; nil: plain
}

// flinkGauges are what readers of Flink CDC tell. The first three, in binlog files, bytes and transactions, are of releases after 3.6; the
// others are in milliseconds and those of any source of Flink; but for the last they stand still while nothing is read.
var flinkGauges = []string{
	"currentBinlogPositionLag", "currentBinlogBytePositionLag", "currentBinlogTransactionLag",
	"currentFetchEventTimeLag", "currentEmitEventTimeLag", idleGauge,
}

// idleGauge is how long a subtask has had nothing to read. Of a source only one subtask has something, once its snapshot is over.
const idleGauge = "sourceIdleTime"

// flinkOperator is how Flink's reporter begins the names of an operator's metrics.
const flinkOperator = "flink_taskmanager_job_task_operator_"

// FlinkCDC reads gauges of a source from pages of Flink's Prometheus reporter.
type FlinkCDC struct {
	cfg   FlinkCDCConfig
	pages pages
}

// NewFlinkCDC asks nothing yet.
func NewFlinkCDC(cfg FlinkCDCConfig) (*FlinkCDC, error) {
	urls, err := parseURLs(cfg.URLs)
	if err != nil {
		return nil, fmt.Errorf("page of Flink's reporter: %w", err)
	}
	return &FlinkCDC{cfg, pages{newHTTPSource(cfg.Client, "Flink's Prometheus reporter"), urls}}, nil
}

// Name is the consumer's.
func (f *FlinkCDC) Name() string { return f.cfg.Name }

// Close ends idle connections.
func (f *FlinkCDC) Close() { f.pages.http.Close() }

// Read reads all pages. Of the subtasks the one that is farthest behind counts, and the one that was idle for the shortest time: one
// alone reads the binlog, and the others tell -1, which is no lag. A job of several sources must be told apart by Operator.
func (f *FlinkCDC) Read(ctx context.Context) (mysql.Note, error) {
	samples, err := f.pages.read(ctx, func(name string) bool { return flinkGauge(name) != "" })
	lags := map[string]float64{}
	operators := map[string]bool{}
	for _, s := range samples {
		if !f.isOurs(s) {
			continue
		}
		operators[s.label("job_id")+"\n"+s.label("operator_id", "operator_name")] = true
		gauge := flinkGauge(s.name)
		if lag, ok := lags[gauge]; s.known() && (!ok || s.value > lag != (gauge == idleGauge)) {
			lags[gauge] = s.value
		}
	}
	if len(operators) > 1 {
		return mysql.Note{}, errors.Join(err, errors.New("gauges of several sources: configure the job, and a part of the operator's name"))
	}
	var note mysql.Note
	for _, gauge := range flinkGauges {
		if lag, ok := lags[gauge]; ok {
			note.Reported = append(note.Reported, mysql.Reported{Source: gauge, Value: lag})
		}
	}
	if len(operators) == 0 && err == nil {
		note.State, note.Reason = stateMissing, "no page tells gauges of such a source"
	}
	return note, err
}

func (f *FlinkCDC) isOurs(s sample) bool {
	job, operator := s.label("job_name"), s.label("operator_name")
	return (f.cfg.Job == "" || s.label("job_id") == f.cfg.Job || job == f.cfg.Job || job == asLabel(f.cfg.Job)) &&
		(strings.Contains(operator, f.cfg.Operator) || strings.Contains(operator, asLabel(f.cfg.Operator)))
}

// asLabel is a name as the reporter writes it, unless its filterLabelValueCharacters is off.
func asLabel(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == ':' || r == '_' {
			return r
		}
		return '_'
	}, name)
}

// flinkGauge is the gauge's own name; empty: another metric.
func flinkGauge(name string) string {
	rest, ok := strings.CutPrefix(name, flinkOperator)
	if !ok || !slices.Contains(flinkGauges, rest) {
		return ""
	}
	return rest
}
