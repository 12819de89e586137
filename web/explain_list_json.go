package web

import (
	"io"
	"time"
)

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
func (l *Listing) WriteJSON(w io.Writer) error { return writeJSON(w, l.view()) }

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
