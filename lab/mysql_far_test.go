//go:build e2e

package lab_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// In a file of more than 4 GiB, what follows a place past them is told where the server can be asked for it, also of one that was noted
// down as the headers of events say it. Where it cannot, the lag in bytes is right all the same.
func TestBinlogPast4GiB(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lab.MySQL80, lab.MySQL57, lab.MySQL56, lab.MariaDB10} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			m := pool.StartMySQL(t, lab.MySQLOptions{Version: version})
			schema(t, m, "far")
			before := here(t, m, "before the huge transaction")
			m.Exec(t, "BEGIN", "INSERT INTO far.t(v) VALUES ('first')", "INSERT INTO far.t(v) VALUES ('last')", "COMMIT")
			var spots []int64
			want := map[int64]mysql.After{}
			for kind, after := range map[string]mysql.After{"Table_map": mysql.Rest, "Xid": mysql.Transaction} {
				for _, pos := range places(t, m, before.place(), kind) {
					spots, want[pos] = append(spots, pos), after
				}
			}
			last := places(t, m, before.place(), "Table_map")[1]
			m.Rotate(t)
			fill(t, m, "far", 1)
			folder := filepath.Dir(m.Text(t, "SELECT @@log_bin_basename"))
			m.Crash(t)
			by := stretch(t, filepath.Join(folder, before.place().File), last)
			m.Restart(t)
			m.End(t) // nothing more is written by itself

			marks, truth := []*mark{before}, map[string]int64{}
			left := func(k *mark, pos int64) {
				truth[k.name] = -pos
				for _, f := range m.Files(t) {
					if f.Name >= before.place().File {
						truth[k.name] += f.Size
					}
				}
			}
			left(before, before.place().Pos)
			wants := map[string]mysql.After{before.name: mysql.Transaction}
			add := func(name string, pos, noted int64, after mysql.After) {
				k := &mark{name: name}
				k.set(mysql.Position{File: before.place().File, Pos: noted})
				left(k, pos)
				if version == lab.MySQL56 || version == lab.MariaDB10 {
					after = mysql.Unread
				}
				marks, wants[name] = append(marks, k), after
			}
			for _, pos := range spots {
				if pos >= last {
					name, there := fmt.Sprintf("%d bytes past the hole", pos-last), pos+by
					add(name, there, there, want[pos])
					add(name+", as headers say it", there, there-1<<32, want[pos])
				}
			}
			add("read from before 4 GiB on", last+by-filler, last+by-filler, mysql.Rest)

			reader := mysqlReader(t, m, lab.Monitor, newScanner(t, m), consumers(marks)...)
			var r *mysql.Reading
			lab.Await(t, func() error { // the filler is more than one scan reads, and may take longer than one has
				r = readServer(t, reader)
				for _, c := range r.Consumers {
					if c.Scan.Stopped != "" && !strings.Contains(c.Scan.Stopped, "4 GiB") {
						return fmt.Errorf("%s: stopped %s", c.Name, c.Scan.Stopped)
					}
				}
				return nil
			})
			for _, c := range r.Consumers {
				if c.Scan.After != wants[c.Name] || c.Distance.State != mysql.OK || c.Distance.Bytes != known(truth[c.Name]) {
					t.Errorf("%s: %s, want %d bytes, then %s", c.Name, brief(c), truth[c.Name], wants[c.Name])
				}
				if (c.Scan.After == mysql.Unread) != strings.Contains(c.Scan.Stopped, "4 GiB") {
					t.Errorf("%s: stopped %q", c.Name, c.Scan.Stopped)
				}
			}
		})
	}
}

// filler is the size of each event that a file is stretched by.
const filler = 200_000_000

// stretch makes a file of a binlog longer than 4 GiB by events that hold nothing, before the one at a place, and says by how much. They
// are holes on disk.
func stretch(t *testing.T, path string, at int64) (by int64) {
	t.Helper()
	const ignorable, flag, events = 28, 0x80, 22
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	end := at
	for range events {
		e := append([]byte{}, old[at:at+19]...)
		e[4] = ignorable
		binary.LittleEndian.PutUint32(e[9:], filler)
		binary.LittleEndian.PutUint32(e[13:], uint32(end+filler))
		binary.LittleEndian.PutUint16(e[17:], flag)
		if _, err := f.WriteAt(append(e, 0, 0, 0, 0), end); err != nil {
			t.Fatal(err)
		}
		end += filler
	}
	by = end - at
	for rest := old[at:]; len(rest) > 0; rest = rest[binary.LittleEndian.Uint32(rest[9:]):] {
		binary.LittleEndian.PutUint32(rest[13:], binary.LittleEndian.Uint32(rest[13:])+uint32(by))
	}
	if _, err := f.WriteAt(old[at:], end); err != nil {
		t.Fatal(err)
	}
	return by
}
