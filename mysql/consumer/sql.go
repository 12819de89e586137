package consumer

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	name   string
	query  query
	choose func(rows []fields) (fields, mysql.Note, error) // the row to take, and what is to be said of it
}

// NewSQL asks nothing yet.
func NewSQL(cfg SQLConfig) (*SQL, error) {
	switch {
	case strings.TrimSpace(cfg.Query) == "":
		return nil, errors.New("no query")
	case cfg.DB == nil:
		return nil, errors.New("no database for the query")
	}
	return &SQL{name: cfg.Name, query: query{db: cfg.DB, text: cfg.Query}, choose: oneRow}, nil
}

// Name is the consumer's.
func (s *SQL) Name() string { return s.name }

// Close closes the database.
func (s *SQL) Close() { s.query.close() }

// Read runs the query.
func (s *SQL) Read(ctx context.Context) (mysql.Note, error) {
	rows, err := s.query.ask(ctx)
	if err != nil {
		return mysql.Note{}, fmt.Errorf("query for the place: %w", err)
	}
	if len(rows) == 0 {
		return mysql.Note{}, nil
	}
	row, note, err := s.choose(rows)
	if err != nil {
		return mysql.Note{}, err
	}
	note.Position, err = row.place()
	if err != nil {
		err = fmt.Errorf("answer of the query for the place: %w", err)
	}
	return settle(note, err)
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
func oneRow(rows []fields) (fields, mysql.Note, error) {
	if len(rows) > 1 {
		return nil, mysql.Note{}, fmt.Errorf("the query for the place answers %d rows: want one, add a condition or ORDER BY and LIMIT 1", len(rows))
	}
	return rows[0], mysql.Note{}, nil
}
