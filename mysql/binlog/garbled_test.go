package binlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"truelag/mysql"
)

// Only a short packet is the end of a stream: an event begins with another byte, and a long one that begins so is none.
func TestLongPacketIsNoEnd(t *testing.T) {
	for size, end := range map[int]bool{1: true, 5: true, 8: true, 9: false, 300: false} {
		var b bytes.Buffer
		(&packetWriter{w: &b}).packet(append([]byte{endByte}, make([]byte, size-1)...))
		_, err := newFeed(&b, mysql.MySQL, "b.000001", 4, 1<<20).next()
		if isEnd(err) != end || err == nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// An event that says that it ends before it begins would lead back.
func TestEventThatLeadsBack(t *testing.T) {
	for _, r := range recordings(t) {
		f := r.files[1]
		made := func(end uint32) []byte {
			const intvar, size = 5, 40
			e := make([]byte, size)
			binary.LittleEndian.PutUint32(e, 1)
			e[4] = intvar
			binary.LittleEndian.PutUint32(e[9:], size)
			binary.LittleEndian.PutUint32(e[13:], end)
			return e
		}
		pos := fileStart + int64(len(f.events[0]))
		var b bytes.Buffer
		w := &packetWriter{w: &b}
		w.event(rotation(f.name, fileStart, false))
		w.event(f.events[0])
		w.event(made(uint32(pos) + 40))
		w.event(made(uint32(pos)))
		feed := newFeed(&b, r.flavor, f.name, fileStart, 1<<20)
		var err error
		for range 3 {
			if _, err = feed.next(); err != nil {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), "is after it") || feed.pos != pos+40 {
			t.Errorf("%s: %v, at %d", r.name, err, feed.pos)
		}
	}
}

// What was seen of a compressed transaction that could not be read to its end does not count twice when it is read again.
func TestPayloadThatBreaksOff(t *testing.T) {
	broken := errors.New("cut")
	inside := []event{{kind: begin, name: "Query"}, {kind: table, name: "Table_map", id: 7, schema: "shop", table: "t"}, {kind: rows, name: "Write_rows", id: 7, count: one}, {kind: end, name: "Xid"}}
	packed := func(n int, last error) event {
		at := 0
		return event{kind: payload, inner: func() (event, error) {
			if at == n {
				return event{}, last
			}
			at++
			return inside[at-1], nil
		}}
	}
	for n := range inside {
		p := &mysql.Position{File: "b.000001", Pos: 4, Event: 2, Row: 1, SetBefore: true}
		trail := &trail{judge: newJudge(mysql.MySQL, p, newFilter(nil, nil))}
		if err := trail.take(packed(n, broken)); !errors.Is(err, broken) {
			t.Fatal(err)
		}
		if err := trail.take(packed(len(inside), io.EOF)); err != nil {
			t.Fatal(err)
		}
		if after := trail.judge.over(); after != mysql.None || trail.judge.transactions != 1 || !trail.judge.whole {
			t.Errorf("cut after %d events: %s, %d transactions, handled %v", n, after, trail.judge.transactions, trail.judge.whole)
		}
	}
}

func one([]byte) (int64, error) { return 1, nil }
