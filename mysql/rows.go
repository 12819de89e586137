package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// row is a row of an answer by the lower-case names of its columns. It is good until the next.
type row struct {
	columns map[string]int
	cells   []sql.RawBytes
}

// text is a cell; false where it is NULL or there is no such column.
func (r row) text(column string) (string, bool) {
	i, ok := r.columns[column]
	if !ok || r.cells[i] == nil {
		return "", false
	}
	return string(r.cells[i]), true
}

// connected lends the pool's connection. The context bounds the connecting alone.
func connected(ctx context.Context, db *sql.DB, do func(*sql.Conn) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { // also where do panics
		if e := conn.Close(); err == nil && !errors.Is(e, sql.ErrConnDone) {
			err = e
		}
	}()
	return do(conn)
}

// query hands out the rows of an answer one by one. It ends with each's first error.
func query(ctx context.Context, conn *sql.Conn, each func(row) error, statement string, args ...any) (err error) {
	began := time.Now()
	defer func() { Sent(ctx, statement, began, err) }()
	rows, err := conn.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	r := row{columns: make(map[string]int, len(names)), cells: make([]sql.RawBytes, len(names))}
	cells := make([]any, len(names))
	for i, name := range names {
		r.columns[strings.ToLower(name)] = i
		cells[i] = &r.cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// want is an error about a column that must be there.
func (r row) want(column string) error {
	if _, ok := r.columns[column]; ok {
		return nil
	}
	return fmt.Errorf("the answer has no column %s", column)
}
