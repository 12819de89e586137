package lab

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"
)

// BinlogFile is a row of SHOW BINARY LOGS.
type BinlogFile struct {
	Name string
	Size int64
}

// Exec runs statements as root, one after the other in one session.
func (m *MySQL) Exec(t testing.TB, statements ...string) {
	t.Helper()
	within(t, patience, func(ctx context.Context) error { return m.exec(ctx, statements...) })
}

func (m *MySQL) exec(ctx context.Context, statements ...string) error {
	c, err := m.Root.Conn(ctx)
	if err != nil {
		return err
	}
	// what a statement has set for the session must not meet the next one
	defer c.Raw(func(any) error { return driver.ErrBadConn })
	for _, s := range statements {
		if _, err := c.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: %s: %w", m.name, clip(s), err)
		}
	}
	return nil
}

// Text is the one value that a query has.
func (m *MySQL) Text(t testing.TB, query string, args ...any) string {
	t.Helper()
	var text string
	within(t, patience, func(ctx context.Context) error {
		if err := m.Root.QueryRowContext(ctx, query, args...).Scan(&text); err != nil {
			return fmt.Errorf("%s: %s: %w", m.name, clip(query), err)
		}
		return nil
	})
	return text
}

// GTIDs is the set of all transactions in the server's binlog.
func (m *MySQL) GTIDs(t testing.TB) string {
	t.Helper()
	if m.Options.MariaDB() {
		return m.Text(t, "SELECT @@global.gtid_binlog_pos")
	}
	return m.Text(t, "SELECT @@global.gtid_executed")
}

// Files are the binlog's files. On MariaDB a file gets one more event a moment after it was begun.
func (m *MySQL) Files(t testing.TB) []BinlogFile {
	t.Helper()
	var files []BinlogFile
	within(t, patience, func(ctx context.Context) error {
		rows, err := m.Root.QueryContext(ctx, "SHOW BINARY LOGS")
		if err != nil {
			return fmt.Errorf("%s: list files: %w", m.name, err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		for files = nil; rows.Next(); {
			var f BinlogFile
			row := []any{&f.Name, &f.Size, new(string)} // from MySQL 8.0.14 on: Encrypted
			if err := rows.Scan(row[:len(columns)]...); err != nil {
				return err
			}
			files = append(files, f)
		}
		return rows.Err()
	})
	return files
}

// End is where the binlog ends: the last of its files, and that one's size.
func (m *MySQL) End(t testing.TB) BinlogFile {
	t.Helper()
	files := m.Files(t)
	return files[len(files)-1]
}

// clip makes a statement fit into a line.
func clip(statement string) string {
	const most = 100
	if len(statement) > most {
		return statement[:most] + "..."
	}
	return statement
}
