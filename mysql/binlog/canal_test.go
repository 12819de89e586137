package binlog

import (
	"slices"
	"testing"
	"time"

	"truelag/mysql"
)

// Canal notes down the last event that it was through with: one that ends a transaction, or begins it, or a statement.
func TestCanal(t *testing.T) {
	for _, r := range recordings(t) {
		events := r.read(t)
		for _, cut := range wholes(events) {
			for i, e := range events[:cut] {
				if e.kind != end && !(e.kind == statement && events[i-1].kind == named) {
					continue
				}
				rest := slices.IndexFunc(events[i+1:cut], changing(nil))
				got, _ := judged(t, r, events[:cut], &mysql.Position{File: e.file, Pos: e.start, Event: 1})
				if (got == mysql.None) != (rest < 0) {
					t.Fatalf("%s up to %d: %s: %s, next change at %d", r.name, cut, e, got, rest)
				}
			}
		}
	}
}

// All of a compressed transaction is at one place to Canal, which notes down the second of what it was through with.
func TestCanalPacked(t *testing.T) {
	const second = time.Second
	day := time.Unix(1795980000, 0)
	orders, heartbeat := event{kind: table, id: 1, schema: "shop", table: "orders"}, event{kind: table, id: 2, schema: "maxwell", table: "heartbeats"}
	begins, xid := event{kind: begin, name: "Query", at: day}, event{kind: end, name: "Xid", at: day.Add(2 * second)}
	change := func(id uint64, after time.Duration) event {
		return event{kind: rows, name: "Write_rows", at: day.Add(after), id: id}
	}
	packed := func(inner ...event) event {
		return located{event: event{kind: payload, name: "Transaction_payload", at: day}, inner: inner}.again()
	}
	gtid, header := event{kind: named, name: "Gtid", at: day.Add(9 * second)}, event{kind: outside, name: "Format_desc"}
	later := func() event { return packed(begins, orders, change(1, 2*second), xid) }
	for name, of := range map[string]struct {
		logged time.Time
		events []event
		want   mysql.After
		first  time.Time
	}{
		"all of it":                 {day.Add(2 * second), []event{later()}, mysql.None, time.Time{}},
		"its beginning":             {day, []event{later()}, mysql.Rest, day},
		"one of two changes":        {day.Add(second), []event{packed(begins, orders, change(1, second), change(1, 2*second), xid)}, mysql.Rest, day},
		"all but its end":           {day.Add(second), []event{packed(begins, orders, change(1, second), xid)}, mysql.None, time.Time{}},
		"all but bookkeeping":       {day, []event{packed(begins, orders, change(1, 0), heartbeat, change(2, 2*second), xid)}, mysql.None, time.Time{}},
		"who knows, in one second":  {day, []event{packed(begins, orders, change(1, 0), xid)}, mysql.None, time.Time{}},
		"all, and a file's end":     {day.Add(2 * second), []event{later(), header}, mysql.None, time.Time{}},
		"all, and another":          {day.Add(9 * second), []event{later(), gtid, later()}, mysql.Transaction, gtid.at},
		"all, and one not packed":   {day.Add(9 * second), []event{later(), gtid, begins, orders, change(1, 0), xid}, mysql.Transaction, gtid.at},
		"another's place":           {day.Add(9 * second), []event{gtid, later()}, mysql.Transaction, gtid.at},
		"nobody told when":          {time.Time{}, []event{later()}, mysql.Rest, day},
		"not packed, but the end":   {day, []event{xid}, mysql.None, time.Time{}},
		"not packed, the beginning": {day.Add(9 * second), []event{begins, orders, change(1, 0), xid}, mysql.Rest, day},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJudge(mysql.MySQL, &mysql.Position{Event: 1, Logged: of.logged}, newFilter(set([]string{"maxwell"}), nil))
			for _, e := range of.events {
				if done, err := j.see(e); err != nil {
					t.Fatal(err)
				} else if done {
					break
				}
			}
			if got := j.over(); got != of.want || !j.first.at.Equal(of.first) {
				t.Errorf("got %s, first at %s; want %s at %s", got, j.first.at, of.want, of.first)
			}
		})
	}
}
