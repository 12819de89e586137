package binlog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"truelag/mysql"
)

// feed reads the events of a dump from a position on.
type feed struct {
	packets packets
	decoder decoder
	flavor  mysql.Flavor

	file  string
	start int64     // of the event that came last
	pos   int64     // behind it
	sum   int64     // of bytes, from the position to there, with the first four of each further file
	begun time.Time // when file was, by its header; zero: not told yet

	lacking bool // what a set lacks is sent, from a file on that the server names
	rotated bool // it was begun when the one before was full, and not when the server was started
	ahead   bool // its format was sent before the events from the position on

	any    bool // an event came that is in a file
	unsure bool // whether an event begins at the position: none that came says where it ends
}

var (
	// errNoEvent is that no event begins at the position.
	errNoEvent = errors.New("no event begins there")

	errSmall = errors.New("an event is smaller than its header")
)

const (
	fileStart = 4

	longestFormat     = 1 << 12
	longestName       = 1 << 12 // of an event that gives one
	longestDefinition = 1 << 20

	// longestRows fits into a scan as it is set by default. An event of more is one row: servers begin another one for each row once
	// there are 8 KiB (binlog_row_event_max_size).
	longestRows = 15 << 20
)

// expansion is how many times as much as a scan reads a compressed transaction may hold: it is seen whole or not at all, and rows
// that are compressed mostly take a tenth.
const expansion = 16

func newFeed(in io.Reader, flavor mysql.Flavor, file string, pos int64, limit int64) *feed {
	return &feed{
		packets: packets{in: bufio.NewReaderSize(in, 1<<16), limit: limit}, decoder: decoder{limit: expansion * limit},
		flavor: flavor, file: file, pos: max(pos, fileStart), lacking: file == "",
	}
}

// next is the next event of a file. io.EOF: the binlog ends here. What was not read of the event before is passed over.
func (f *feed) next() (event, error) {
	for {
		if err := f.packets.next(); err != nil {
			return event{}, err
		}
		h, err := readHeader(&f.packets)
		if errors.Is(err, errSmall) && !f.any {
			return event{}, errNoEvent
		}
		if err != nil {
			return event{}, f.wrong(h, err)
		}
		filed, err := f.admit(h)
		if err != nil {
			return event{}, f.wrong(h, err)
		}
		if !filed {
			continue
		}
		body, err := f.prove(h)
		if err != nil {
			return event{}, f.wrong(h, err)
		}
		if err := f.step(h); err != nil {
			return event{}, err
		}
		e, err := f.decoder.event(h, body)
		if err != nil {
			return event{}, f.wrong(h, err)
		}
		return e, nil
	}
}

func (f *feed) wrong(h header, err error) error {
	return fmt.Errorf("event of type %d before %s:%d: %w", h.code, f.file, f.pos, cut(err))
}

// admit takes in what a server puts between the events of its files, and is false for that. Between a file's format and the events
// from a position within it on, it puts nothing, unless it goes on to the next file: what looks so there is the midst of an event.
func (f *feed) admit(h header) (bool, error) {
	first := f.ahead && !f.any
	switch h.code {
	case typeFormat:
		if first {
			return false, errNoEvent
		}
		raw, err := h.read(&f.packets, longestFormat)
		if err != nil {
			return false, err
		}
		err = f.decoder.format(raw)
		f.begun, f.rotated = h.time(), !f.decoder.started
		f.ahead = f.pos != fileStart
		return !f.ahead, err
	case typeRotate:
		if h.at != 0 && h.flags&flagArtificial == 0 {
			return true, nil
		}
		if first && (h.at != 0 || h.end != 0) {
			return false, errNoEvent
		}
		raw, err := h.read(&f.packets, longestName)
		if err != nil {
			return false, err
		}
		return false, f.rotate(raw[headerSize:])
	case typeHeartbeat, typeHeartbeatV2:
		if !first {
			return false, nil
		}
		raw, err := h.read(&f.packets, longestName)
		if err != nil || !bytes.Contains(raw, []byte(f.file)) {
			return false, errNoEvent
		}
		return false, nil
	case typeEncryption: // of MariaDB's, what a file is encrypted with is sent ahead, too
		ahead := first && h.end == 0 && h.flags&flagIgnorable != 0 && f.flavor == mysql.MariaDB
		return !ahead, nil
	default:
		artificial := h.flags&flagArtificial != 0
		if artificial && f.lacking && h.end == uint32(f.pos) { // MariaDB's, of what the set has from there on
			return false, nil
		}
		return !artificial || h.end != 0 || !f.any, nil
	}
}

// rotate goes on to the file that a server names before its first event, and before that of each further file.
func (f *feed) rotate(body []byte) error {
	const fixed = 8 // the position
	if f.decoder.checksums {
		body = body[:max(len(body)-checksumSize, 0)]
	}
	if len(body) <= fixed {
		return errors.New("it names no file")
	}
	if name := string(body[fixed:]); name != f.file {
		pos := int64(fileStart)
		if f.file == "" { // MariaDB looks up where what a set lacks begins
			pos = max(pos, int64(binary.LittleEndian.Uint64(body)))
		}
		f.file, f.pos, f.begun, f.rotated, f.ahead = name, pos, time.Time{}, false, false
		f.sum += fileStart
	}
	return nil
}

// prove tells by its checksum whether the first event is one, where its header does not say where it ends.
func (f *feed) prove(h header) (body io.Reader, err error) {
	if f.any || h.end != 0 || f.flavor == mysql.MySQL {
		return &f.packets, nil
	}
	if !f.decoder.checksums || h.size > longestRows {
		f.unsure = true
		return &f.packets, nil
	}
	raw, err := h.read(&f.packets, longestRows)
	if err != nil {
		return nil, err
	}
	sum := max(len(raw)-checksumSize, headerSize)
	if !bytes.Equal(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(raw[:sum])), raw[sum:]) {
		return nil, errNoEvent
	}
	return bytes.NewReader(raw[headerSize:]), nil
}

// step goes past an event. Positions have 32 bits, and MariaDB leaves some out from 11.4 on: all in a transaction but its last.
// Not every event of a file is sent: a start of encryption is not.
func (f *feed) step(h header) error {
	by := int64(h.size)
	first := !f.any && !f.lacking // what the set has is left out
	if h.end != 0 || first && f.flavor == mysql.MySQL {
		by = int64(h.end - uint32(f.pos))
	}
	f.any = true
	_, known := eventTypes[h.code]
	switch {
	case first && (by != int64(h.size) || !known && h.flags&flagIgnorable == 0), f.unsure && by != int64(h.size):
		return errNoEvent
	case by < int64(h.size) || by > 1<<31:
		return fmt.Errorf("event of type %d after %s:%d says that %d is after it", h.code, f.file, f.pos, h.end)
	}
	f.unsure = f.unsure && h.end == 0
	f.pos += by
	f.sum += by
	f.start = f.pos - int64(h.size)
	return nil
}

func readHeader(in io.Reader) (header, error) {
	var h header
	if _, err := io.ReadFull(in, h.raw[:]); err != nil {
		return h, err
	}
	h.at = binary.LittleEndian.Uint32(h.raw[0:])
	h.code = h.raw[4]
	h.size = binary.LittleEndian.Uint32(h.raw[9:])
	h.end = binary.LittleEndian.Uint32(h.raw[13:])
	h.flags = binary.LittleEndian.Uint16(h.raw[17:])
	if h.size < headerSize {
		return h, fmt.Errorf("%w: its size is %d bytes", errSmall, h.size)
	}
	return h, nil
}

func (h header) time() time.Time {
	if h.at == 0 {
		return time.Time{}
	}
	return time.Unix(int64(h.at), 0)
}

// read reads a whole event, header and checksum included.
func (h header) read(body io.Reader, most int64) ([]byte, error) {
	if int64(h.size) > most {
		return nil, fmt.Errorf("it has %d bytes: at most %d are read", h.size, most)
	}
	raw := make([]byte, h.size)
	copy(raw, h.raw[:])
	_, err := io.ReadFull(body, raw[headerSize:])
	return raw, err
}
