package binlog

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

const (
	tableIDSize = 6

	// noTable is the id in an event of rows that has none, and only ends a statement.
	noTable = 0xffffff
)

// event reads as much of an event as its kind asks for.
func (d *decoder) event(h header, body io.Reader) (event, error) {
	t, ok := eventTypes[h.code]
	switch {
	case ok:
	case h.flags&flagIgnorable != 0:
		t = eventType{"Ignorable", within}
	default:
		t = eventType{"Unknown", other}
	}
	e := event{kind: t.kind, name: t.name, at: h.time()}
	var err error
	switch {
	case h.code == typeQuery || h.code == typeLoad || h.code == typeCompressed:
		e.kind, e.schemas, err = d.query(h, body)
	case e.kind == named:
		err = d.named(h, body, &e)
	case e.kind == table:
		err = d.table(h, body, &e)
	case e.kind == rows:
		err = d.rows(h, body, &e)
	case e.kind == payload:
		e.inner, err = d.unpack(h, body)
	}
	return e, err
}

// bodySize is that of an event without its checksum.
func (d *decoder) bodySize(h header) int64 {
	n := int64(h.size) - headerSize
	if d.checksums {
		n -= checksumSize
	}
	return max(n, 0)
}

func (d *decoder) query(h header, body io.Reader) (kind, []string, error) {
	b := make([]byte, min(d.bodySize(h), queryPrefix))
	if _, err := io.ReadFull(body, b); err != nil {
		return other, nil, err
	}
	if h.code == typeLoad {
		b = slices.Delete(b, min(queryFixed, len(b)), min(queryFixed+loadFixed, len(b)))
	}
	k, schemas := query(b, h.code == typeCompressed)
	return k, schemas, nil
}

// table takes the names out of the beginning of an event whose whole is needed only to count rows.
func (d *decoder) table(h header, body io.Reader, e *event) error {
	raw, err := h.read(body, longestDefinition)
	if err != nil {
		return err
	}
	const fixed = tableIDSize + 2 // flags
	b := raw[headerSize:]
	if len(b) < fixed {
		return errShort
	}
	e.id, e.definition = tableID(b), raw
	var ok bool
	if e.schema, b, ok = name(b[fixed:]); ok {
		e.table, _, ok = name(b)
	}
	if !ok {
		return errShort
	}
	return nil
}

var errShort = errors.New("it is too short")

func tableID(b []byte) uint64 {
	var id [8]byte
	copy(id[:], b[:tableIDSize])
	return binary.LittleEndian.Uint64(id[:])
}

// name reads a length, as many bytes, and a zero.
func name(b []byte) (text string, rest []byte, ok bool) {
	if len(b) == 0 || len(b) < int(b[0])+2 {
		return "", nil, false
	}
	n := 1 + int(b[0])
	return string(b[1:n]), b[n+1:], true
}

func (d *decoder) rows(h header, body io.Reader, e *event) error {
	var id [tableIDSize]byte
	if _, err := io.ReadFull(body, id[:]); err != nil {
		return err
	}
	if e.id = tableID(id[:]); e.id == noTable {
		e.kind = within
		return nil
	}
	e.count = func(definition []byte) (int64, error) {
		if int64(h.size) > longestRows {
			return 1, nil
		}
		raw := append(h.raw[:], id[:]...)
		raw = append(raw, make([]byte, max(int(h.size)-len(raw), 0))...)
		if _, err := io.ReadFull(body, raw[headerSize+tableIDSize:]); err != nil {
			return 0, cut(err)
		}
		return d.count(definition, raw)
	}
	return nil
}
