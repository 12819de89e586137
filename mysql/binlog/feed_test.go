package binlog

import (
	"bytes"
	"encoding/binary"
	"flag"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"truelag/mysql"
)

var update = flag.Bool("update", false, "write what is expected anew")

// What real servers wrote is read event by event, and its size is that of the files.
func TestRecordedFiles(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.name, func(t *testing.T) {
			var lines []string
			events := r.read(t)
			var size int64
			for _, e := range events {
				lines = append(lines, e.String())
				size += e.end - e.start
			}
			if want := r.left(r.files[0].name, fileStart) - int64(len(r.files)-1)*fileStart; size != want {
				t.Errorf("events of %d bytes in files of %d", size, want)
			}
			got := strings.Join(lines, "\n") + "\n"
			path := filepath.Join("testdata", r.name, "events.txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// What a real server sends from the middle of its second file is read as what the server of these tests sends.
func TestRecordedStreams(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("testdata", r.name, "stream"))
			if err != nil {
				t.Fatal(err)
			}
			file, pos := r.files[1].name, middle(t, raw)
			got, want := listed(t, newFeed(bytes.NewReader(raw), r.flavor, file, pos, 1<<30)), listed(t, newFeed(answer(r, file, pos), r.flavor, file, pos, 1<<30))
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if !strings.HasSuffix(got, r.files[3].name+"\n") {
				t.Errorf("it ends early:\n%s", got)
			}
		})
	}
}

// A server of MariaDB that encrypts its files says with what before it sends events from the midst of one. It is no event there.
func TestEncryptedFiles(t *testing.T) {
	for _, r := range recordings(t) {
		if r.flavor != mysql.MariaDB {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			f := r.files[1]
			for at, pos := 0, int64(fileStart); at < len(f.events); at++ {
				plain, encrypted := *r, *r
				encrypted.encrypted = true
				want := listed(t, newFeed(answer(&plain, f.name, pos), r.flavor, f.name, pos, 1<<30))
				if got := listed(t, newFeed(answer(&encrypted, f.name, pos), r.flavor, f.name, pos, 1<<30)); got != want {
					t.Fatalf("from %d: got\n%swant\n%s", pos, got, want)
				}
				pos += int64(len(f.events[at]))
			}
		})
	}
}

// middle is the position that a recorded answer starts at, by its first event.
func middle(t *testing.T, raw []byte) int64 {
	t.Helper()
	if raw[4+1+4] != typeRotate {
		t.Fatal("it does not begin with a rotation")
	}
	at := 4 + 1 + headerSize
	return int64(raw[at]) | int64(raw[at+1])<<8
}

// listed is all that a feed has, and where each event ends.
func listed(t *testing.T, f *feed) string {
	t.Helper()
	var b strings.Builder
	for {
		e, err := f.next()
		if isEnd(err) {
			b.WriteString(f.begun.UTC().String() + " " + f.file + "\n")
			return b.String()
		}
		if err != nil {
			t.Fatalf("after\n%s%v", b.String(), err)
		}
		e.count = func([]byte) (int64, error) { return 0, nil }
		b.WriteString(shown(e) + " " + f.begun.UTC().String() + "\n")
	}
}

// Each place is an event's beginning or is none, also where a server sends what it finds there as long as it is whole.
func TestEveryPlace(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.name, func(t *testing.T) {
			f := r.files[1]
			starts := map[int64]bool{}
			for _, e := range r.read(t) {
				starts[e.start] = starts[e.start] || e.file == f.name
			}
			whole := slices.Concat(append([][]byte{make([]byte, fileStart)}, f.events...)...)
			wrong := 0
			for pos := int64(fileStart + 1); pos < f.size()-headerSize && wrong < 5; pos++ {
				found := whole[pos:]
				size := int64(binary.LittleEndian.Uint32(found[9:]))
				switch {
				case starts[pos]:
				case size < headerSize || size > int64(len(found)): // it does not send these
					continue
				}
				err := first(r, found[:size], pos)
				if starts[pos] && err != nil || !starts[pos] && !isNoEvent(err) {
					t.Errorf("%d: start %v, %v", pos, starts[pos], err)
					wrong++
				}
			}
		})
	}
}

// first reads the first event of a stream that has this one in the second file.
func first(r *recording, event []byte, pos int64) error {
	f := r.files[1]
	var b bytes.Buffer
	w := &packetWriter{w: &b}
	w.event(rotation(f.name, pos, false))
	format := bytes.Clone(f.events[0])
	clear(format[13:17])
	w.event(format)
	w.event(event)
	_, err := newFeed(&b, r.flavor, f.name, pos, 1<<30).next()
	return err
}

// What a server puts between files is none of their events, and is not taken for it where it is found in the midst of one.
func TestPlaceInEventThatLooksMade(t *testing.T) {
	for _, r := range recordings(t) {
		for name, at := range map[string]struct {
			code byte
			at   uint32
			end  uint32
			size int
		}{
			"a format":               {typeFormat, 1, 1, 100},
			"a format of nothing":    {typeFormat, 0, 0, headerSize},
			"a format too long":      {typeFormat, 0, 0, longestFormat + 1},
			"a rotation":             {typeRotate, 0, 1, 60},
			"a rotation too long":    {typeRotate, 0, 7, longestName + 1},
			"a rotation to nowhere":  {typeRotate, 0, 7, headerSize},
			"a heartbeat":            {typeHeartbeat, 0, 0, 60},
			"another kind of it":     {typeHeartbeatV2, 1, 1, 60},
			"a heartbeat of nothing": {typeHeartbeat, 1, 1, headerSize},
		} {
			e := make([]byte, at.size)
			binary.LittleEndian.PutUint32(e, at.at)
			e[4] = at.code
			binary.LittleEndian.PutUint32(e[9:], uint32(at.size))
			binary.LittleEndian.PutUint32(e[13:], at.end)
			if err := first(r, e, 1000); !isNoEvent(err) {
				t.Errorf("%s: %s: %v", r.name, name, err)
			}
		}
	}
}

// Without checksums MariaDB's events do not prove themselves where they do not say where they end. The next one that does, or that
// the server finds none, tells that the first was none either.
func TestPlaceThatNothingProves(t *testing.T) {
	r := recordingOf(t, "mariadb-11.4")
	const pos, size = 300, 40
	made := func(code byte, end uint32) []byte {
		e := make([]byte, size)
		e[4] = code
		binary.LittleEndian.PutUint32(e[9:], size)
		binary.LittleEndian.PutUint32(e[13:], end)
		return e
	}
	const intvar, xid = 5, 16
	for name, of := range map[string]struct {
		more []byte // nil: the server says that there is no event
		want mysql.After
	}{
		"one that fits":       {made(xid, pos+2*size), mysql.None},
		"one that ends later": {made(xid, pos+3*size), mysql.NoEvent},
		"none":                {nil, mysql.NoEvent},
	} {
		srv := serve(t, r)
		srv.send = func(_ net.Conn, w *packetWriter, r *recording, a asked) {
			w.event(rotation(a.file, a.pos, false))
			format := bytes.Clone(r.files[0].events[0])
			clear(format[13:17])
			format[len(format)-checksumSize-1] = 0 // no checksums
			w.event(format)
			w.event(made(intvar, 0))
			if of.more == nil {
				w.fail(errorBinlog, "bogus data in log event")
				return
			}
			w.event(of.more)
			w.packet([]byte{endByte, 0, 0, 0, 0})
		}
		s := srv.scanner(t, func(cfg *Config) { cfg.MariaDB = true })
		inv := r.inventory()
		inv.Files = inv.Files[:1]
		if got := scan(t, s, inv, &mysql.Position{File: r.files[0].name, Pos: pos}); got.After != of.want {
			t.Errorf("%s: %+v, want %s", name, got, of.want)
		}
	}
}
