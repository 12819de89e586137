package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// explaining serves the pages of some rows and one explanation.
func explaining(t *testing.T, lags Lags, change func(*Config)) http.Handler {
	t.Helper()
	return pages(t, Overview{}, func(c *Config) {
		c.Lags = func(Place) (Lags, error) { return lags, nil }
		c.Explain = func(_ context.Context, p Place) (*Explanation, error) { return sample(p), nil }
		c.Events = func() []Event { return nil }
		if change != nil {
			change(c)
		}
	})
}

// sample is an explanation of a commit before an aborted transaction.
func sample(p Place) *Explanation {
	return &Explanation{
		Place: p, At: noon, Took: 12 * time.Millisecond,
		Lag:   Group{Group: p.Group, Topic: p.Topic, Known: true, Offsets: 7},
		Exact: true, Kinds: Kinds{{"control", 1}, {"aborted", 6}},
		Isolation: "read_committed", IsolationSource: "assumed",
		Committed: 10, EndsKnown: true, Start: 2, Stable: 17, End: 17, Leader: 2, Epoch: 14, Coordinator: 1,
		Log: []Stretch{
			{From: 10, To: 16, Kind: "aborted", Kinds: Kinds{{"aborted", 6}}, Batches: 1, Bytes: 512, Producer: 4001, Epoch: 7, First: noon.Add(-time.Minute)},
			{From: 16, To: 17, Kind: "control", Kinds: Kinds{{"control", 1}}, Batches: 1, Bytes: 78, Producer: 4001, Epoch: 8, Marker: "ABORT", First: noon.Add(-time.Second)},
		},
		Scraped:  &Scraped{At: noon.Add(-2 * time.Second), Known: true, Offsets: 7, CommitAt: noon.Add(-40 * time.Second), Polled: true},
		Requests: []Request{{API: "Metadata", Version: 13, Broker: 2, At: noon, Took: time.Millisecond, About: "leader of the partition"}},
	}
}

func rows(all ...*Row) Lags {
	return Lags{Read: noon.Add(-3 * time.Second), Rows: slices.Values(all)}
}

func topicRow(group, topic string, records, offsets int64) *Row {
	return &Row{Group: Group{Group: group, Topic: topic, Known: true, Records: records, Offsets: offsets}, Partition: -1, Committed: -1}
}

var places = []Place{
	{},
	{Group: "g", Scope: OneGroup},
	{Group: "", Scope: OneGroup},
	{Cluster: "eu west", Group: `a&b=c?d#e+f g/h%41"'<>`, Topic: "ü", Scope: OneTopic},
	{Group: "a\xff\xfe\x00\nb", Topic: "グループ", Partition: 2147483647, Scope: OnePartition},
}

func FuzzPlaceKeepsEveryByte(f *testing.F) {
	for _, p := range places {
		f.Add(p.Cluster, p.Group, p.Topic, p.Partition, uint8(p.Scope))
	}
	f.Fuzz(func(t *testing.T, cluster, group, topic string, partition int32, scope uint8) {
		p := Place{Cluster: cluster, Scope: Scope(scope % 4)}
		if p.Scope >= OneGroup {
			p.Group = group
		}
		if p.Scope >= OneTopic {
			p.Topic = topic
		}
		if p.Scope >= OnePartition {
			p.Partition = max(partition, 0)
		}
		u, err := url.Parse(p.Link())
		if err != nil {
			t.Fatal(err)
		}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParsePlace(q); err != nil || got != p {
			t.Errorf("%q became %+v (%v), want %+v", p.Link(), got, err, p)
		}
	})
}

// A link in a page leads to the page of the same bytes.
func TestLinksKeepEveryByte(t *testing.T) {
	var names []string
	for b := range 256 {
		names = append(names, fmt.Sprintf("a%cb", rune(b)), "a"+string([]byte{byte(b)})+"b")
	}
	names = append(names, "", "\xf0\x9f", "a\u202eb", "{{.}}", "グループ")
	href := regexp.MustCompile(`href="(explain\?group=[^"]*)"`)
	for _, name := range names {
		body := ask(explaining(t, rows(topicRow(name, "t", 1, 1)), nil), "GET", "/explain").Body.String()
		m := href.FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("%q: no link:\n%s", name, body)
		}
		u, err := url.Parse(html.UnescapeString(m[1]))
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if p, err := ParsePlace(u.Query()); err != nil || p.Group != name || p.Scope != OneGroup {
			t.Errorf("%q became %+v, %v", name, p, err)
		}
	}
}

func TestVagueQuestions(t *testing.T) {
	h := explaining(t, rows(), nil)
	for query, want := range map[string]string{
		"partition=3":                   "Partition=... needs topic=... beside it.",
		"topic=t":                       "Topic=... needs group=... beside it.",
		"group=g&topic=t&partition=x":   "Partition=&#34;x&#34;: want a number such as 0.",
		"group=g&topic=t&partition=-1":  "want a number such as 0.",
		"group=g&topic=t&partition=1e9": "want a number such as 0.",
	} {
		w := ask(h, "GET", "/explain?"+query)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d\n%s", query, w.Code, w.Body)
		}
		w = ask(h, "GET", "/explain?format=json&"+query)
		var failure struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &failure); err != nil || w.Code != http.StatusBadRequest || failure.Error == "" {
			t.Errorf("%s as JSON: %d %s (%v)", query, w.Code, w.Body, err)
		}
	}
}

func TestErrorsHaveCodes(t *testing.T) {
	for code, err := range map[int]error{
		http.StatusNotFound:            fmt.Errorf("no cluster %q is read: %w", "<b>", ErrNoSuch),
		http.StatusBadRequest:          fmt.Errorf("which cluster: %w", ErrVague),
		http.StatusInternalServerError: errors.New("panic: over bytes"),
	} {
		h := explaining(t, rows(), func(c *Config) {
			c.Lags = func(Place) (Lags, error) { return Lags{}, err }
			c.Explain = func(context.Context, Place) (*Explanation, error) { return nil, err }
		})
		for _, path := range []string{"/explain", "/explain?group=g&topic=t&partition=0"} {
			w := ask(h, "GET", path)
			if body := w.Body.String(); w.Code != code || strings.Contains(body, "<b>") || strings.Contains(body, ": not") {
				t.Errorf("%s with %v: %d\n%s", path, err, w.Code, body)
			}
		}
	}
}

// Explanations are few at a time, each has its time, and lists do not wait for them.
func TestExplanationsDoNotPileUp(t *testing.T) {
	held := make(chan struct{})
	began := make(chan time.Time, 2*explainsAtOnce)
	h := explaining(t, rows(topicRow("g", "t", 0, 0)), func(c *Config) {
		c.Explain = func(ctx context.Context, p Place) (*Explanation, error) {
			deadline, _ := ctx.Deadline()
			began <- deadline
			<-held
			return sample(p), nil
		}
	})
	const path = "/explain?group=g&topic=t&partition=0"
	codes := make(chan int, explainsAtOnce)
	for range explainsAtOnce {
		go func() { codes <- ask(h, "GET", path).Code }()
	}
	for range explainsAtOnce {
		if deadline := <-began; deadline.IsZero() {
			t.Error("an explanation may take for ever")
		}
	}
	w := ask(h, "GET", path)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one too many: %d", w.Code)
	}
	if w := ask(h, "GET", "/explain"); w.Code != http.StatusOK {
		t.Errorf("a list: %d", w.Code)
	}
	close(held)
	for range explainsAtOnce {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("one of those that were let in: %d", code)
		}
	}
	if w := ask(h, "GET", path); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d", w.Code)
	}
}

func TestPagesWithoutACollectorDoNotExist(t *testing.T) {
	h := pages(t, Overview{Read: noon, Groups: rank(Group{Group: "g", Known: true})}, nil)
	for _, path := range []string{"/explain", "/events"} {
		if w := ask(h, "GET", path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
		if !Taken(path) {
			t.Errorf("the samples may be at %s", path)
		}
	}
	if body := ask(h, "GET", "/").Body.String(); strings.Contains(body, `href="explain`) || strings.Contains(body, `href="events`) {
		t.Error("the landing page leads to what is not there")
	}
	linked := ask(explaining(t, rows(), func(c *Config) {
		c.Overview = func() Overview {
			return Overview{Read: noon, Groups: rank(Group{Cluster: "eu", Group: "g", Topic: "t", Known: true})}
		}
	}), "GET", "/").Body.String()
	for _, want := range []string{`href="explain"`, `href="events"`, `href="explain?cluster=eu&amp;group=g&amp;topic=t"`} {
		if !strings.Contains(linked, want) {
			t.Errorf("the landing page lacks %s", want)
		}
	}
}

func TestPageOfAPartition(t *testing.T) {
	h := explaining(t, rows(), nil)
	const path = "/explain?group=orders-enricher&topic=orders.payments&partition=3"
	body := ask(h, "GET", path).Body.String()
	for _, want := range []string{
		"Caught up", "The 7 offsets after the commit are an aborted transaction and its marker.",
		`<a href="explain?group=orders-enricher&amp;topic=orders.payments">`, "<bdi>orders-enricher</bdi> · <bdi>orders.payments</bdi> · 3",
		`class="block k-read w2 c1"`, `class="block k-aborted w2 c2"`, `class="block k-control w1 c3"`, "▼ LSO = HW", "4001 <small>epoch 7</small>",
		"from broker 2 (leader epoch 14)", "2 s ago", "<dt>last commit seen</dt><dd>40 s ago</dd>", "read_committed", "1 request.", `href="explain?group=orders-enricher&amp;topic=orders.payments&amp;partition=3&amp;format=json"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"<script", "style=", "http://", "https://", "ZgotmplZ", "onclick"} {
		if strings.Contains(body, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

// Styles are the only thing that a page may load, and only those that the policy names.
func TestPolicyAllowsTheStyles(t *testing.T) {
	w := ask(explaining(t, rows(), nil), "GET", "/explain")
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "form-action 'self'") || strings.Count(policy, "'sha256-") != 2 {
		t.Errorf("policy: %s", policy)
	}
	if n := strings.Count(w.Body.String(), "<style>"); n != 2 {
		t.Errorf("%d styles", n)
	}
}

func TestHostileNamesStayTextInExplanations(t *testing.T) {
	for _, in := range []string{`<script>alert(1)</script>`, `"><img src=x>`, "a\nb", "\xff\xfe", "{{.}}", "</title><b>", strings.Repeat("x", 4000)} {
		e := sample(Place{Cluster: in, Group: in, Topic: in, Scope: OnePartition})
		e.Lag.Cluster, e.Lag.Group, e.Lag.Topic = in, in, in
		e.Blocker = &Blocker{Producer: -1, TransactionalID: in, Doubt: "d"}
		e.Rewinds = []Event{{Kind: "rewind", Cluster: in, Group: in, Topic: in, From: 12, To: 10, Offsets: 2}}
		row := topicRow(in, in, 0, 3)
		row.Cluster = in
		h := explaining(t, rows(row), func(c *Config) {
			c.Explain = func(context.Context, Place) (*Explanation, error) { return e, nil }
			c.Events = func() []Event { return e.Rewinds }
		})
		q := url.Values{"group": {in}, "topic": {in}, "partition": {"0"}, "q": {in}}.Encode()
		group := url.Values{"group": {in}, "topic": {in}}.Encode()
		for _, path := range []string{"/explain?q=" + url.QueryEscape(in), "/explain?" + group, "/explain?" + q, "/events", "/events?" + group} {
			body := ask(h, "GET", path).Body.String()
			if strings.Contains(body, "<script") || strings.Contains(body, "<img") || strings.Contains(body, "</title><b>") || strings.Contains(body, "ZgotmplZ") {
				t.Errorf("%s: a name became markup", path)
			}
			if !strings.Contains(body, html.EscapeString(name(in))) {
				t.Errorf("%.80s: the name %.80q is not there", path, in)
			}
		}
	}
}

func TestExplanationAsJSON(t *testing.T) {
	h := explaining(t, rows(), func(c *Config) {
		c.Explain = func(_ context.Context, p Place) (*Explanation, error) {
			e := sample(p)
			e.Requests = append(e.Requests, Request{API: "Fetch", Version: -1, Broker: -1, Err: errors.New("gone")})
			return e, nil
		}
	})
	w := ask(h, "GET", "/explain?group=a%ff&topic=t&partition=0&format=json")
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("type %q", got)
	}
	var got struct {
		Group, Link string
		Verdict     struct {
			State, Sentence string
			ExitCode        int `json:"exit_code"`
		}
		Committed   *int64   `json:"committed_offset"`
		Records     *int64   `json:"true_lag_records"`
		Seconds     *float64 `json:"time_lag_seconds"`
		Composition map[string]int64
		Log         []struct {
			Kind, Marker string
			From, To     int64
		}
		Requests []struct{ API, Error string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Group != `a\xff` || got.Link != "explain?group=a%FF&topic=t&partition=0" || got.Verdict.State != "phantom" || got.Verdict.ExitCode != 0 ||
		*got.Committed != 10 || *got.Records != 0 || *got.Seconds != 0 || got.Composition["aborted"] != 6 || len(got.Log) != 2 || got.Log[1].Marker != "ABORT" ||
		len(got.Requests) != 2 || got.Requests[1].Error != "gone" {
		t.Errorf("%+v", got)
	}
}

// What is not known is absent from the JSON.
func TestUnknownIsAbsentInJSON(t *testing.T) {
	e := &Explanation{Place: Place{Group: "g", Topic: "t", Scope: OnePartition}, Committed: -1, Leader: -1, Epoch: -1, Coordinator: -1, Why: "The topic does not exist"}
	w := httptest.NewRecorder()
	if err := e.WriteJSON(w); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"committed_offset", "log_start_offset", "high_watermark", "raw_lag_offsets", "true_lag_records", "time_lag_seconds", "composition", "leader"} {
		if v, ok := got[key]; ok {
			t.Errorf("%s is %v", key, v)
		}
	}
}
