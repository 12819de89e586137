package web

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// BinlogListing are the consumers of a server, or of all, worst first.
type BinlogListing struct {
	Place BinlogPlace
	Rows  []*BinlogExplanation
}

// BinlogList ranks consumers.
func BinlogList(p BinlogPlace, rows []*BinlogExplanation) *BinlogListing {
	l := &BinlogListing{p, slices.Clone(rows)}
	slices.SortStableFunc(l.Rows, func(a, b *BinlogExplanation) int { return compareConsumers(&a.BinlogConsumer, &b.BinlogConsumer) })
	return l
}

// Read is the oldest of the readings; zero: there is none.
func (l *BinlogListing) Read() (oldest time.Time) {
	for _, r := range l.Rows {
		if oldest.IsZero() || r.Read.Before(oldest) {
			oldest = r.Read
		}
	}
	return oldest
}

// Heading names what is listed.
func (l *BinlogListing) Heading() string {
	if l.Place.Server == "" {
		return "Consumers of binlogs"
	}
	return name(l.Place.Server)
}

// OfServer leads to the list of all consumers of the same server.
func (e *BinlogExplanation) OfServer() string { return BinlogPlace{Server: e.Server}.Link() }

// Summary says what the list shows.
func (l *BinlogListing) Summary(now time.Time) string {
	if len(l.Rows) == 0 {
		return "No consumer is configured."
	}
	return fmt.Sprintf("%s, worst first, read %s.", leadingCount(int64(len(l.Rows)), "consumer"), age(now, l.Read()))
}

// Exit is the exit code for the worst of the rows: 4, then 1, then 3, then 0.
func (l *BinlogListing) Exit() int {
	codes := map[int]bool{}
	for _, r := range l.Rows {
		codes[BinlogExit(r.State)] = true
	}
	for _, code := range []int{4, 1, 3, 0} {
		if codes[code] {
			return code
		}
	}
	return BinlogExit("")
}

// WriteText writes the list for a terminal.
func (l *BinlogListing) WriteText(w io.Writer, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", l.Heading(), l.Summary(now))
	rows := [][]string{{"state", "left", "transactions", "age", "safe for", "consumer", "verdict"}}
	for _, r := range l.Rows {
		rows = append(rows, []string{
			r.State, r.Left(), r.Missing(), durationOf(r.Age), durationOf(r.Headroom), name(r.Server) + " / " + name(r.Consumer), r.Brief(),
		})
	}
	align(&b, rows, 0, 5)
	_, err := io.WriteString(w, b.String())
	return err
}

// Brief is the verdict for a list: the page of the consumer has the rest.
func (e *BinlogExplanation) Brief() string {
	if e.State == "unknown" || e.ReportsAlone {
		return e.Verdict()
	}
	return e.BinlogConsumer.Verdict()
}

type binlogRowView struct {
	binlogHead
	Told string `json:"consumer_state,omitempty"`
	binlogNumbers
}

type binlogListView struct {
	Read *time.Time      `json:"read_at,omitempty"`
	Rows []binlogRowView `json:"rows"`
}

// WriteJSON writes what the page of the same content writes.
func (l *BinlogListing) WriteJSON(w io.Writer) error { return writeJSON(w, l.view()) }

func (l *BinlogListing) view() binlogListView {
	v := binlogListView{moment(l.Read()), []binlogRowView{}}
	for _, e := range l.Rows {
		v.Rows = append(v.Rows, binlogRowView{e.head(), valid(e.Told), e.numbers()})
	}
	return v
}
