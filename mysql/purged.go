package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"truelag/mysql/gtid"
)

// start is what a server had written when it began a file. What it had written before the first that can be read is what is gone.
type start struct {
	file string
	set  *gtid.Set
}

// errHeldUp is that a question would wait as well: MySQL up to 5.7 answers that for a file when no huge transaction is flushed.
var errHeldUp = errors.New("it is not asked while SHOW BINARY LOGS is not answered")

// read asks for the set at the beginning of a file, unless it is known. nil: the file is there, and does not tell it. MariaDB is asked
// all the same, which costs it little: one that was reset begins with the same name, and perhaps with another set.
func (s *start) read(ctx context.Context, db *sql.DB, flavor Flavor, file string, heldUp bool) (*gtid.Set, error) {
	switch {
	case s.set != nil && s.file == file && (flavor == MySQL || heldUp):
		return s.set, nil
	case heldUp:
		return nil, fmt.Errorf("read which transactions are purged: %w", errHeldUp)
	}
	*s = start{file: file}
	column, statement := "purged", "SELECT BINLOG_GTID_POS(?, 4) AS purged"
	if flavor == MySQL { // the event after the format
		column, statement = "info", "SHOW BINLOG EVENTS IN ? LIMIT 1, 1"
	}
	err := connected(ctx, db, func(conn *sql.Conn) error {
		return query(ctx, conn, func(r row) error {
			kind, _ := r.text("event_type")
			text, ok := r.text(column)
			if !ok || flavor == MySQL && kind != "Previous_gtids" {
				return nil
			}
			set, err := flavor.Parse(text)
			s.set = &set
			return err
		}, statement, file)
	})
	if err != nil {
		s.set = nil
		return nil, fmt.Errorf("read which transactions are purged: %w", err)
	}
	return s.set, nil
}
