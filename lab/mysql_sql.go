package lab

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strconv"
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

// Files are the binlog's files.
func (m *MySQL) Files(t testing.TB) []BinlogFile {
	t.Helper()
	var files []BinlogFile
	for _, r := range m.Rows(t, "SHOW BINARY LOGS") {
		size, err := strconv.ParseInt(r["File_size"], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, BinlogFile{Name: r["Log_name"], Size: size})
	}
	return files
}

// End is where the binlog ends: the last of its files, and that one's size. On MariaDB it is so once the event is written
// that follows a file's beginning after a moment: it says that no earlier file is needed any more.
func (m *MySQL) End(t testing.TB) BinlogFile {
	t.Helper()
	if m.Options.MariaDB() {
		Await(t, func() error { return m.checkpointed(t, m.last(t).Name) })
	}
	return m.last(t) // not before: the event is part of it
}

func (m *MySQL) last(t testing.TB) BinlogFile {
	t.Helper()
	files := m.Files(t)
	return files[len(files)-1]
}

// checkpointed is nil once the last file has the event that names it.
func (m *MySQL) checkpointed(t testing.TB, file string) error {
	t.Helper()
	for _, r := range m.Rows(t, "SHOW BINLOG EVENTS IN '"+file+"'") {
		if r["Event_type"] == "Binlog_checkpoint" && r["Info"] == file {
			return nil
		}
	}
	return fmt.Errorf("%s: %s has no checkpoint of its own yet", m.name, file)
}

// Purge has the files before one taken away, and returns once they are gone: a server keeps one that it still sends to somebody, who may have
// hung up a moment ago, and all after it, and says so by a warning alone.
func (m *MySQL) Purge(t testing.TB, to string) {
	t.Helper()
	Await(t, func() error {
		m.Exec(t, "PURGE BINARY LOGS TO '"+to+"'")
		if first := m.Files(t)[0].Name; first != to {
			m.Left(t, to, 4) // MariaDB 11.4 does not look again who reads the file that was in its way before somebody begins another one
			return fmt.Errorf("%s: the first file is %s, want %s", m.name, first, to)
		}
		return nil
	})
}

// Rotate begins a new file, and returns when nothing more is written to it by itself.
func (m *MySQL) Rotate(t testing.TB) {
	t.Helper()
	m.Exec(t, "FLUSH BINARY LOGS")
	m.End(t)
}

// Rows are the rows of a query, by the names of their columns. What is NULL is left out.
func (m *MySQL) Rows(t testing.TB, query string) []map[string]string {
	t.Helper()
	var all []map[string]string
	within(t, patience, func(ctx context.Context) error {
		rows, err := m.Root.QueryContext(ctx, query)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", m.name, clip(query), err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		for all = nil; rows.Next(); {
			values := make([]sql.NullString, len(columns))
			to := make([]any, len(columns))
			for i := range values {
				to[i] = &values[i]
			}
			if err := rows.Scan(to...); err != nil {
				return err
			}
			row := map[string]string{}
			for i, v := range values {
				if v.Valid {
					row[columns[i]] = v.String
				}
			}
			all = append(all, row)
		}
		return rows.Err()
	})
	return all
}

// clip makes a statement fit into a line.
func clip(statement string) string {
	const most = 100
	if len(statement) > most {
		return statement[:most] + "..."
	}
	return statement
}
