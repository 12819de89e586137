package binlog

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"truelag/mysql"
)

// tagged is what MySQL 9.2 wrote in the body of an event that names the transaction 896e7882-18fe-11ef-ab88-22222d34d411:foobaz:1.
var tagged = []byte{
	0x02, 0x76, 0x00, 0x00, 0x02, 0x02, 0x25, 0x02, 0xdc, 0xf0, 0x09, 0x02, 0x30, 0xf9, 0x03, 0x22, 0xbd, 0x03, 0xad, 0x02,
	0x21, 0x02, 0x44, 0x44, 0x5a, 0x68, 0x51, 0x03, 0x22, 0x04, 0x04, 0x06, 0x0c, 0x66, 0x6f, 0x6f, 0x62, 0x61, 0x7a, 0x08,
	0x00, 0x0a, 0x04, 0x0c, 0x7f, 0x15, 0x83, 0x22, 0x2d, 0x5c, 0x2e, 0x06, 0x10, 0x49, 0x03, 0x12, 0xc3, 0x02, 0x0b,
}

// made is an event of a type with a body, and a checksum that nobody looks at.
func made(code byte, body []byte) []byte {
	e := make([]byte, headerSize, headerSize+len(body)+checksumSize)
	binary.LittleEndian.PutUint32(e, 1739823289)
	e[4] = code
	e = append(append(e, body...), 1, 2, 3, 4)
	binary.LittleEndian.PutUint32(e[9:], uint32(len(e)))
	return e
}

func decoded(t *testing.T, r *recording, raw []byte) (event, error) {
	t.Helper()
	d := decoder{limit: 1 << 20}
	if err := d.format(r.files[0].events[0]); err != nil {
		t.Fatal(err)
	}
	in := bytes.NewReader(raw)
	h, err := readHeader(in)
	if err != nil {
		t.Fatal(err)
	}
	return d.event(h, in)
}

func TestNames(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	named := slices.Clone(r.files[0].events[2])
	e, err := decoded(t, r, made(42, tagged))
	if at := time.UnixMicro(1739823289369365); err != nil || e.gtid != "896e7882-18fe-11ef-ab88-22222d34d411:foobaz:1" || !e.committed.Equal(at) {
		t.Errorf("got %+v, %v", e, err)
	}
	if e, err = decoded(t, r, named); err != nil || e.gtid != source+":1" || e.committed.IsZero() {
		t.Errorf("got %+v, %v", e, err)
	}
	named[4] = typeAnonymous
	if e, err = decoded(t, r, named); err != nil || e.gtid != "" || e.committed.IsZero() {
		t.Errorf("got %+v, %v", e, err)
	}
}

// An event that is of no known type, or does not hold what its type says, is an error or may be a change.
func TestStrangeEvents(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	for name, of := range map[string]struct {
		raw   []byte
		kind  kind
		wrong bool
	}{
		"unknown":                  {made(99, nil), other, false},
		"incident":                 {made(26, []byte{1, 0}), other, false},
		"loads a file":             {made(18, nil), other, false},
		"a query without a body":   {made(typeQuery, nil), other, false},
		"rows without a table":     {made(30, []byte{1}), rows, true},
		"rows that end statements": {made(30, []byte{0xff, 0xff, 0xff, 0, 0, 0, 1, 0}), within, false},
		"a table without a name":   {made(19, []byte{1, 0, 0, 0, 0, 0, 1, 0, 9, 'a'}), table, true},
		"a payload without fields": {made(40, nil), payload, true},
		"a payload of who knows":   {made(40, []byte{2, 1, 7, 0}), payload, true},
		"a payload not compressed": {made(40, []byte{2, 3, 252, 255, 0, 0}), payload, false},
	} {
		e, err := decoded(t, r, of.raw)
		if e.kind != of.kind || (err != nil) != of.wrong {
			t.Errorf("%s: got %+v, %v", name, e, err)
		}
	}
	ignorable := made(99, nil)
	ignorable[17] = flagIgnorable
	if e, err := decoded(t, r, ignorable); err != nil || e.kind != within {
		t.Errorf("got %+v, %v", e, err)
	}
}

// A huge row is one, and is not read for that: who has handled it has nothing left.
func TestHugeRow(t *testing.T) {
	for handled, left := range map[int64]bool{0: true, 1: false} {
		j := newJudge(mysql.MySQL, &mysql.Position{Event: 1 + handled, Row: handled}, filter{})
		raw := made(30, []byte{9, 0, 0, 0, 0, 0, 1, 0})
		binary.LittleEndian.PutUint32(raw[9:], 20<<20)
		row, err := decoded(t, recordingOf(t, "mysql-8.0"), raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []event{{kind: begin}, {kind: table, id: 9}, row, {kind: end}} {
			if _, err := j.see(e); err != nil {
				t.Fatal(err)
			}
		}
		if got := j.over() != mysql.None; got != left {
			t.Errorf("%d rows handled: something is left: %v", handled, got)
		}
	}
}

// Rows that cannot be counted say nothing of what is in them.
func TestRowsThatCannotBeCounted(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	body := []byte{9, 0, 0, 0, 0, 0, 1, 0, 2, 0, 1, 1, 's', 'e', 'c', 'r', 'e', 't'}
	e, err := decoded(t, r, made(30, body))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := e.count(nil); err == nil || bytes.Contains([]byte(err.Error()), []byte("secret")) {
		t.Errorf("got %d, %v", n, err)
	}
	j := newJudge(mysql.MySQL, &mysql.Position{Event: 1, Row: 1}, filter{})
	if _, err := j.see(event{kind: begin}); err != nil {
		t.Fatal(err)
	}
	e, err = decoded(t, r, made(30, body))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.see(e); err == nil {
		t.Error("they were judged")
	}
}

// What MariaDB has compressed is told by its first words too.
func TestCompressedStatements(t *testing.T) {
	r := recordingOf(t, "mariadb-11.4")
	event := func(text []byte) []byte {
		body := make([]byte, queryFixed, 100)
		body[8] = 4 // of the schema's name
		return made(typeCompressed, append(append(body, "shop\x00"...), text...))
	}
	packed := func(text string) []byte {
		b := bytes.NewBuffer([]byte{0x82, byte(len(text) >> 8), byte(len(text))})
		z := zlib.NewWriter(b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		z.Close()
		return b.Bytes()
	}
	long := packed("REPAIR TABLE t /* " + strings.Repeat("long ", 99) + "*/")
	for name, of := range map[string]struct {
		text []byte
		want kind
	}{
		"a change":         {packed("INSERT INTO t VALUES (repeat('REPAIR ',100))"), statement},
		"care":             {long, idle},
		"cut off":          {long[:40], idle},
		"a savepoint":      {packed("SAVEPOINT `here and there`"), within},
		"nothing":          {nil, statement},
		"no text":          {[]byte{0x87, 1}, statement},
		"not compressed":   {[]byte("REPAIR TABLE t"), statement},
		"in who knows how": {append([]byte{0x92}, long[1:]...), statement},
	} {
		if e, err := decoded(t, r, event(of.text)); err != nil || e.kind != of.want {
			t.Errorf("%s: %+v, %v, want %d", name, e, err, of.want)
		}
	}
}
