package mysql

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"truelag/guard"
)

// A step that panics on a connection gives it back: the pool has one alone, and every later round would wait for it.
func TestConnectionOfAPanic(t *testing.T) {
	f := fake(t)
	db, err := f.dial().Open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = guard.Do(func() error {
		return connected(t.Context(), db, func(*sql.Conn) error { panic("in between") })
	})
	if !errors.Is(err, guard.ErrPanic) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := connected(ctx, db, func(*sql.Conn) error { return nil }); err != nil {
		t.Error(err)
	}
}
