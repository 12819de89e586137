package binlog

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"

	"truelag/mysql"
)

// load is what MySQL 8.0.31 wrote of a LOAD DATA into ops.heartbeat with binlog_format=STATEMENT: the file's lines, and the statement.
func load(t *testing.T) (lines, execute []byte) {
	t.Helper()
	for _, of := range []struct {
		code byte
		hex  string
		text string
		into *[]byte
	}{
		{17, "03000000", "1\ta\n2\tb\n", &lines},
		{
			18, "d7090000000000000300002300030000000900000036000000010000000000012000a0450000000006037374640421002100ff000c016f70730012ff006f707300",
			"LOAD DATA LOCAL INFILE 'two.csv' IGNORE INTO TABLE `heartbeat` FIELDS TERMINATED BY '\\t' (`id`, `t`)", &execute,
		},
	} {
		body, err := hex.DecodeString(of.hex)
		if err != nil {
			t.Fatal(err)
		}
		*of.into = made(of.code, append(body, of.text...))
	}
	return lines, execute
}

func TestLoadData(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	lines, execute := load(t)
	if e, err := decoded(t, r, lines); err != nil || e.kind != within {
		t.Errorf("the file's lines: %+v, %v", e, err)
	}
	e, err := decoded(t, r, execute)
	if err != nil || e.kind != statement || !slices.Equal(e.schemas, []string{"ops"}) {
		t.Errorf("the statement: %+v, %v", e, err)
	}
	for _, ignored := range []string{"ops", "shop"} {
		j := newJudge(r.flavor, &mysql.Position{}, filter{ignored: set([]string{ignored})})
		for _, e := range []event{{kind: named}, {kind: begin}, {kind: within}, e, {kind: end}} {
			if _, err := j.see(e); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := j.over(), map[string]mysql.After{"ops": mysql.None, "shop": mysql.Transaction}[ignored]; got != want {
			t.Errorf("ignoring %s: %s, want %s", ignored, got, want)
		}
	}
}

// Any event that a server writes can be at a place: no other was ever noted down there.
func TestFirstEvents(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	const pos = 1000
	for code := range eventTypes {
		if code == typeFormat || code == typeRotate || code == typeHeartbeat || code == typeHeartbeatV2 { // sent on a server's own account
			continue
		}
		raw := made(code, make([]byte, 100))
		binary.LittleEndian.PutUint32(raw[13:], uint32(pos+len(raw)))
		if err := first(r, raw, pos); isNoEvent(err) {
			t.Errorf("%s: %v", eventTypes[code].name, err)
		}
	}
	for _, code := range []byte{9, 11, 17, 18, 26} {
		if _, known := eventTypes[code]; !known {
			t.Errorf("type %d is not known", code)
		}
	}
}
