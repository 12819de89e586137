package consumer

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"truelag/mysql"
)

// SQLConfig is a query that tells a consumer's place.
type SQLConfig struct {
	Name string // of the consumer

	// Query answers one row at the most; none is a consumer that has noted nothing down. Its columns are taken by their names, in any
	// case and order: file (binlog_file), position (pos, binlog_position), gtid (gtids, gtid_set), and, where they are known, event,
	// row, snapshot and server (the server_uuid of the server whose files these are). Others are left out; NULL is a value that is not
	// told.
	Query string

	DB *sql.DB // the consumer's own
}

// SQL reads a place by a query.
type SQL struct {
	name, query string
	args        []any
	db          *sql.DB
	choose      func(rows []fields) (row fields, which string, err error)
}

// NewSQL asks nothing yet.
func NewSQL(cfg SQLConfig) (*SQL, error) {
	switch {
	case strings.TrimSpace(cfg.Query) == "":
		return nil, errors.New("no query")
	case cfg.DB == nil:
		return nil, errors.New("no database for the query")
	}
	return &SQL{name: cfg.Name, query: cfg.Query, db: cfg.DB, choose: oneRow}, nil
}

// Name is the consumer's.
func (s *SQL) Name() string { return s.name }

// Close closes the database.
func (s *SQL) Close() { _ = s.db.Close() } // nothing of it was written

// Read runs the query.
func (s *SQL) Read(ctx context.Context) (mysql.Note, error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return mysql.Note{}, fmt.Errorf("query for the place: %w", err)
	}
	if len(rows) == 0 {
		return mysql.Note{}, nil
	}
	row, which, err := s.choose(rows)
	if err != nil {
		return mysql.Note{}, err
	}
	note := mysql.Note{Which: which}
	note.Position, err = row.place()
	if err != nil {
		err = fmt.Errorf("answer of the query for the place: %w", err)
	}
	return settle(note, err)
}

// maxRows is how many rows are read to choose from.
const maxRows = 1000

// rows are the answer's, with the columns' names in lower case.
func (s *SQL) rows(ctx context.Context) (rows []fields, err error) {
	began := time.Now()
	defer func() { mysql.Sent(ctx, s.query, began, err) }()
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	answer, err := s.db.QueryContext(own, s.query, s.args...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			cancel() // closing reads all that is left otherwise
		}
		_ = answer.Close() // what is wrong with it, Err tells
	}()
	names, err := answer.Columns()
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, errors.New("it answers no columns: want a SELECT of file and position, or gtid")
	}
	for i, name := range names {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	size := 0
	for answer.Next() {
		if len(rows) == maxRows {
			return nil, fmt.Errorf("it answers more than %d rows", maxRows)
		}
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := answer.Scan(into...); err != nil {
			return nil, err
		}
		row := fields{}
		for i, name := range names {
			if size += len(values[i].String); size > maxAnswer {
				return nil, fmt.Errorf("it answers more than %d MiB: name the columns that tell the place", maxAnswer>>20)
			}
			row.set(name, values[i])
		}
		rows = append(rows, row)
	}
	return rows, answer.Err() // what broke off is not the answer
}

// set sets a column's value; NULL is a member that tells nothing.
func (f fields) set(name string, value sql.NullString) {
	f[name] = json.RawMessage("null")
	if value.Valid {
		f[name] = quoted(value.String)
	}
}

func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // of a string there is no error
	return raw
}

// oneRow wants one.
func oneRow(rows []fields) (fields, string, error) {
	if len(rows) > 1 {
		return nil, "", fmt.Errorf("the query for the place answers %d rows: want one, add a condition or ORDER BY and LIMIT 1", len(rows))
	}
	return rows[0], "", nil
}
