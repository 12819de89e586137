package mysql

import (
	"context"
	"database/sql"
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
