//go:build e2e

package lab_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"truelag/mysql"
)

// wardPages are those that are read by HTTP.
var wardPages = map[string]string{
	"task":         "BinlogConsumerFailed whole task failed",
	"unread":       "BinlogConsumerNotRead whole unread unknown",
	"forgetful":    "BinlogConsumerNotRead whole forgetful no_position",
	"gone":         "BinlogConsumerFailed whole gone missing",
	"flink":        "FlinkCDCBehind whole flink",
	"flink-ceased": "BinlogConsumerFailed whole flink-ceased missing",
}

// ServeHTTP answers as Kafka Connect does of a connector, and as Flink's reporter of a job.
func (w *ward) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	ill := w.ill.Load()
	flink := func(emitted, idle int) {
		for gauge, value := range map[string]int{"currentEmitEventTimeLag": emitted, "sourceIdleTime": idle} {
			fmt.Fprintf(rw, "flink_taskmanager_job_task_operator_%s{job_id=\"j\",operator_id=\"o\",job_name=\"cdc\",subtask_index=\"0\",} %d.0\n", gauge, value)
		}
	}
	parts := strings.Split(r.URL.Path, "/")
	switch c, what := parts[len(parts)-2], parts[len(parts)-1]; {
	case what == "flink" && ill:
		flink(400_000, 0)
	case what == "flink": // the last row that it has handed on was old, and that is a while ago
		flink(400_000, 90_000)
	case what == "flink-ceased" && !ill:
		flink(500, 0)
	case what == "flink-ceased":
	case c == "unread" && ill:
		http.Error(rw, "no", http.StatusInternalServerError)
	case c == "gone" && ill:
		rw.WriteHeader(http.StatusNotFound)
		fmt.Fprint(rw, `{"error_code":404,"message":"Connector gone not found"}`)
	case what == "status" && c == "task" && ill:
		fmt.Fprint(rw, `{"name":"task","connector":{"state":"RUNNING"},"tasks":[{"id":0,"state":"FAILED","trace":"it is no longer available"}]}`)
	case what == "status":
		fmt.Fprint(rw, `{"name":"c","connector":{"state":"RUNNING"},"tasks":[{"id":0,"state":"RUNNING"}]}`)
	case c == "forgetful" && ill:
		fmt.Fprint(rw, `{"offsets":[]}`)
	default:
		end, _ := w.end.Load().(mysql.Position)
		json.NewEncoder(rw).Encode(map[string]any{"offsets": []any{map[string]any{
			"partition": map[string]any{"server": c},
			"offset":    map[string]any{"file": end.File, "pos": end.Pos, "gtids": end.GTIDs},
		}}})
	}
}
