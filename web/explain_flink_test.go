package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// word is what a healthy job says.
func word(change func(*FlinkWord)) FlinkWord {
	f := FlinkWord{
		Job: "payments <b>", JobID: "0123", State: "RUNNING", Operator: "Source__orders", How: "configured",
		Compared: noon.Add(-2 * time.Second), Interface: "rest", Heard: noon.Add(-5 * time.Second), Fresh: true,
		Emitted: 9, Committed: 10, Broker: 10, Agreement: "match", Replay: 0, Skip: 0, Uncommitted: 0,
	}
	if change != nil {
		change(&f)
	}
	return f
}

func TestFlinkWords(t *testing.T) {
	for want, change := range map[string]func(*FlinkWord){
		"Its committed offset is one that the group has or had. A start from the group's offsets would read nothing again.": nil,
		"Its committed offset is one that the group has or had. A start from the group's offsets would read 1 record again.": func(f *FlinkWord) {
			f.Replay = 1
		},
		"Its committed offset is not one that the group has or had, for no longer than waiting for a commit or its acknowledgement explains.": func(f *FlinkWord) {
			f.Agreement, f.Replay = "pending", -1
		},
		"The group's committed offset has been 3 offsets above what Flink says, for longer than waiting explains.": func(f *FlinkWord) {
			f.Agreement, f.Broker = "broker_ahead", 13
		},
		"The group's committed offset has been 10 offsets below what Flink says, for longer than waiting explains.": func(f *FlinkWord) {
			f.Agreement, f.Broker = "broker_behind", -1
		},
		"2 records are committed that the job had not emitted: a start from the group's offsets would lose them.": func(f *FlinkWord) {
			f.Skip = 2
		},
		"Since its task began, it has not learned of a commit. A start from the group's offsets would read 7 records again.": func(f *FlinkWord) {
			f.Agreement, f.Committed, f.Replay = "unknown", -1, 7
		},
		"The group's commit is not known.": func(f *FlinkWord) { f.Agreement, f.Broker = "unknown", -2 },
		"What it said last is old, or of a task that does not run: nothing can be compared.": func(f *FlinkWord) {
			f.Fresh, f.Emitted, f.Committed = false, -1, -1
		},
		"The job is over. It had emitted at least 12 records that the group has not committed.": func(f *FlinkWord) {
			f.Ended, f.Uncommitted = true, 12
		},
		"It reads this partition, but which group it commits to is not told, and cannot be inferred from one look: flink.clusters[].sources can name it.": func(f *FlinkWord) {
			f.How = ""
		},
		"The job is over. All that it is known to have emitted is committed.": func(f *FlinkWord) { f.Ended = true },
		"The job is over. What it had not committed is not known.":            func(f *FlinkWord) { f.Ended, f.Uncommitted = true, -1 },
	} {
		f := word(change)
		if got := f.Says(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestFlinkOffsetsInWords(t *testing.T) {
	for want, change := range map[string]func(*FlinkWord){
		"9":         nil,
		"none yet":  func(f *FlinkWord) { f.Emitted = -1 },
		"not known": func(f *FlinkWord) { f.Emitted, f.Fresh = -1, false },
		"none":      func(f *FlinkWord) { f.Emitted, f.Fresh, f.Ended = -1, false, true },
	} {
		f := word(change)
		if got := f.Offset(f.Emitted); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The page, the text and the JSON show Flink's numbers beside the broker's, with the age of each.
func TestExplanationShowsFlink(t *testing.T) {
	with := func(p Place) *Explanation {
		e := sample(p)
		e.Flink = []FlinkWord{word(func(f *FlinkWord) {
			f.Conditions = []string{"markers_uncommitted", "held_back"}
			f.Restored, f.RestoredFrom = noon.Add(-time.Hour), "savepoint 5"
			f.Completed, f.Failed, f.Failure = noon.Add(-time.Minute), noon.Add(-time.Second), "Checkpoint expired <before> completing.\x00"
		})}
		e.Unheard = []string{"not heard: <eu>"}
		return e
	}
	h := explaining(t, Lags{}, func(c *Config) {
		c.Explain = func(_ context.Context, p Place) (*Explanation, error) { return with(p), nil }
	})
	answer := ask(h, http.MethodGet, "/explain?group=g&topic=t&partition=0")
	if answer.Code != http.StatusOK {
		t.Fatalf("answer %d", answer.Code)
	}
	body := answer.Body.String()
	for _, want := range []string{
		"payments &lt;b&gt; / Source__<wbr>orders", "5 s ago", "by rest", "<b>match</b>", "2 s ago", "Conditions: markers_uncommitted, held_back.",
		"Restored from savepoint 5 at 2026-11-29 11:00:00 UTC. Last checkpoint 60 s ago. A checkpoint failed at 2026-11-29 11:59:59 UTC: Checkpoint expired &lt;before&gt; completing.\\x00",
		"Flink: not heard: &lt;eu&gt;",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var text strings.Builder
	if err := with(Place{Group: "g", Topic: "t"}).WriteText(&text, 200); err != nil {
		t.Fatal(err)
	}
	want := "Flink: payments <b> / Source__orders, RUNNING: emitted 9, committed 10 (by rest, 5 s ago). Its committed offset is one"
	if !strings.Contains(text.String(), want) || !strings.Contains(text.String(), "Flink: not heard: <eu>") {
		t.Errorf("the text lacks %q, or what was not heard:\n%s", want, text.String())
	}
	var out strings.Builder
	if err := with(Place{Group: "g", Topic: "t"}).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var view struct {
		Flink []struct {
			Emitted   int64  `json:"emitted_offset"`
			Committed int64  `json:"committed_offset"`
			Agreement string `json:"agreement"`
			Heard     string `json:"heard_at"`
		} `json:"flink"`
	}
	if err := json.Unmarshal([]byte(out.String()), &view); err != nil {
		t.Fatal(err)
	}
	if len(view.Flink) != 1 || view.Flink[0].Emitted != 9 || view.Flink[0].Committed != 10 || view.Flink[0].Agreement != "match" || view.Flink[0].Heard == "" {
		t.Errorf("the JSON says %+v", view.Flink)
	}
}
