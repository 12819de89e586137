package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// errNoBinlog is that a server works, and has no binlog.
var errNoBinlog = errors.New("the server writes no binlog")

// What an answer can make us hold: some 100 MB, and each text in a size that fits a line. No server gets near either.
const (
	maxFiles = 1 << 18
	maxName  = 512 // bytes
)

// list is the answer to SHOW BINARY LOGS.
type list struct {
	identity
	at    time.Time // when the server was asked
	files []File    // never nil without err; empty: the server writes no binlog
	err   error
	sent  []Statement
}

// readList asks for the files. Which server it is it asks on the same connection, since another may lead to another. The context
// of the question bounds what no lock holds up.
func readList(ctx, question context.Context, conn *sql.Conn, a *asker) (id identity, files []File, err error) {
	if id, _, err = a.identify(question, conn); err != nil {
		return identity{}, nil, err
	}
	files, err = showBinaryLogs(ctx, conn)
	if err != nil {
		return id, nil, fmt.Errorf("SHOW BINARY LOGS: %w", err)
	}
	return id, files, nil
}

func showBinaryLogs(ctx context.Context, conn *sql.Conn) ([]File, error) {
	files := []File{}
	err := query(ctx, conn, func(r row) error {
		f, err := readFile(r)
		switch {
		case err != nil:
			return fmt.Errorf("row %d: %w", len(files)+1, err)
		case len(files) == maxFiles:
			return fmt.Errorf("more than %d files", maxFiles)
		}
		files = append(files, f)
		return nil
	}, "SHOW BINARY LOGS")
	switch {
	case says(err, errorBinlog):
		return []File{}, nil
	case err != nil:
		return nil, err
	}
	return files, nil
}

// readFile reads a row. One without a name says that the list cannot be trusted to be whole; a size that is none is not known.
func readFile(r row) (File, error) {
	const name, size, encrypted = "log_name", "file_size", "encrypted"
	if err := errors.Join(r.want(name), r.want(size)); err != nil {
		return File{}, err
	}
	var f File
	if f.Name, _ = r.text(name); f.Name == "" || len(f.Name) > maxName {
		return File{}, fmt.Errorf("a file's name has %d bytes: want 1 to %d", len(f.Name), maxName)
	}
	text, _ := r.text(size)
	var err error
	if f.Size, err = strconv.ParseInt(text, 10, 64); err != nil {
		f.Size = -1
	}
	text, _ = r.text(encrypted)
	f.Encrypted = strings.EqualFold(text, "yes")
	return f, nil
}
