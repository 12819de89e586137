package consumer_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"truelag/mysql/consumer"
)

// table is a database that answers each query with these rows, or with an error.
type table struct {
	columns []string
	rows    [][]driver.Value
	err     error // instead of rows
	broken  error // after the rows
	asked   string
	args    []driver.NamedValue
	ctx     context.Context // the query's
	ended   error           // of ctx, when the answer was closed
	times   int             // that it was asked
	held    chan struct{}   // nobody is answered before it is closed; nil: all are
}

func (a *table) Connect(context.Context) (driver.Conn, error) { return a, nil }
func (a *table) Driver() driver.Driver                        { return nil }
func (a *table) Prepare(string) (driver.Stmt, error)          { return nil, errors.New("not prepared") }
func (a *table) Begin() (driver.Tx, error)                    { return nil, errors.New("not begun") }
func (a *table) Close() error                                 { return nil }
func (a *table) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	a.asked, a.args, a.ctx = query, args, ctx
	a.times++
	if a.held != nil {
		select {
		case <-a.held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &tableRows{table: a}, a.err
}

type tableRows struct {
	*table
	next int
}

func (r *tableRows) Columns() []string { return r.columns }

func (r *tableRows) Next(into []driver.Value) error {
	if r.next == len(r.rows) {
		if r.broken != nil {
			return r.broken
		}
		return io.EOF
	}
	copy(into, r.rows[r.next])
	r.next++
	return nil
}

func (r *tableRows) Close() error {
	r.ended = r.ctx.Err()
	return nil
}

func query(t *testing.T, a *table) *consumer.SQL {
	t.Helper()
	return ok[*consumer.SQL](t)(consumer.NewSQL(consumer.SQLConfig{Name: "q", Query: "SELECT 1", DB: sql.OpenDB(a)}))
}

func TestSQL(t *testing.T) {
	for name, c := range map[string]struct {
		columns string
		row     []driver.Value
		want    string
	}{
		"all":               {"Server,SNAPSHOT,row,event,GTID,position,file", []driver.Value{"u", "false", int64(2), int64(6), "a:1-5", int64(805), "b.000003"}, "place b.000003:805 a:1-5 event 6 row 2 of u"},
		"texts":             {"file,pos", []driver.Value{[]byte("b.000003"), []byte("805")}, "place b.000003:805"},
		"a decimal":         {"file,pos", []driver.Value{"b.000003", "805.0000"}, "place b.000003:805"},
		"beyond 32 bits":    {"file,pos", []driver.Value{"b.000003", int64(1) << 40}, "place b.000003:1099511627776"},
		"a set alone":       {"gtid_set", []driver.Value{"0-1-5"}, "place 0-1-5"},
		"another column":    {"id,file,pos,secret", []driver.Value{int64(1), "b.000003", int64(4), "hunter2"}, "place b.000003:4"},
		"no set yet":        {"file,pos,gtid", []driver.Value{"b.000003", int64(4), nil}, "place b.000003:4"},
		"nothing yet":       {"file,pos,gtid", []driver.Value{nil, nil, nil}, ""},
		"nothing but blank": {"file,pos,gtid", []driver.Value{"", int64(0), ""}, ""},
		"no position":       {"file,pos,gtid", []driver.Value{"b.000003", nil, nil}, `error answer of the query for the place: file "b.000003" is without a position`},
		"a bad position":    {"file,pos,gtid", []driver.Value{"b.000003", "-5", "a:1"}, "place a:1\n" + `left out: answer of the query for the place: pos: -5 is negative; file "b.000003" is without a position`},
		"a bad file":        {"file,pos,gtid", []driver.Value{"/etc/passwd", int64(4), "a:1"}, "place a:1\n" + `left out: answer of the query for the place: file: "/etc/passwd" cannot be the name of one`},
		"bytes of no text":  {"file,pos", []driver.Value{[]byte("b\xff.000001"), int64(4)}, `error answer of the query for the place: file: "b\ufffd.000001" cannot be the name of one`},
		"other columns":     {"a,b", []driver.Value{"x", "y"}, `error answer of the query for the place: want file and position, or gtid: it has "a", "b"`},
		"a snapshot":        {"file,pos,snapshot", []driver.Value{nil, nil, "INITIAL"}, "place snapshot INITIAL"},
		"in a snapshot":     {"file,pos,snapshot", []driver.Value{"b.000003", int64(4), int64(1)}, "place b.000003:4 snapshot true"},
		"in none":           {"file,pos,snapshot", []driver.Value{"b.000003", int64(4), int64(0)}, "place b.000003:4"},
	} {
		t.Run(name, func(t *testing.T) {
			want(t, query(t, &table{columns: strings.Split(c.columns, ","), rows: [][]driver.Value{c.row}}), c.want)
		})
	}
	want(t, query(t, &table{columns: []string{"file", "pos"}}), "")
	row := []driver.Value{"b.000003", int64(4)}
	want(t, query(t, &table{columns: []string{"file", "pos"}, rows: [][]driver.Value{row, row}}),
		"error the query for the place answers 2 rows: want one, add a condition or ORDER BY and LIMIT 1")
	want(t, query(t, &table{columns: []string{"file", "pos"}, rows: slices.Repeat([][]driver.Value{row}, 2000)}),
		"error query for the place: it answers more than 1000 rows")
	want(t, query(t, &table{columns: []string{"file", "pos", "payload"}, rows: [][]driver.Value{{"b.000003", int64(4), make([]byte, 9<<20)}}}),
		"error query for the place: it answers more than 8 MiB: name the columns that tell the place")
	want(t, query(t, &table{}), "error query for the place: it answers no columns: want a SELECT of file and position, or gtid")
	want(t, query(t, &table{err: errors.New("Error 1146 (42S02): Table 'a.b' doesn't exist")}),
		"error query for the place: Error 1146 (42S02): Table 'a.b' doesn't exist")
	want(t, query(t, &table{columns: []string{"file", "pos"}, rows: [][]driver.Value{row}, broken: io.ErrUnexpectedEOF}),
		"error query for the place: unexpected EOF")
}

// An answer that nobody reads to its end is broken off there: what is left of it may be long.
func TestSQLIsBrokenOff(t *testing.T) {
	row := []driver.Value{"b.000003", int64(4)}
	endless := &table{columns: []string{"file", "pos"}, rows: slices.Repeat([][]driver.Value{row}, 2000)}
	if _, err := query(t, endless).Read(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if endless.ended == nil {
		t.Error("it is closed while the query goes on")
	}
}

// A server goes on with a query that nobody waits for, so no other is sent meanwhile. After a long time it is given up, and each
// that follows after twice as long: a server goes on with those, too.
func TestSQLIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &table{columns: []string{"file", "pos"}, rows: [][]driver.Value{{"b.000003", int64(4)}}, held: make(chan struct{})}
		c := query(t, a)
		read := func(times int, want string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			got := told(c.Read(ctx))
			synctest.Wait()
			if got != want || a.times != times {
				t.Errorf("asked %d times: %s; want %d times: %s", a.times, got, times, want)
			}
		}
		const is, not, over = "error query for the place: it was not answered in ", ", and is not sent again before it is, or ", ": context deadline exceeded"
		read(1, is+"5s"+not+"10m0s have passed"+over)
		<-time.After(30 * time.Second)
		read(1, is+"35s"+not+"10m0s have passed")
		<-time.After(10 * time.Minute)
		read(2, is+"5s"+not+"20m0s have passed"+over)
		<-time.After(19 * time.Minute)
		read(2, is+"19m5s"+not+"20m0s have passed")
		<-time.After(time.Minute)
		read(3, is+"5s"+not+"40m0s have passed"+over)
		close(a.held)
		synctest.Wait()
		read(4, "place b.000003:4")
		a.held = make(chan struct{})
		read(5, is+"5s"+not+"10m0s have passed"+over)
		c.Close()
	})
}

// maxwell is the table as Maxwell 1.22 makes it.
func maxwell(t *testing.T, a *table) *consumer.SQL {
	t.Helper()
	a.columns = []string{"server_id", "binlog_file", "binlog_position", "gtid_set", "client_id", "heartbeat_at", "last_heartbeat_read"}
	return ok[*consumer.SQL](t)(consumer.NewMaxwell(consumer.MaxwellConfig{Name: "m", ClientID: "maxwell", Database: "maxwell", DB: sql.OpenDB(a)}))
}

func TestMaxwell(t *testing.T) {
	row := []driver.Value{int64(21257), "mysql-bin.000001", int64(30719), nil, "lab", nil, int64(1796010821275)} // as a real one had it
	a := &table{rows: [][]driver.Value{row}}
	want(t, maxwell(t, a), "place mysql-bin.000001:30719")
	if a.asked != "SELECT * FROM `maxwell`.`positions` WHERE `client_id` = ?" || fmt.Sprint(a.args) != "[{ 1 maxwell}]" {
		t.Error(a.asked, a.args)
	}
	want(t, maxwell(t, &table{}), "")

	// By GTIDs the server's id is 0. A set that fills its column was cut, and is not that of the consumer.
	gtid := []driver.Value{int64(0), "b.000002", int64(4), set + ":1-5", "lab", nil, nil}
	want(t, maxwell(t, &table{rows: [][]driver.Value{gtid}}), "place b.000002:4 "+set+":1-5")
	gtid[3] = strings.Repeat("x", 4096)
	want(t, maxwell(t, &table{rows: [][]driver.Value{gtid}}), "place b.000002:4",
		"left out: gtid_set, which fills its column (4096 characters), so it was cut")

	// After a failover.
	at := time.UnixMilli(1796010821275).UTC()
	newer := []driver.Value{int64(2), "other.000001", int64(813), nil, "lab", nil, at.Add(time.Minute).UnixMilli()}
	want(t, maxwell(t, &table{rows: [][]driver.Value{row, newer, gtid}}), "place other.000001:813",
		"which the row of server_id 2, whose heartbeat was read last (2026-11-30T03:54:41Z), of 3")
	want(t, maxwell(t, &table{rows: [][]driver.Value{gtid, gtid}}),
		"error Maxwell's table positions has several rows of the client, and no heartbeat tells which is the newest: delete the rows of servers that are gone")
}

func TestMaxwellSettings(t *testing.T) {
	a := &table{columns: []string{"binlog_file", "binlog_position"}}
	c := ok[*consumer.SQL](t)(consumer.NewMaxwell(consumer.MaxwellConfig{DB: sql.OpenDB(a), Database: "a`b", ClientID: "x' OR 1"}))
	want(t, c, "")
	if a.asked != "SELECT * FROM `a``b`.`positions` WHERE `client_id` = ?" || fmt.Sprint(a.args) != "[{ 1 x' OR 1}]" {
		t.Error(a.asked, a.args)
	}
	for want, err := range map[string]error{
		"no query":                  second(consumer.NewSQL(consumer.SQLConfig{Query: " \n", DB: sql.OpenDB(a)})),
		"no database for the query": second(consumer.NewSQL(consumer.SQLConfig{Query: "SELECT 1"})),
		"table positions of Maxwell: no database for the query":   second(consumer.NewMaxwell(consumer.MaxwellConfig{ClientID: "c", Database: "d"})),
		"table positions of Maxwell: no client_id or no database": second(consumer.NewMaxwell(consumer.MaxwellConfig{ClientID: "c"})),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
