package binlog

import (
	"io"
	"testing"
	"time"

	"truelag/mysql"
)

func TestJudge(t *testing.T) {
	day := time.Unix(1795980000, 0)
	xid, gtid := event{kind: end, name: "Xid"}, event{kind: named, name: "Gtid", gtid: "u:7", at: day, committed: day.Add(time.Millisecond)}
	begins, header := event{kind: begin, name: "Query", at: day}, event{kind: outside, name: "Format_desc"}
	orders, heartbeat := event{kind: table, id: 1, schema: "shop", table: "orders"}, event{kind: table, id: 2, schema: "maxwell", table: "heartbeats"}
	changes := func(id uint64, n int64) event {
		return event{kind: rows, name: "Write_rows", at: day, id: id, count: func([]byte) (int64, error) { return n, nil }}
	}
	care, number := event{kind: idle, name: "Query", at: day.Add(-time.Hour)}, event{kind: within, name: "Intvar", at: day}
	ddl := func(schemas ...string) event { return event{kind: statement, name: "Query", at: day, schemas: schemas} }
	for name, of := range map[string]struct {
		flavor     mysql.Flavor
		event, row int64
		captures   []string
		events     []event
		want       mysql.After
		first      time.Time
		skipped    int64
	}{
		"nothing":                          {want: mysql.None},
		"headers of files":                 {events: []event{header, header}, want: mysql.None},
		"a transaction":                    {events: []event{gtid, begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"one without a GTID":               {events: []event{begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: day},
		"an empty one":                     {events: []event{gtid, begins, xid}, want: mysql.None, skipped: 1},
		"bookkeeping":                      {events: []event{gtid, begins, heartbeat, changes(2, 1), xid}, want: mysql.None, skipped: 1},
		"bookkeeping, then a file's end":   {events: []event{gtid, begins, heartbeat, changes(2, 1), xid, header}, want: mysql.None, skipped: 1},
		"bookkeeping beside a change":      {events: []event{gtid, begins, heartbeat, changes(2, 1), orders, changes(1, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"a table that was not named":       {events: []event{gtid, begins, changes(9, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"the same id in two transactions":  {events: []event{gtid, begins, heartbeat, changes(2, 1), xid, gtid, begins, changes(2, 1), xid}, want: mysql.Transaction, first: gtid.committed, skipped: 1},
		"a statement":                      {events: []event{gtid, ddl("shop")}, want: mysql.Transaction, first: gtid.committed},
		"a statement for bookkeeping":      {events: []event{gtid, ddl("maxwell")}, want: mysql.None, skipped: 1},
		"a statement for both":             {events: []event{gtid, ddl("maxwell", "shop")}, want: mysql.Transaction, first: gtid.committed},
		"a statement for who knows what":   {events: []event{gtid, ddl()}, want: mysql.Transaction, first: gtid.committed},
		"an event of a kind not known":     {events: []event{{kind: other, at: day}}, want: mysql.Rest, first: day},
		"the end of a transaction":         {events: []event{xid}, want: mysql.None},
		"the end, and another":             {events: []event{xid, gtid, begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"the rest of a transaction":        {events: []event{orders, changes(1, 1), xid}, want: mysql.Rest, first: time.Time{}},
		"handled to the last row":          {event: 2, row: 5, events: []event{begins, orders, changes(1, 5), xid}, want: mysql.None},
		"all but the last row":             {event: 2, row: 4, events: []event{begins, orders, changes(1, 5), xid}, want: mysql.Rest, first: day},
		"more rows than there are":         {event: 2, row: 9, events: []event{begins, orders, changes(1, 5), xid}, want: mysql.None},
		"all but the last event":           {event: 2, row: 5, events: []event{begins, orders, changes(1, 5), changes(1, 1), xid}, want: mysql.Rest, first: day},
		"a rest for bookkeeping":           {event: 2, row: 5, events: []event{begins, orders, changes(1, 5), heartbeat, changes(2, 1), xid}, want: mysql.None},
		"handled, and another":             {event: 2, row: 5, events: []event{begins, orders, changes(1, 5), xid, gtid, begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"counts before a GTID":             {event: 3, row: 5, events: []event{gtid, begins, orders, changes(1, 5), xid}, want: mysql.Transaction, first: gtid.committed},
		"counts before a header":           {event: 9, events: []event{header, gtid, ddl("shop")}, want: mysql.Transaction, first: gtid.committed},
		"counts do not reach further":      {event: 9, events: []event{begins, orders, changes(1, 5), xid, gtid, ddl("shop")}, want: mysql.Transaction, first: gtid.committed},
		"within one, an event handled":     {event: 1, events: []event{changes(9, 1), xid}, want: mysql.None},
		"within one, and one is left":      {event: 1, events: []event{changes(9, 1), changes(9, 1), xid}, want: mysql.Rest, first: day},
		"within one, two of three":         {event: 2, events: []event{changes(9, 1), changes(9, 1), changes(9, 1), xid}, want: mysql.Rest, first: day},
		"within one, and rows":             {event: 1, row: 2, events: []event{changes(9, 1), changes(9, 2), xid}, want: mysql.None},
		"within one, not all rows":         {event: 1, row: 1, events: []event{changes(9, 1), changes(9, 2), xid}, want: mysql.Rest, first: day},
		"at the end of one":                {event: 1, events: []event{xid, gtid, begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"rows without events":              {row: 5, events: []event{begins, orders, changes(1, 5), xid}, want: mysql.Transaction, first: day},
		"a schema that is captured":        {captures: []string{"shop"}, events: []event{gtid, begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"a table that is captured":         {captures: []string{"crm", "shop.orders"}, events: []event{gtid, begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"a schema that is not captured":    {captures: []string{"crm"}, events: []event{gtid, begins, orders, changes(1, 1), xid}, want: mysql.None, skipped: 1},
		"a table that is not captured":     {captures: []string{"shop.people"}, events: []event{gtid, begins, orders, changes(1, 1), xid}, want: mysql.None, skipped: 1},
		"captured, and ignored":            {captures: []string{"maxwell"}, events: []event{gtid, begins, heartbeat, changes(2, 1), xid}, want: mysql.None, skipped: 1},
		"a table not named, of some":       {captures: []string{"shop"}, events: []event{gtid, begins, changes(9, 1), xid}, want: mysql.Transaction, first: gtid.committed},
		"a statement of one captured":      {captures: []string{"shop.people"}, events: []event{gtid, ddl("crm", "shop")}, want: mysql.Transaction, first: gtid.committed},
		"a statement of none captured":     {captures: []string{"shop.people"}, events: []event{gtid, ddl("crm")}, want: mysql.None, skipped: 1},
		"a statement of who knows what":    {captures: []string{"shop"}, events: []event{gtid, ddl()}, want: mysql.Transaction, first: gtid.committed},
		"a rest that is not captured":      {captures: []string{"crm"}, events: []event{orders, changes(1, 1), xid}, want: mysql.None},
		"handled, the rest not captured":   {captures: []string{"shop"}, event: 2, row: 5, events: []event{begins, orders, changes(1, 5), {kind: table, id: 3, schema: "crm"}, changes(3, 1), xid}, want: mysql.None},
		"care, then one without a GTID":    {events: []event{care, begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: day, skipped: 1},
		"care, then a statement alone":     {events: []event{header, care, ddl("shop")}, want: mysql.Transaction, first: day, skipped: 1},
		"care, and care":                   {events: []event{care, care}, want: mysql.None, skipped: 2},
		"care with a GTID":                 {events: []event{gtid, care, gtid, care}, want: mysql.None, skipped: 2},
		"care behind its GTID, handled":    {event: 1, events: []event{care, ddl("shop")}, want: mysql.Transaction, first: day, skipped: 1},
		"a number for a statement alone":   {events: []event{header, number, ddl("maxwell"), ddl("maxwell"), begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: day, skipped: 2},
		"a number at the place":            {events: []event{number, ddl("maxwell"), begins, orders, changes(1, 1), xid}, want: mysql.Transaction, first: day},
		"XA behind a GTID":                 {events: []event{gtid, {kind: begin, name: "Query"}, orders, changes(1, 1), {kind: within}, xid}, want: mysql.Transaction, first: gtid.committed},
		"MariaDB, handled":                 {flavor: mysql.MariaDB, event: 2, row: 5, events: []event{{kind: named}, {kind: annotation}, orders, changes(1, 5), xid}, want: mysql.None},
		"MariaDB, handled with annotation": {flavor: mysql.MariaDB, event: 3, row: 5, events: []event{{kind: named}, {kind: annotation}, orders, changes(1, 5), xid}, want: mysql.None},
		"MariaDB, a row is left":           {flavor: mysql.MariaDB, event: 2, row: 4, events: []event{{kind: named}, {kind: annotation}, orders, changes(1, 5), xid}, want: mysql.Rest},
		"MariaDB, a statement":             {flavor: mysql.MariaDB, event: 1, events: []event{{kind: named, alone: true}, ddl()}, want: mysql.None},
		"MariaDB, a statement and another": {flavor: mysql.MariaDB, event: 1, events: []event{{kind: named, alone: true}, ddl(), {kind: named, alone: true, at: day}, ddl()}, want: mysql.Transaction, first: day},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJudge(of.flavor, &mysql.Position{Event: of.event, Row: of.row}, newFilter(set([]string{"maxwell"}), of.captures))
			got := mysql.Unread
			for _, e := range of.events {
				if done, err := j.see(e); err != nil {
					t.Fatal(err)
				} else if done {
					got = j.after
					break
				}
			}
			if got == mysql.Unread {
				got = j.over()
			}
			if got != of.want || !j.first.at.Equal(of.first) || j.skipped != of.skipped {
				t.Errorf("%s since %v, %d skipped; want %s since %v, %d skipped", got, j.first.at, j.skipped, of.want, of.first, of.skipped)
			}
		})
	}
}

// A transaction is not older than its file, whatever time its statement is said to be of. When it was committed tells more.
func TestAgeIsThatOfTheFile(t *testing.T) {
	begun := time.Unix(1795980000, 0)
	old, young, none := begun.Add(-time.Hour), begun.Add(time.Minute), time.Time{}
	for name, of := range map[string]struct{ at, committed, want time.Time }{
		"before the file":           {at: old, want: begun},
		"after it was begun":        {at: young, want: young},
		"not told":                  {},
		"committed, by an old time": {at: old, committed: young, want: young},
		"committed before":          {at: young, committed: old, want: old},
	} {
		events := []event{{kind: named, at: of.at, committed: of.committed}, {kind: begin, at: of.at}, {kind: rows, at: of.at}}
		if of.committed == none {
			events = events[1:]
		}
		j := newJudge(mysql.MySQL, &mysql.Position{}, filter{})
		j.since = begun
		for _, e := range events {
			if _, err := j.see(e); err != nil {
				t.Fatal(err)
			}
		}
		if !j.first.at.Equal(of.want) {
			t.Errorf("%s: %v, want %v", name, j.first.at, of.want)
		}
	}
}

// wholes are the numbers of events after which no transaction is half written, as a server leaves its binlog.
func wholes(events []located) []int {
	var all []int
	for i, e := range events {
		last := i == len(events)-1 || events[i+1].kind == named || events[i+1].kind == outside
		if last && e.kind != named {
			all = append(all, i+1)
		}
	}
	return all
}

// judged is what a judge says of a position in a binlog of these events, and whether the transaction there is handled whole.
func judged(t testing.TB, r *recording, events []located, p *mysql.Position, ignored ...string) (mysql.After, bool) {
	t.Helper()
	j := newJudge(r.flavor, p, filter{ignored: set(ignored)})
	for _, e := range from(t, events, p) {
		if done, err := j.see(e.again()); err != nil {
			t.Fatal(err)
		} else if done {
			return j.after, j.whole
		}
	}
	return j.over(), j.whole
}

// again is the event with its payload unread.
func (l located) again() event {
	e, next := l.event, 0
	e.inner = func() (event, error) {
		if next == len(l.inner) {
			return event{}, io.EOF
		}
		next++
		return l.inner[next-1], nil
	}
	return e
}

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// from are the events after a position.
func from(t testing.TB, events []located, p *mysql.Position) []located {
	t.Helper()
	for i, e := range events {
		if e.file < p.File || e.file == p.File && e.start < p.Pos {
			continue
		}
		if e.file == p.File && e.start != p.Pos {
			t.Fatalf("no event at %s:%d", p.File, p.Pos)
		}
		return events[i:]
	}
	return nil
}
