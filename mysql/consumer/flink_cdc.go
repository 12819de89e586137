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

// flinkGauges are what readers of Flink CDC tell. The first two, in bytes and transactions, are proposed for releases after 3.6; the third
// is of an earlier draft, in one of those. The others are in milliseconds and those of any source of Flink. All but the last stand still
// while nothing is read, and the first three while the job is held up as well.
var flinkGauges = []string{
	"currentBinlogBytePositionLag", "currentBinlogTransactionLag", "currentBinlogPositionLag",
	"currentFetchEventTimeLag", "currentEmitEventTimeLag", idleGauge,
}

// idleGauge is how long a subtask has had nothing to hand on; heartbeats are nothing. It is 0 of one that is held up.
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

// Read reads all pages. Of the subtasks the one that reads the binlog counts. A page that cannot be read costs itself alone
// once that one is found: a TaskManager that is gone leaves its address behind. A job of several sources must be told apart by Operator.
func (f *FlinkCDC) Read(ctx context.Context) (mysql.Note, error) {
	samples, err := f.pages.read(ctx, func(name string) bool { return flinkGauge(name) != "" })
	tasks := map[string]cdcTask{}
	sources := map[string]bool{}
	for _, s := range samples {
		if !f.isOurs(s) {
			continue
		}
		sources[s.label("job_id")+"\n"+s.label("operator_id", "operator_name")] = true
		id := s.label("subtask_index") + "\n" + s.label("task_attempt_id")
		if tasks[id] == nil {
			tasks[id] = cdcTask{}
		}
		if s.known() {
			tasks[id][flinkGauge(s.name)] = s.value
		}
	}
	if len(sources) > 1 {
		return mysql.Note{}, errors.Join(err, errors.New("gauges of several sources: configure the job, and a part of the operator's name"))
	}
	reader := pickTask(tasks)
	switch {
	case err != nil && !reader.reads(): // it may be on a page that was not read
		return mysql.Note{}, err
	case reader == nil:
		return mysql.Note{State: stateMissing, Reason: "no page tells gauges of such a source"}, nil
	}
	var note mysql.Note
	for _, gauge := range flinkGauges {
		if lag, ok := reader[gauge]; ok {
			note.Reported = append(note.Reported, mysql.Reported{Source: gauge, Value: lag})
		}
	}
	return beside(note, err), nil
}

// cdcTask is what a subtask of a source tells, by gauge, without what stands for nothing.
type cdcTask map[string]float64

// pickTask is the subtask that reads the binlog: one alone does, and the others tell no lag, since rows of a snapshot have none. Where
// several tell one, the binlog has gone from one to another: that which was idle for the shortest time has it. While none tells one, that
// is the likeliest. nil is no subtask.
func pickTask(tasks map[string]cdcTask) cdcTask {
	var best cdcTask
	for _, t := range tasks {
		if best == nil || t.before(best) {
			best = t
		}
	}
	return best
}

// reads says that it was handed something of the binlog.
func (t cdcTask) reads() bool {
	for gauge := range t {
		if gauge != idleGauge {
			return true
		}
	}
	return false
}

func (t cdcTask) before(other cdcTask) bool {
	if t.reads() != other.reads() {
		return t.reads()
	}
	idle, known := t[idleGauge]
	others, also := other[idleGauge]
	if known != also {
		return known
	}
	if idle != others {
		return idle < others
	}
	for _, gauge := range flinkGauges {
		if t[gauge] != other[gauge] {
			return t[gauge] > other[gauge]
		}
	}
	return false
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
