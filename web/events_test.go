package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

var happened = []Event{
	{At: noon.Add(-time.Minute), Kind: "rewind", Cluster: "eu", Group: "g<b>", Topic: "t", Partition: 3, From: 12000, To: 2000, Offsets: 10000, Records: 9000},
	{At: noon.Add(-2 * time.Minute), Kind: "recreated", Cluster: "eu", Topic: "t", Partition: -1},
	{At: noon.Add(-3 * time.Minute), Kind: "beyond_end", Cluster: "eu", Group: "h", Topic: "t", From: 10, To: 12, Offsets: 2, More: 1200},
	{At: noon.Add(-4 * time.Minute), Kind: "lost_over", Cluster: "eu", Group: "h", Topic: "u", From: 10, To: 12, Offsets: 2},
}

func TestEventsPage(t *testing.T) {
	h := explaining(t, rows(), func(c *Config) { c.Events = func() []Event { return happened } })
	tests := []struct {
		query  string
		events int
		want   []string
	}{
		{"", 4, []string{
			"The commit moved back from 12,000 to 2,000: 10,000 offsets, 9,000 records to be read again.",
			`href="explain?cluster=eu&amp;group=g%3Cb%3E&amp;topic=t&amp;partition=3"`, "g&lt;b&gt;", "2026-11-29 11:59:00 UTC", "60 s ago",
			"1,200 more at the same time.", "Topic recreated",
		}},
		{"?kind=rewind", 1, []string{"Show all"}},
		{"?group=h", 2, []string{"of group h"}},
		{"?group=h&topic=u", 1, []string{"of group h on topic u"}},
		{"?kind=truncated", 0, []string{"None of the 4 events is of this kind."}},
		{"?group=", 1, []string{"of group (empty name)"}},
	}
	for _, tt := range tests {
		w := ask(h, "GET", "/events"+tt.query)
		body := w.Body.String()
		if n := strings.Count(body, `<tr class="e-`); w.Code != http.StatusOK || n != tt.events {
			t.Errorf("%q: %d, %d events, want %d", tt.query, w.Code, n, tt.events)
		}
		for _, want := range tt.want {
			if !strings.Contains(body, want) {
				t.Errorf("%q: the page lacks %q", tt.query, want)
			}
		}
	}
	if body := ask(explaining(t, rows(), nil), "GET", "/events").Body.String(); !strings.Contains(body, "Nothing yet") {
		t.Error("an empty page does not say so")
	}
}

func TestEventsAsJSON(t *testing.T) {
	h := explaining(t, rows(), func(c *Config) { c.Events = func() []Event { return happened } })
	w := ask(h, "GET", "/events?format=json")
	var got []map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got) != len(happened) {
		t.Fatalf("%v\n%s", err, w.Body)
	}
	first, topic := got[0], got[1]
	if first["kind"] != "rewind" || first["group"] != "g<b>" || first["partition"] != 3.0 || first["records"] != 9000.0 || first["cluster"] != "eu" ||
		first["at"] != "2026-11-29T11:59:00Z" || first["link"] != "explain?cluster=eu&group=g%3Cb%3E&topic=t&partition=3" {
		t.Errorf("%v", first)
	}
	for _, key := range []string{"group", "partition", "link"} {
		if v, ok := topic[key]; ok {
			t.Errorf("an event of a topic has %s=%v", key, v)
		}
	}
	if w := ask(explaining(t, rows(), nil), "GET", "/events?format=json"); strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("no events: %s", w.Body)
	}
}

// Every kind has words of its own.
func TestEveryEventHasWords(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range []string{"rewind", "recreated", "truncated", "beyond_end", "beyond_end_over", "lost", "lost_over"} {
		e := Event{Kind: kind, From: 5, To: 3, Offsets: 2}
		if e.Text() == "" || e.Title() == kind || seen[e.Text()] || seen[e.Title()] {
			t.Errorf("%s: %q, %q", kind, e.Title(), e.Text())
		}
		seen[e.Text()], seen[e.Title()] = true, true
	}
}
