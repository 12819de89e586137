package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// endsAfter is a context that ends when so many statements have been answered.
type endsAfter struct {
	context.Context
	cancel  context.CancelFunc
	answers int
}

func (e *endsAfter) Value(key any) any {
	if key == (traceKey{}) { // asked for once an answer is whole
		if e.answers--; e.answers == 0 {
			e.cancel()
		}
	}
	return e.Context.Value(key)
}

// The time may be over just when an answer has come: then what is missing has an error, and what came last is an answer all the same.
func TestFactsAtTheEndOfTheirTime(t *testing.T) {
	f := fake(t)
	db, err := f.dial().Open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var a asker
	ask := func(ctx context.Context) (got facts, err error) {
		err = connected(t.Context(), db, func(conn *sql.Conn) (err error) {
			got, err = a.ask(ctx, conn)
			return err
		})
		return got, err
	}
	if _, err := ask(t.Context()); err != nil { // which also learns what the server lacks
		t.Fatal(err)
	}
	const statements = 3 // which server, its sets, its expiry
	for answers := 1; answers <= statements; answers++ {
		ctx, cancel := context.WithCancel(t.Context())
		got, err := ask(&endsAfter{Context: ctx, cancel: cancel, answers: answers})
		if whole := answers == statements; (err == nil) != whole || whole != (got.server == uuidA) {
			t.Errorf("%d answers: %+v, %v", answers, got.identity, err)
		}
		if ctx.Err() == nil {
			t.Errorf("less than %d statements were sent", answers)
		}
		cancel()
	}
}

// A server that does not even tell its version is not read: what it leaves unsaid would be taken for what it lacks.
func TestServerWithoutVersion(t *testing.T) {
	f := fake(t)
	f.null = []string{"version"}
	db, err := f.dial().Open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = connected(t.Context(), db, func(conn *sql.Conn) error {
		got, err := new(asker).ask(t.Context(), conn)
		if got.server != "" {
			t.Errorf("got %+v", got.identity)
		}
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "version") {
		t.Errorf("got %v", err)
	}
}

// A server that writes transactions without a GTID does not tell by its set how many are left, nor that none is.
func TestTransactionsWithoutGTID(t *testing.T) {
	const all, some = uuidA + ":1-5:mysqlsh:1-2," + uuidB + ":7", uuidA + ":1-4:mysqlsh:1-2," + uuidB + ":7"
	for mode, want := range map[string]string{
		"":               "ok 2 of 1000; ok 1; caught_up 0",
		"ON":             "ok 2 of 1000; ok 1; caught_up 0",
		"ON_PERMISSIVE":  "ok 2 of 1000; ok 1; caught_up 0",
		"OFF_PERMISSIVE": "ok unknown of 1000; ok unknown; ok unknown",
		"OFF":            "ok unknown of 1000; ok unknown; ok unknown",
	} {
		f := fake(t)
		if f.variables["gtid_mode"] = mode; mode == "" {
			delete(f.variables, "gtid_mode") // as with a server that has none
		}
		d := works(t, reader(t, f.dial(), nil, at("binlog.000001", 388, uuidA+":1-3:mysqlsh:1-2,"+uuidB+":7"), at("", 0, some), at("", 0, all)))
		of := func(i int) Distance { return d.Consumers[i].Distance }
		got := fmt.Sprintf("%s %s of %s; %s %s; %s %s", of(0).State, of(0).Transactions, of(0).Bytes, of(1).State, of(1).Transactions, of(2).State, of(2).Transactions)
		if got != want {
			t.Errorf("gtid_mode %q: %s, want %s", mode, got, want)
		}
	}
}
