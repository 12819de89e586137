package lab

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

// Left is what a server's dump stream holds from a place on: an independent witness of lag.
type Left struct {
	Bytes        int64 // of events, and the magic bytes that each further file begins with
	Files        int64 // further ones
	Events       int64
	Transactions int64      // GTID events
	First        time.Time  // of the first GTID event, in whole seconds; zero: there is none
	End          BinlogFile // where it ended; Size is the position
}

// The types of events that are told apart here.
const (
	rotateEvent    = 4
	formatEvent    = 15
	heartbeatEvent = 27
)

// Left reads the server's binlog from a place to its end.
func (m *MySQL) Left(t testing.TB, file string, pos int64) Left {
	t.Helper()
	var l Left
	within(t, patience, func(ctx context.Context) (err error) {
		if l, err = m.left(ctx, file, pos); err != nil {
			return fmt.Errorf("%s from %s:%d on: %w", m.name, file, pos, err)
		}
		return nil
	})
	return l
}

func (m *MySQL) left(ctx context.Context, file string, pos int64) (Left, error) {
	d, err := startDump(ctx, m, file, pos)
	if err != nil {
		return Left{}, err
	}
	defer d.conn.Close()
	l := Left{End: BinlogFile{Name: file, Size: pos}}
	whole := pos <= 4 // the file is read from its beginning: its format event is no copy
	for {
		e, err := d.event()
		if errors.Is(err, io.EOF) {
			return l, nil
		}
		if err != nil {
			return l, err
		}
		kind, size, end, flags := e[4], binary.LittleEndian.Uint32(e[9:]), binary.LittleEndian.Uint32(e[13:]), binary.LittleEndian.Uint16(e[17:])
		const artificial = 0x20
		switch {
		case kind == heartbeatEvent:
			continue
		case kind == rotateEvent && (flags&artificial != 0 || end == 0): // names the file that follows
			name := e[19+8:]
			if bytes.HasPrefix(name, []byte(l.End.Name)) {
				continue // the one that was asked for; a checksum may follow
			}
			l.End = BinlogFile{Name: trimChecksum(name), Size: 4}
			l.Files, l.Bytes, whole = l.Files+1, l.Bytes+4, true
			continue
		case kind == formatEvent && !whole:
			continue
		}
		l.Events++
		l.Bytes += int64(size)
		l.End.Size += int64(size)
		if isGTID(kind) {
			if l.Transactions++; l.First.IsZero() {
				l.First = time.Unix(int64(binary.LittleEndian.Uint32(e)), 0)
			}
		}
	}
}

func isGTID(kind byte) bool {
	return kind == 33 || kind == 34 || kind == 42 || kind == 162 // named, anonymous, tagged, MariaDB's
}

// trimChecksum cuts the four bytes off that may follow the name of a file, which ends with a digit: they do where there are
// more than a name's letters.
func trimChecksum(name []byte) string {
	if n := len(name) - 4; n > 0 && bytes.ContainsFunc(name[n:], func(r rune) bool { return r < '0' || r > '9' }) {
		return string(name[:n])
	}
	return string(name)
}
