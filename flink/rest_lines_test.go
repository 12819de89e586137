package flink

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Answers of three lines of Flink, trimmed, are in testdata/rest.

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "rest", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func decoded[T any](t *testing.T, name string) T {
	t.Helper()
	var v T
	if err := decode(fixture(t, name), &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestCheckpointsOfThreeLines(t *testing.T) {
	for name, want := range map[string]string{
		"1.20-checkpoints":         "2s: 31 completed, 0 failed; completed 1795980725475",
		"2.2-checkpoints":          "2s: 28 completed, 0 failed",
		"1.20-failing-checkpoints": "2s: 0 completed, 18 failed; failed 1795982059361 (Checkpoint expired before completing.)",
		"2.2-failing-checkpoints": "2s: 2 completed, 19 failed; completed 1795982044232; " +
			"failed 1795982063378 (Checkpoint expired before completing.)",
		"1.20-finished-checkpoints": "2s: 4 completed, 0 failed; completed 1795980868293; stopped with 1795980868293",
		"2.0-finished-checkpoints":  "2s: 4 completed, 0 failed; completed 1795980878908; stopped with 1795980878908",
		"2.2-finished-checkpoints":  "2s: 4 completed, 0 failed; completed 1795980889676; stopped with 1795980889676",
		"2.0-restored-checkpoints": "2s: 21 completed, 0 failed; completed 1795981134272; " +
			"restored 5 at 1795981113972, a savepoint",
		"1.20-restarted-checkpoints": "2s: 59 completed, 17 failed; completed 1795981654601; restored 36 at 1795981617569",
		"2.2-nockpt-checkpoints":     "2s: 0 completed, 0 failed",
	} {
		answer := decoded[checkpointAnswer](t, name)
		if got := checkpointText(answer.checkpoints(2*time.Second, "FINISHED")); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]time.Duration{
		"1.20-checkpoints-config": 2 * time.Second, "2.2-checkpoints-config": 2 * time.Second,
		"1.20-nockpt-checkpoints-config": 0, "2.0-nockpt-checkpoints-config": 0, "2.2-nockpt-checkpoints-config": 0,
	} {
		if answer := decoded[checkpointConfigAnswer](t, name); answer.interval() != want {
			t.Errorf("%s: %s, want %s", name, answer.interval(), want)
		}
	}
	for text, want := range map[string]time.Duration{`{}`: -1, `{"interval":"NaN"}`: -1, `{"interval":"500"}`: 500 * time.Millisecond} {
		var answer checkpointConfigAnswer
		if err := decode([]byte(text), &answer); err != nil || answer.interval() != want {
			t.Errorf("%s: %s, %v", text, answer.interval(), err)
		}
	}
}

func checkpointText(c *Checkpoints) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d completed, %d failed", c.Interval, c.Completed, c.Failed)
	if !c.LastCompleted.IsZero() {
		fmt.Fprintf(&b, "; completed %d", c.LastCompleted.UnixMilli())
	}
	if !c.LastFailed.IsZero() {
		fmt.Fprintf(&b, "; failed %d (%s)", c.LastFailed.UnixMilli(), c.Failure)
	}
	if r := c.Restored; r != nil {
		fmt.Fprintf(&b, "; restored %d at %d", r.ID, r.At.UnixMilli())
		if r.Savepoint {
			b.WriteString(", a savepoint")
		}
	}
	if !c.StoppedWith.IsZero() {
		fmt.Fprintf(&b, "; stopped with %d", c.StoppedWith.UnixMilli())
	}
	return b.String()
}

// recorded plays the answers of a line for one job, at the time when they were given.
type recorded struct {
	line, job, values, checkpoints string
	version                        string
}

func (r recorded) handler(t *testing.T) http.Handler {
	var job struct {
		ID       string `json:"jid"`
		Vertices []struct {
			ID    string `json:"id"`
			Start int64  `json:"start-time"`
		} `json:"vertices"`
		Now int64 `json:"now"`
	}
	body := fixture(t, r.line+"-"+r.job)
	if err := json.Unmarshal(body, &job); err != nil {
		t.Fatal(err)
	}
	values := decoded[[]metricAnswer](t, r.line+"-"+r.values)
	stored := make(map[string]string, len(values))
	for _, m := range values {
		stored[m.ID] = string(m.Value)
	}
	vertex := "/jobs/" + job.ID + "/vertices/" + job.Vertices[0].ID
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var answer any
		switch q.URL.Path {
		case "/config":
			answer = object{"flink-version": r.version}
		case "/jobs/overview":
			answer = object{"jobs": []json.RawMessage{body}} // its rows have the same names
		case "/jobs/" + job.ID:
			answer = json.RawMessage(body)
		case "/jobs/" + job.ID + "/checkpoints":
			answer = json.RawMessage(fixture(t, r.line+"-"+r.checkpoints))
		case "/jobs/" + job.ID + "/checkpoints/config":
			answer = json.RawMessage(fixture(t, r.line+"-checkpoints-config"))
		case "/jobs/" + job.ID + "/config":
			answer = json.RawMessage(fixture(t, r.line+"-job-config"))
		case "/jobs/" + job.ID + "/metrics":
			answer = metricAnswers(map[string]string{"uptime": "20000"}, q.URL.Query())
		case vertex:
			answer = object{"now": job.Now, "subtasks": []object{
				{"subtask": 0, "attempt": 0, "start-time": job.Vertices[0].Start}, {"subtask": 1, "attempt": 1, "start-time": job.Vertices[0].Start},
			}}
		case vertex + "/metrics":
			answer = metricAnswers(stored, q.URL.Query())
		default:
			refuse(w, "not found")
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
}

func TestThreeLinesOfFlink(t *testing.T) {
	const running = `h-job ID
 checkpoints COUNT completed 0 failed, last LAST
 source 4227536cdf1f2857912028d41d1921dd Source__orders
  0 attempt 0: commits COMMITS failed 0, busy 0 backpressured 0 idle 1
  1 attempt 1: commits COMMITS failed 0, busy 0 backpressured 0 idle 1
  orders_p3 0 by 0: emitted 9 committed 10
  orders_p3 1 by 1: emitted 6 committed 7
  orders_p3 2 by 0: emitted -1 committed -1
`
	for line, values := range map[string][]string{
		"1.20": {"ID", "bf3ae949e1b0d0ec197fd36dc0b07da5", "COUNT", "31", "LAST", "1795980725475", "COMMITS", "30"},
		"2.0": {"ID", "dacc2afdd9f31a20ad33a5373b372ae3", "COUNT", "58", "LAST", "1795980727643", "COMMITS", "55",
			"busy 0 ", "busy 0.002 ", "idle 1", "idle 0.998"},
		"2.2": {"ID", "c07676cfb8bbd619497ee3afee3dacc1", "COUNT", "28", "LAST", "1795980731186", "COMMITS", "25"},
	} {
		t.Run(line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := recorded{line: line, job: "job", values: "vertex-metrics-values", checkpoints: "checkpoints", version: line + ".1"}
				jobs := view(t, startCluster(t, r.handler(t), Config{Parameters: true})).Jobs
				if got, want := told(jobs), strings.NewReplacer(values...).Replace(running); got != want {
					t.Fatalf("got\n%s\nwant\n%s", got, want)
				}
				j := jobs[0]
				if j.Err != nil || j.Version != r.version || j.Parameters["topics"] != "orders.p3" || j.Checkpoints.Interval != 2*time.Second {
					t.Errorf("got %+v", j)
				}
			})
		})
	}
}

func TestFinishedJobsOfThreeLines(t *testing.T) {
	for line, want := range map[string]int64{"1.20": -1, "2.0": 24, "2.2": 31} {
		synctest.Test(t, func(t *testing.T) {
			r := recorded{line: line, job: "finished-job", values: "vertex-metrics-values", checkpoints: "finished-checkpoints", version: line + ".1"}
			// A bubble's time begins in 2000: the job did not end too long ago.
			source := onlySource(t, view(t, startCluster(t, r.handler(t), Config{})))
			if source.ReadRecords != want {
				t.Errorf("%s: %d records read, want %d", line, source.ReadRecords, want)
			}
		})
	}
}

// All that three lines say of sources is understood, and nothing else is taken for it.
func TestMetricIDsOfThreeLines(t *testing.T) {
	for name, want := range map[string]map[metricKind]int{
		"1.20-vertex-metrics-values":     {idEmitted: 3, idCommitted: 3, idSucceeded: 2, idFailed: 2, idRecords: 2, idBusy: 2, idBackpressured: 2, idIdle: 2},
		"2.0-vertex-metrics-values":      {idEmitted: 3, idCommitted: 3, idSucceeded: 2, idFailed: 2, idRecords: 2, idBusy: 2, idBackpressured: 2, idIdle: 2},
		"2.2-vertex-metrics-values":      {idEmitted: 3, idCommitted: 3, idSucceeded: 2, idFailed: 2, idRecords: 2, idBusy: 2, idBackpressured: 2, idIdle: 2},
		"2.2-dynamic-source-metrics":     {idEmitted: 1, idCommitted: 1, idSucceeded: 1, idFailed: 1},
		"2.2-odd-operator-name-metrics":  {idEmitted: 2, idCommitted: 2, idSucceeded: 1, idFailed: 1},
		"1.20-odd-operator-name-metrics": {idEmitted: 2, idCommitted: 2, idSucceeded: 1, idFailed: 1},
		"1.20-legacy-consumer-metrics":   {idEmitted: 2, idCommitted: 2, idSucceeded: 1, idFailed: 1},
		"2.2-backpressured-source-metrics": {
			idEmitted: 1, idCommitted: 1, idSucceeded: 1, idFailed: 1, idBusy: 1, idBackpressured: 1, idIdle: 1},
	} {
		wanted, skipped := wantedMetrics(decoded[[]metricAnswer](t, name))
		got := make(map[metricKind]int)
		for _, id := range wanted {
			got[id.kind]++
		}
		if !maps.Equal(got, want) || skipped != 0 {
			t.Errorf("%s: %v, want %v; %d skipped", name, got, want, skipped)
		}
	}
}
