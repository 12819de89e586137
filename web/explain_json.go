package web

import (
	"io"
	"math"
	"time"
	"unicode/utf8"
)

// The JSON of the pages. Names are as they are if they are valid UTF-8, else as the pages show them; link holds every
// byte. What is not known is absent.

type placeView struct {
	Cluster   string  `json:"cluster,omitempty"`
	Group     *string `json:"group,omitempty"`
	Topic     *string `json:"topic,omitempty"`
	Partition *int32  `json:"partition,omitempty"`
	Link      string  `json:"link,omitempty"`
}

type verdictView struct {
	State    string `json:"state"`
	Sentence string `json:"sentence"`
	ExitCode int    `json:"exit_code"`
}

type explanationView struct {
	placeView
	At      time.Time   `json:"at"`
	Took    float64     `json:"took_seconds"`
	Verdict verdictView `json:"verdict"`
	Lacks   string      `json:"lacks,omitempty"`

	Committed *int64 `json:"committed_offset,omitempty"`
	Start     *int64 `json:"log_start_offset,omitempty"`
	Stable    *int64 `json:"last_stable_offset,omitempty"`
	End       *int64 `json:"high_watermark,omitempty"`

	Offsets   *int64           `json:"raw_lag_offsets,omitempty"`
	Records   *int64           `json:"true_lag_records,omitempty"` // at most, unless exact
	Exact     *bool            `json:"exact,omitempty"`
	BeyondEnd *int64           `json:"beyond_end_offsets,omitempty"`
	Seconds   *float64         `json:"time_lag_seconds,omitempty"`
	Kinds     map[string]int64 `json:"composition,omitempty"`

	Isolation       string `json:"isolation,omitempty"`
	IsolationSource string `json:"isolation_source,omitempty"`
	Leader          *int32 `json:"leader,omitempty"`
	Epoch           *int32 `json:"leader_epoch,omitempty"`
	Coordinator     *int32 `json:"coordinator,omitempty"`

	Log         []stretchView    `json:"log,omitempty"`
	Transaction *transactionView `json:"open_transaction,omitempty"`
	Scraped     *scrapedView     `json:"last_scrape,omitempty"`
	Rewinds     []eventView      `json:"rewinds,omitempty"`
	Requests    []requestView    `json:"requests"`
}

type stretchView struct {
	From     int64            `json:"from"`
	To       int64            `json:"to"` // excluded
	Kind     string           `json:"kind"`
	Kinds    map[string]int64 `json:"composition"`
	Batches  int              `json:"batches"`
	Bytes    int64            `json:"bytes"`
	Producer *int64           `json:"producer_id,omitempty"`
	Epoch    *int16           `json:"producer_epoch,omitempty"`
	Marker   string           `json:"marker,omitempty"`
	Open     bool             `json:"open_transaction,omitempty"`
	First    *time.Time       `json:"first_record_at,omitempty"`
}

type transactionView struct {
	Producer        *int64     `json:"producer_id,omitempty"`
	Epoch           *int32     `json:"producer_epoch,omitempty"`
	TransactionalID string     `json:"transactional_id,omitempty"`
	State           string     `json:"state,omitempty"` // as the coordinator spells it
	Timeout         *float64   `json:"timeout_seconds,omitempty"`
	Since           *time.Time `json:"since,omitempty"`
	Age             *float64   `json:"age_seconds,omitempty"`
	Hanging         *bool      `json:"hanging,omitempty"` // absent: not known
	Doubt           string     `json:"doubt,omitempty"`   // why it may hang
	Why             string     `json:"hanging_unknown_because,omitempty"`
}

type scrapedView struct {
	At      time.Time `json:"at"`
	Offsets *int64    `json:"raw_lag_offsets,omitempty"`
	Records *int64    `json:"true_lag_records,omitempty"`

	CommitAt *time.Time `json:"last_commit_at,omitempty"`
	Polled   bool       `json:"last_commit_polled,omitempty"` // last_commit_at is when a scrape first saw it
}

type requestView struct {
	API     string    `json:"api"`
	Version *int16    `json:"version,omitempty"`
	Broker  *int32    `json:"broker,omitempty"`
	At      time.Time `json:"at"`
	Took    float64   `json:"took_seconds"`
	About   string    `json:"about"`
	Err     string    `json:"error,omitempty"`
}

type eventView struct {
	placeView
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	From    int64     `json:"from"`
	To      int64     `json:"to"`
	Offsets int64     `json:"offsets"`
	Records int64     `json:"records"`
	More    int64     `json:"more,omitempty"`
}

type rowView struct {
	placeView
	State     string   `json:"state"`
	Verdict   string   `json:"verdict"`
	Phantom   bool     `json:"phantom"`
	Committed *int64   `json:"committed_offset,omitempty"`
	Offsets   *int64   `json:"raw_lag_offsets,omitempty"`
	Records   *int64   `json:"true_lag_records,omitempty"` // at most, unless unscanned is 0
	Unscanned *int64   `json:"unscanned_offsets,omitempty"`
	Blocked   *int64   `json:"blocked_offsets,omitempty"`
	Lost      *int64   `json:"lost_offsets,omitempty"`
	BeyondEnd *int64   `json:"beyond_end_offsets,omitempty"`
	Seconds   *float64 `json:"time_lag_seconds,omitempty"`
}

type listingView struct {
	Read   *time.Time `json:"read_at,omitempty"` // absent: no read has succeeded yet
	Unread []string   `json:"clusters_not_read,omitempty"`
	Total  int        `json:"total"` // rows may be fewer
	Rows   []rowView  `json:"rows"`
}

// WriteJSON writes what the page of the same content writes.
func (e *Explanation) WriteJSON(w io.Writer) error { return writeJSON(w, e.view()) }

// WriteJSON writes what the page of the same content writes.
func (l *Listing) WriteJSON(w io.Writer) error { return writeJSON(w, l.view()) }

func (p Place) view() placeView {
	v := placeView{Cluster: p.Cluster, Link: p.Link()}
	if p.Scope >= OneGroup {
		v.Group = some(valid(p.Group))
	}
	if p.Scope >= OneTopic {
		v.Topic = some(valid(p.Topic))
	}
	if p.Scope >= OnePartition {
		v.Partition = some(p.Partition)
	}
	return v
}

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return printable(s, len(s))
}

func some[T any](v T) *T { return &v }

// when is v if it is known.
func when[T any](known bool, v T) *T {
	if !known {
		return nil
	}
	return &v
}

func moment(t time.Time) *time.Time { return when(!t.IsZero(), t.UTC()) }

func (k Kinds) view() map[string]int64 {
	m := make(map[string]int64, len(k))
	for _, c := range k {
		m[c.Kind] = c.N
	}
	return m
}

func (e *Explanation) view() explanationView {
	known := e.Lag.Known
	v := explanationView{
		placeView: e.Place.view(), At: e.At.UTC(), Took: seconds(e.Took),
		Verdict:   verdictView{e.State(), e.Verdict(), Exit(e.State())},
		Lacks:     e.Lacks,
		Committed: when(e.Committed >= 0, e.Committed),
		Start:     when(e.EndsKnown, e.Start), Stable: when(e.EndsKnown, e.Stable), End: when(e.EndsKnown, e.End),
		Offsets: when(known, e.Lag.Offsets), Records: when(known, e.Lag.Records), Exact: when(known, e.Exact),
		BeyondEnd: when(known, e.Lag.BeyondEnd),
		Isolation: e.Isolation, IsolationSource: e.IsolationSource,
		Leader: when(e.Leader >= 0, e.Leader), Epoch: when(e.Epoch >= 0, e.Epoch), Coordinator: when(e.Coordinator >= 0, e.Coordinator),
		Requests: []requestView{},
	}
	if lag, ok := e.timeLag(); ok {
		v.Seconds = some(seconds(lag))
	}
	if known {
		v.Kinds = e.Kinds.view()
	}
	for i := range e.Log {
		s := &e.Log[i]
		v.Log = append(v.Log, stretchView{
			From: s.From, To: s.To, Kind: s.Kind, Kinds: s.Kinds.view(), Batches: s.Batches, Bytes: s.Bytes,
			Producer: when(s.Producer >= 0, s.Producer), Epoch: when(s.Producer >= 0, s.Epoch),
			Marker: s.Marker, Open: s.Open, First: moment(s.First),
		})
	}
	if b := e.Blocker; b != nil {
		v.Transaction = &transactionView{
			Producer: when(b.Producer >= 0, b.Producer), Epoch: when(b.Producer >= 0, b.Epoch),
			TransactionalID: valid(b.TransactionalID), State: valid(b.State), Timeout: when(b.Timeout > 0, seconds(b.Timeout)),
			Since: moment(b.Since), Age: when(!b.Since.IsZero(), seconds(max(e.At.Sub(b.Since), 0))),
			Hanging: when(b.Judged, b.Hanging), Doubt: b.Doubt, Why: b.Why,
		}
	}
	if s := e.Scraped; s != nil {
		v.Scraped = &scrapedView{s.At.UTC(), when(s.Known, s.Offsets), when(s.Known, s.Records), moment(s.CommitAt), s.Polled}
	}
	v.Rewinds = eventsView(e.Rewinds)
	for _, r := range e.Requests {
		rv := requestView{
			API: r.API, Version: when(r.Version >= 0, r.Version), Broker: when(r.Broker >= 0, r.Broker),
			At: r.At.UTC(), Took: seconds(r.Took), About: r.About,
		}
		if r.Err != nil {
			rv.Err = r.Err.Error()
		}
		v.Requests = append(v.Requests, rv)
	}
	return v
}

// timeLag is the age of the first record left: 0 when there is none, false when it is not known.
func (e *Explanation) timeLag() (time.Duration, bool) {
	switch {
	case !e.Lag.Known:
		return 0, false
	case e.Lag.Records == 0:
		return 0, true
	case e.First.IsZero():
		return 0, false
	}
	return max(e.At.Sub(e.First), 0), true
}

func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

func eventsView(events []Event) []eventView {
	all := make([]eventView, 0, len(events))
	for i := range events {
		e := &events[i]
		p := Place{Cluster: e.Cluster, Group: e.Group, Topic: e.Topic, Partition: e.Partition, Scope: OnePartition}
		v := eventView{placeView: p.view(), At: e.At.UTC(), Kind: e.Kind, From: e.From, To: e.To, Offsets: e.Offsets, Records: e.Records, More: e.More}
		if v.Link = e.Link(); v.Link == "" {
			v.Group = nil
		}
		if e.Partition < 0 {
			v.Partition = nil
		}
		all = append(all, v)
	}
	return all
}

func (l *Listing) view() listingView {
	v := listingView{Read: moment(l.Read), Unread: l.Unread, Total: l.Total, Rows: []rowView{}}
	for _, r := range l.Rows {
		p := r.place()
		row := rowView{
			placeView: p.view(), State: r.State(), Verdict: r.Verdict(), Phantom: r.Phantom(),
			Offsets: when(r.Known, r.Offsets), Records: when(r.Known, r.Records), Unscanned: when(r.Known, r.Unscanned),
			Blocked: when(r.Known, r.Blocked), Lost: when(r.Known, r.Lost), BeyondEnd: when(r.Known, r.BeyondEnd),
		}
		if p.Scope == OnePartition {
			row.Committed = when(r.Committed >= 0, r.Committed)
			row.Seconds = when(r.Known && r.Age >= 0, seconds(r.Age))
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}
