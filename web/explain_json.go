package web

import (
	"io"
	"time"
)

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
	Flink       []flinkView      `json:"flink,omitempty"`
	Unheard     []string         `json:"flink_unheard,omitempty"`
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

// WriteJSON writes what the page of the same content writes.
func (e *Explanation) WriteJSON(w io.Writer) error { return writeJSON(w, e.view()) }

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
	v.Unheard = e.Unheard
	for i := range e.Flink {
		v.Flink = append(v.Flink, e.Flink[i].view())
	}
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
