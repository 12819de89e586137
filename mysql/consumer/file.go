package consumer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"truelag/mysql"
)

const (
	// maxFile is the longest file that is read.
	maxFile = 4 << 20

	// rewriteTime is how long a file that is cut short is given: whoever writes it may not be done.
	rewriteTime = 50 * time.Millisecond
)

// FileConfig is a file that some program writes a consumer's place to.
type FileConfig struct {
	Name string // of the consumer
	Path string
}

// File reads a file with a JSON object of file and pos (position), or gtids (gtid, gtid_set), and, where they are known, event and row
// (how much of the transaction there was handled), snapshot, server (the server_uuid of the server whose files these are), state and
// reason. Numbers may be texts, and other members are left out.
type File struct{ cfg FileConfig }

// NewFile reads nothing yet.
func NewFile(cfg FileConfig) (*File, error) {
	if cfg.Path == "" {
		return nil, errors.New("no path of the file with the place")
	}
	return &File{cfg}, nil
}

// Name is the consumer's.
func (f *File) Name() string { return f.cfg.Name }

// Close does nothing.
func (f *File) Close() {}

// Read reads the file.
func (f *File) Read(ctx context.Context) (note mysql.Note, err error) {
	err = readJSONFile(ctx, f.cfg.Path, func(raw []byte) error {
		object, err := parseFields(raw)
		if err != nil {
			return err
		}
		note.Position, err = object.place()
		state, stateErr := object.text("state")
		reason, reasonErr := object.text("reason")
		note.State, note.Reason = stateWord(state), oneLine(reason)
		return errors.Join(err, stateErr, reasonErr)
	})
	return settle(note, err)
}

// errEmpty is a file that has nothing in it.
var errEmpty = errors.New("the file is empty")

// readJSONFile reads a file, and once more where what it has is cut short.
func readJSONFile(ctx context.Context, path string, parse func(raw []byte) error) (err error) {
	began := time.Now()
	defer func() { mysql.Sent(ctx, "read "+path, began, err) }()
	read := func() error {
		raw, err := readFile(path)
		if err != nil {
			return err
		}
		if err := parse(raw); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	err = read()
	if _, short := errors.AsType[*json.SyntaxError](err); !short && !errors.Is(err, errEmpty) {
		return err
	}
	timer := time.NewTimer(rewriteTime)
	defer timer.Stop()
	select {
	case <-timer.C:
		return read()
	case <-ctx.Done():
		return err
	}
}

// readFile reads a file that is one: opening a pipe would wait for whoever writes to it.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // which programs on Windows begin a text with
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxFile:
		return nil, fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, fmt.Errorf("%s: %w", path, errEmpty)
	}
	return raw, nil
}
