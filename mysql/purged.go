package mysql

import (
	"context"
	"database/sql"
	"fmt"

	"truelag/mysql/gtid"
)

// start is what a MariaDB server had written when it began a file. What it had written before its first file is what it has
// purged: it has no variable for that.
type start struct {
	file string
	set  *gtid.Set
}

// purged asks for the set at the beginning of a file, unless it is known. nil: the file is gone.
func (s *start) purged(ctx context.Context, db *sql.DB, file string) (*gtid.Set, error) {
	if s.set != nil && s.file == file {
		return s.set, nil
	}
	*s = start{file: file}
	err := connected(ctx, db, func(conn *sql.Conn) error {
		return query(ctx, conn, func(r row) error {
			text, ok := r.text("purged")
			if !ok {
				return nil
			}
			set, err := MariaDB.Parse(text)
			s.set = &set
			return err
		}, "SELECT BINLOG_GTID_POS(?, 4) AS purged", file)
	})
	if err != nil {
		s.set = nil
		return nil, fmt.Errorf("read which transactions are purged: %w", err)
	}
	return s.set, nil
}
