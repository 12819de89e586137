package binlog

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"truelag/mysql"
)

// recording is what a real server wrote in its binlog, event by event. The same was done on each, as far as it goes there; it is
// listed in testdata, in events.txt.
type recording struct {
	name   string
	flavor mysql.Flavor
	files  []recordedFile

	encrypted bool // on the server's disk
}

type recordedFile struct {
	name   string
	events [][]byte // with their headers
	hole   hole
}

// hole is what a file has before one of its events, and is not read.
type hole struct {
	before int // 0: none
	size   int64
}

var recorded = []struct {
	name   string
	flavor mysql.Flavor
}{
	{"mysql-5.6", mysql.MySQL}, {"mysql-5.7", mysql.MySQL}, {"mysql-8.0", mysql.MySQL},
	{"mariadb-10.11", mysql.MariaDB}, {"mariadb-11.4", mysql.MariaDB},
}

func recordings(t testing.TB) []*recording {
	t.Helper()
	var all []*recording
	for _, of := range recorded {
		r := &recording{name: of.name, flavor: of.flavor}
		paths, err := filepath.Glob(filepath.Join("testdata", of.name, "mysql-bin.*"))
		if err != nil || len(paths) != 4 {
			t.Fatalf("%s: files %v, %v", of.name, paths, err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := recordedFile{name: filepath.Base(path)}
			for b = b[fileStart:]; len(b) > 0; {
				n := binary.LittleEndian.Uint32(b[9:])
				f.events = append(f.events, b[:n:n])
				b = b[n:]
			}
			r.files = append(r.files, f)
		}
		all = append(all, r)
	}
	return all
}

func recordingOf(t testing.TB, name string) *recording {
	t.Helper()
	for _, r := range recordings(t) {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("no recording of %s", name)
	return nil
}

// cut is the binlog as it was after so many events.
func (r *recording) cut(events int) *recording {
	c := &recording{name: r.name, flavor: r.flavor}
	for _, f := range r.files {
		n := min(events, len(f.events))
		cut := recordedFile{name: f.name, events: f.events[:n:n]}
		if f.hole.before < n {
			cut.hole = f.hole
		}
		c.files = append(c.files, cut)
		if events -= n; events == 0 {
			break
		}
	}
	return c
}

func (r *recording) inventory() *mysql.Inventory {
	inv := &mysql.Inventory{Flavor: r.flavor, Server: r.name}
	for _, f := range r.files {
		inv.Files = append(inv.Files, mysql.File{Name: f.name, Size: f.size()})
	}
	return inv
}

func (f recordedFile) size() int64 {
	size := fileStart + f.hole.size
	for _, e := range f.events {
		size += int64(len(e))
	}
	return size
}

// left is how many bytes a reader of a place has left, by the sizes of the files.
func (r *recording) left(file string, pos int64) int64 {
	left, found := int64(0), false
	for _, f := range r.files {
		switch {
		case f.name == file:
			left, found = f.size()-pos, true
		case found:
			left += f.size()
		}
	}
	return left
}

// located is an event and where it stands.
type located struct {
	event
	file       string
	start, end int64
	number     int // of those before it, in all files
	inner      []event
}

// read is the whole binlog, with payloads unpacked and rows counted.
func (r *recording) read(t testing.TB) []located {
	t.Helper()
	var all []located
	definitions := map[uint64][]byte{}
	feed := newFeed(answer(r, r.files[0].name, fileStart), r.flavor, r.files[0].name, fileStart, 1<<30)
	for {
		file, start := feed.file, feed.pos
		e, err := feed.next()
		if isEnd(err) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if feed.file != file {
			start = fileStart
		}
		l := located{event: e, file: feed.file, start: start, end: feed.pos, number: len(all)}
		if e.kind == payload {
			for {
				in, err := e.inner()
				if isEnd(err) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", r.name, err)
				}
				l.inner = append(l.inner, counted(t, in, definitions))
			}
		} else {
			l.event = counted(t, e, definitions)
		}
		all = append(all, l)
	}
}

// counted reads what can be read only now.
func counted(t testing.TB, e event, definitions map[uint64][]byte) event {
	t.Helper()
	switch e.kind {
	case table:
		definitions[e.id] = e.definition
	case rows:
		n, err := e.count(definitions[e.id])
		if err != nil {
			t.Fatal(err)
		}
		e.count = func([]byte) (int64, error) { return n, nil }
	default:
	}
	return e
}

func (l located) String() string {
	text := fmt.Sprintf("%s:%d %s", l.file, l.start, shown(l.event))
	for _, e := range l.inner {
		text += "\n    " + shown(e)
	}
	return text
}

func shown(e event) string {
	text := e.name
	switch e.kind {
	case named:
		text += " " + e.gtid
		if e.alone {
			text += " alone"
		}
		if !e.committed.IsZero() {
			text += " committed " + e.committed.UTC().Format("15:04:05.000000")
		}
	case begin:
		text += " that begins"
	case end:
		text += " that ends"
	case statement:
		text += fmt.Sprintf(" statement %v", e.schemas)
	case table:
		text += " " + e.schema + "." + e.table
	case rows:
		n, _ := e.count(nil)
		text += fmt.Sprintf(" of %d rows", n)
	default:
	}
	return text
}
