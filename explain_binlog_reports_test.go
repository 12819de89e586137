package main

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// Flink CDC publishes its lag in place of a place, also where one of its TaskManagers is gone. A consumer that has noted down nothing yet
// may report a lag as well, and is another case.
func TestConsumersThatReportALagAlone(t *testing.T) {
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		const labels = `{job_id="j1",operator_id="o1",operator_name="Source:_MySQL",job_name="cdc",subtask_index="0"}`
		_, _ = fmt.Fprintf(w, "flink_taskmanager_job_task_operator_%[2]s%[1]s 30\nflink_taskmanager_job_task_operator_%[3]s%[1]s 7\n",
			labels, "currentFetchEventTimeLag", "sourceIdleTime")
	}))
	defer pages.Close()
	path := filepath.Join(t.TempDir(), "truelag.yml")
	reports := fmt.Sprintf("flink_cdc: {urls: [%q, %q]}}", pages.URL, pages.URL+"/gone")
	binlogs(t, path, newFakeMySQL(t), "", "{name: flink, "+reports, strings.TrimSuffix(placed(t, "new", `{"file":null}`), "}")+", "+reports)
	p := serving(t, "--config.file="+path)
	p.scrape()
	const alone, yet = "The consumer publishes only its own lag: currentFetchEventTimeLag 30, sourceIdleTime 7.", "compare the names"
	for consumer, want := range map[string]struct {
		says, not, probed string
	}{
		"flink": {alone, yet, "it tells no place; it reports currentFetchEventTimeLag, sourceIdleTime; left out: GET "},
		"new":   {yet, alone, "it has noted nothing down yet; it reports currentFetchEventTimeLag, sourceIdleTime; left out: reported by flink_cdc: GET "},
	} {
		_, body := p.get("/explain/binlog?server=orders-db&consumer=" + consumer)
		if body = html.UnescapeString(body); !strings.Contains(body, want.says) || strings.Contains(body, want.not) {
			t.Errorf("%s: the page does not say %q, or %q:\n%s", consumer, want.says, want.not, body)
		}
		if _, stdout, _ := runs(t, "check-config", "--probe", "--config.file="+path); !strings.Contains(stdout, fmt.Sprintf("consumer %q (", consumer)) || !strings.Contains(stdout, want.probed) {
			t.Errorf("%s: the probe does not say %q:\n%s", consumer, want.probed, stdout)
		}
	}
	_, landing := p.get("/")
	for _, verdict := range []string{"It tells no place, only its own lag.", "It has noted down no place yet."} {
		if strings.Count(landing, verdict) != 1 {
			t.Errorf("the landing page does not say %q once:\n%s", verdict, landing)
		}
	}
}
