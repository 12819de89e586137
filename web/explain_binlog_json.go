package web

import (
	"io"
	"math"
	"time"
)

type binlogNumbers struct {
	Bytes         *int64   `json:"lag_bytes,omitempty"`
	Effective     *int64   `json:"effective_lag_bytes,omitempty"`
	LagFiles      *int64   `json:"lag_files,omitempty"`
	Transactions  *int64   `json:"lag_transactions,omitempty"`
	Seconds       *float64 `json:"lag_seconds,omitempty"`
	HeadroomBytes *int64   `json:"headroom_bytes,omitempty"`
	HeadroomFiles *int64   `json:"headroom_files,omitempty"`
	Headroom      *float64 `json:"headroom_seconds,omitempty"`
}

// binlogHead is what a row of a list and an explanation begin with.
type binlogHead struct {
	Server   string      `json:"server"`
	Consumer string      `json:"consumer"`
	Link     string      `json:"link"`
	Read     time.Time   `json:"read_at"`
	Verdict  verdictView `json:"verdict"`
}

type binlogView struct {
	binlogHead
	Cure string `json:"cure,omitempty"`
	binlogNumbers

	Told     string              `json:"consumer_state,omitempty"`
	Reason   string              `json:"reason,omitempty"`
	Kept     string              `json:"kept_in,omitempty"`
	ReadAt   *time.Time          `json:"place_read_at,omitempty"`
	Since    *time.Time          `json:"place_first_seen_at,omitempty"`
	Failure  string              `json:"place_error,omitempty"`
	Position *binlogPositionView `json:"place,omitempty"`
	Which    string              `json:"which_place,omitempty"`
	LeftOut  string              `json:"left_out,omitempty"`
	Captures []string            `json:"captures,omitempty"`
	Reported []binlogReportView  `json:"reported_lags,omitempty"`
	Service  *binlogServerView   `json:"server_read,omitempty"`
	Sums     []binlogSumView     `json:"arithmetic,omitempty"`
	Scan     *binlogScanView     `json:"event_scan,omitempty"`

	Statements []binlogStatementView `json:"statements"`
}

type binlogPositionView struct {
	File     string `json:"file,omitempty"`
	Pos      *int64 `json:"position,omitempty"`
	GTIDs    string `json:"gtids,omitempty"`
	Event    int64  `json:"events_handled,omitempty"`
	Row      int64  `json:"rows_handled,omitempty"`
	Snapshot string `json:"snapshot,omitempty"`
	Server   string `json:"of_server,omitempty"`
}

type binlogReportView struct {
	Source string   `json:"source"`
	Value  *float64 `json:"value,omitempty"` // absent: it is no number
}

type binlogServerView struct {
	Version    string            `json:"version,omitempty"`
	ID         string            `json:"id,omitempty"`
	Error      string            `json:"error,omitempty"`
	SetsAt     *time.Time        `json:"sets_asked_at,omitempty"`
	Clock      *time.Time        `json:"clock,omitempty"`
	Expire     *float64          `json:"files_kept_seconds,omitempty"`
	FilesAt    *time.Time        `json:"files_asked_at,omitempty"`
	FilesAsked *time.Time        `json:"files_unanswered_since,omitempty"`
	Files      []binlogFileView  `json:"files,omitempty"`
	File       *int              `json:"place_in_file,omitempty"` // an index of files
	At         *int64            `json:"place_at,omitempty"`
	Sets       map[string]string `json:"gtid_sets,omitempty"`
	Lacking    map[string]string `json:"lacking,omitempty"`
}

type binlogFileView struct {
	Name      string `json:"name"`
	End       *int64 `json:"end,omitempty"`
	Encrypted bool   `json:"encrypted,omitempty"`
}

type binlogSumView struct {
	Metric string `json:"metric"`
	Value  string `json:"value"`
	How    string `json:"how"`
}

type binlogScanView struct {
	After        string     `json:"after,omitempty"`
	First        *time.Time `json:"first_committed_at,omitempty"`
	Kind         string     `json:"first_event,omitempty"`
	GTID         string     `json:"first_gtid,omitempty"`
	Events       int64      `json:"events"`
	Bytes        int64      `json:"bytes"`
	Transactions int64      `json:"transactions"`
	Skipped      int64      `json:"bookkeeping_transactions"`
	File         string     `json:"ended_in_file,omitempty"`
	Pos          int64      `json:"ended_at,omitempty"`
	Stopped      string     `json:"stopped,omitempty"`
	Cached       bool       `json:"cached,omitempty"`
	Error        string     `json:"error,omitempty"`
}

type binlogStatementView struct {
	Text  string    `json:"text"`
	At    time.Time `json:"at"`
	Took  float64   `json:"took_seconds"`
	Error string    `json:"error,omitempty"`
}

// WriteJSON writes what the page of the same content writes.
func (e *BinlogExplanation) WriteJSON(w io.Writer) error { return writeJSON(w, e.view()) }

func (e *BinlogExplanation) head() binlogHead {
	return binlogHead{valid(e.Server), valid(e.Consumer), e.Link(), e.Read.UTC(), verdictView{e.State, e.Verdict(), BinlogExit(e.State)}}
}

func (e *BinlogExplanation) numbers() binlogNumbers {
	known := func(n int64) *int64 { return when(n >= 0, n) }
	lasts := func(d time.Duration) *float64 { return when(d >= 0, seconds(d)) }
	return binlogNumbers{
		known(e.Bytes), known(e.Effective), known(e.LagFiles), known(e.Transactions), lasts(e.Age),
		known(e.HeadroomBytes), known(e.HeadroomFiles), lasts(e.Headroom),
	}
}

func (e *BinlogExplanation) view() binlogView {
	v := binlogView{
		binlogHead: e.head(), Cure: e.Cure(), binlogNumbers: e.numbers(),
		Told: valid(e.Told), Reason: valid(e.Reason), Kept: valid(e.Kept), ReadAt: moment(e.ReadAt), Since: moment(e.Since),
		Failure: valid(e.Failure), Which: valid(e.Which), LeftOut: valid(e.LeftOut), Captures: e.Captures, Service: e.serverView(), Statements: []binlogStatementView{},
	}
	if p := e.Position; p != nil {
		v.Position = &binlogPositionView{
			valid(p.File), when(p.File != "", p.Pos), valid(p.GTIDs), p.Event, p.Row, valid(p.Snapshot), valid(p.Server),
		}
	}
	for _, r := range e.Reported {
		number := !math.IsNaN(r.Value) && !math.IsInf(r.Value, 0)
		v.Reported = append(v.Reported, binlogReportView{valid(r.Source), when(number, r.Value)})
	}
	for _, s := range e.Sums() {
		v.Sums = append(v.Sums, binlogSumView{s.Metric, s.Value, s.How})
	}
	if s := e.Scan; s != nil {
		v.Scan = &binlogScanView{
			s.After, moment(s.First), valid(s.Kind), valid(s.GTID), s.Events, s.Bytes, s.Transactions, s.Skipped,
			valid(s.File), s.Pos, valid(s.Stopped), s.Cached, "",
		}
	} else if e.ScanError != "" {
		v.Scan = &binlogScanView{Error: valid(e.ScanError)}
	}
	for _, s := range e.Sent() {
		v.Statements = append(v.Statements, binlogStatementView{valid(s.Text), s.At.UTC(), seconds(s.Took), valid(s.Err)})
	}
	return v
}

func (e *BinlogExplanation) serverView() *binlogServerView {
	v := &binlogServerView{
		Version: valid(e.Version), ID: valid(e.ServerID), Error: valid(e.Unread), SetsAt: moment(e.SetsAt), Clock: moment(e.Clock),
		Expire: when(e.Expire > 0, seconds(e.Expire)), FilesAt: moment(e.FilesAt), FilesAsked: moment(e.FilesAsked),
		File: when(e.File >= 0, e.File), At: when(e.File >= 0, e.At), Sets: map[string]string{}, Lacking: map[string]string{},
	}
	for _, f := range e.Files {
		v.Files = append(v.Files, binlogFileView{valid(f.Name), when(f.End >= 0, f.End), f.Encrypted})
	}
	for name, set := range map[string]*BinlogSet{
		"executed": e.Executed, "consumed": e.Consumed, "missing": e.Lacked, "purged_of_missing": e.Gone, "extra": e.Extra,
	} {
		if set != nil {
			v.Sets[name] = valid(set.Text)
		}
	}
	for _, l := range e.Lacking {
		v.Lacking[valid(l.Name)] = valid(l.Why)
	}
	return v
}
