package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func titles(l *Listing) (all []string) {
	for _, r := range l.Rows {
		all = append(all, l.title(r)+" "+r.State())
	}
	return all
}

func TestListRanksGroupsByTheirWorstTopic(t *testing.T) {
	lost := topicRow("lost", "b", 1, 9)
	lost.Lost = 2
	lags := rows(
		topicRow("behind", "a", 5, 5), topicRow("behind", "b", 0, 3),
		topicRow("level", "a", 0, 0),
		topicRow("lost", "a", 0, 0), lost,
		topicRow("phantom", "a", 0, 7), topicRow("phantom", "b", 0, 0),
		&Row{Group: Group{Group: "unknown", Topic: "a"}, Partition: -1}, topicRow("unknown", "b", 0, 7),
		&Row{Group: Group{Group: "waits", Topic: "a", Uncommitted: true}, Partition: -1},
	)
	l := List(Place{}, "", lags)
	want := []string{"lost broken", "behind behind", "unknown unknown", "waits uncommitted", "phantom phantom", "level level"}
	if got := titles(l); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	phantoms := 0
	for _, r := range l.Rows {
		if r.Phantom() {
			phantoms++
		}
		if r.Link() != "explain?group="+r.Group.Group {
			t.Errorf("link %q", r.Link())
		}
	}
	if behind := l.Rows[1]; behind.Records != 5 || behind.Offsets != 8 || behind.Topics() != 2 || phantoms != 1 || l.Exit() != 4 {
		t.Errorf("%+v, %d phantoms, exit code %d", behind, phantoms, l.Exit())
	}
	if v := l.Rows[2].Verdict(); !strings.HasPrefix(v, "Unknown in part: ") {
		t.Errorf("verdict %q", v)
	}
}

func TestSearch(t *testing.T) {
	lags := func() Lags {
		return rows(topicRow("Orders-Enricher", "payments", 0, 0), topicRow("a\xff", "x", 0, 0), topicRow("a\xff", "y", 0, 0), topicRow("グループ", "ORDERS", 0, 0), topicRow("a\nb", "z", 0, 0))
	}
	for query, want := range map[string][]string{
		"":        {"Orders-Enricher level", `a\nb level`, `a\xff level`, "グループ level"},
		"orders":  {"Orders-Enricher level", "グループ level"},
		"ENRICH":  {"Orders-Enricher level"},
		"Y":       {"Orders-Enricher level", `a\xff level`},
		`a\xff`:   {`a\xff level`},
		"a\xff":   {`a\xff level`},
		`\n`:      {`a\nb level`},
		"ループ":     {"グループ level"},
		"nothing": nil,
	} {
		l := List(Place{}, query, lags())
		if got := titles(l); !slices.Equal(got, want) || l.All != 4 {
			t.Errorf("%q found %q among %d, want %q", query, got, l.All, want)
		}
	}
}

// A page has so many rows and no more, and they are the worst.
func TestListsAreBounded(t *testing.T) {
	const groups = 12345
	lags := Lags{Read: noon, Rows: func(yield func(*Row) bool) {
		for i := range groups {
			if !yield(topicRow(fmt.Sprintf("g%05d", i), "t", int64(i*7919%groups), 99999)) {
				return
			}
		}
	}}
	l := List(Place{}, "", lags)
	if len(l.Rows) != listed || l.Total != groups {
		t.Fatalf("%d of %d rows", len(l.Rows), l.Total)
	}
	for i, r := range l.Rows {
		if r.Records != int64(groups-1-i) {
			t.Fatalf("row %d has %d records", i, r.Records)
		}
	}
	body := ask(explaining(t, lags, nil), "GET", "/explain").Body.String()
	if want := "The 500 worst of 12,345 groups, read 0 s ago. Search by name for the others."; !strings.Contains(body, want) {
		t.Errorf("the page lacks %q", want)
	}
	if n := strings.Count(body, "<tr class="); n != listed {
		t.Errorf("%d rows on the page", n)
	}
}

func TestListBeforeTheFirstRead(t *testing.T) {
	for name, lags := range map[string]Lags{
		"one cluster":  {Rows: slices.Values([]*Row{})},
		"two clusters": {Unread: []string{"eu", "us"}, Rows: slices.Values([]*Row{})},
	} {
		h := explaining(t, lags, nil)
		if w := ask(h, "GET", "/explain"); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "has succeeded yet") {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
		w := ask(h, "GET", "/explain?format=json")
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusServiceUnavailable || got["read_at"] != nil {
			t.Errorf("%s as JSON: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestListOfPartitions(t *testing.T) {
	row := func(partition int32, g Group) *Row {
		g.Group, g.Topic = "g", "t"
		return &Row{Group: g, Partition: partition, Committed: 5, Age: 90 * time.Second}
	}
	denied := row(4, Group{})
	denied.Why = "Unknown: the broker refuses to describe the topic."
	none := row(5, Group{Uncommitted: true})
	none.Committed = -1
	lags := rows(
		row(0, Group{Known: true, Offsets: 10, Records: 4, Unscanned: 1, Blocked: 3}), row(1, Group{Known: true}),
		row(2, Group{Known: true, Offsets: 3}), row(3, Group{Known: true, BeyondEnd: 8}), denied, none,
	)
	p := Place{Group: "g", Topic: "t", Scope: OneTopic}
	l := List(p, "", lags)
	want := []string{"3 broken", "0 behind", "4 unknown", "5 uncommitted", "2 phantom", "1 level"}
	if got := titles(l); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	wantStrip := []Segment{{"record", 6}, {"unscanned", 2}, {"none", 6}, {"blocked", 6}}
	if got := l.Rows[1].Strip(); !slices.Equal(got, wantStrip) {
		t.Errorf("strip %v", got)
	}
	body := ask(explaining(t, lags, nil), "GET", "/explain?group=g&topic=t").Body.String()
	for _, want := range []string{"6 partitions, worst first, read 3 s ago.", "90 s", denied.Why, `href="explain?group=g&amp;topic=t&amp;partition=5"`, "≤ 4"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var view listingView
	w := ask(explaining(t, lags, nil), "GET", "/explain?group=g&topic=t&format=json")
	if err := json.Unmarshal(w.Body.Bytes(), &view); err != nil || view.Total != 6 || len(view.Rows) != 6 {
		t.Fatalf("%v\n%s", err, w.Body)
	}
	if r := view.Rows[1]; *r.Partition != 0 || *r.Seconds != 90 || *r.Unscanned != 1 || *r.Committed != 5 || r.Link != "explain?group=g&topic=t&partition=0" {
		t.Errorf("%+v", r)
	}
	if r := view.Rows[2]; r.Records != nil || r.Seconds != nil {
		t.Errorf("what is not known is told: %+v", r)
	}
}

func TestListAsText(t *testing.T) {
	l := List(Place{}, "", rows(topicRow("orders\n", "t", 12000, 12345), topicRow("グループ", "t", 0, 7), &Row{Group: Group{Group: "x", Topic: "t"}, Partition: -1}))
	var b bytes.Buffer
	if err := l.WriteText(&b, noon); err != nil {
		t.Fatal(err)
	}
	const want = `3 groups, worst first, read 3 s ago.

  true lag   raw lag   group      verdict
    12,000    12,345   orders\n   Behind by 12,000 records.
   unknown   unknown   x          Unknown: commits or end offsets could not be read.
         0         7   グループ       Caught up: none of the 7 offsets after the commit holds a record to read.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
