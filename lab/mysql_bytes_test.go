//go:build e2e

package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// fill writes transactions of one row of a kilobyte each.
func fill(t *testing.T, m *lab.MySQL, database string, transactions int) {
	t.Helper()
	insert := fmt.Sprintf("INSERT INTO %s.t(v) VALUES (repeat('x',1000));", database)
	m.Exec(t, strings.Repeat(insert, transactions))
}

// schema makes a database with a table. What an earlier run has left is taken away.
func schema(t *testing.T, m *lab.MySQL, database string) {
	t.Helper()
	m.Exec(t, "DROP DATABASE IF EXISTS "+database, "CREATE DATABASE "+database, fmt.Sprintf("CREATE TABLE %s.t(id int AUTO_INCREMENT PRIMARY KEY, v text)", database))
}

// What is said to be left is what a replica would be sent, to the byte, from places in many files.
func TestBinlogBytes(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "bytes")
		var marks []*mark
		for i := range 12 {
			marks = append(marks, here(t, m, fmt.Sprint("mark ", i)))
			fill(t, m, "bytes", 30+i)
		}
		m.Exec(t, "INSERT INTO bytes.t(v) SELECT v FROM bytes.t LIMIT 100") // is longer than a file may be
		m.Rotate(t)
		files := m.Files(t)
		closed := files[len(files)-2]
		end := &mark{name: "end of a closed file"}
		end.set(mysql.Position{File: closed.Name, Pos: closed.Size, GTIDs: m.GTIDs(t)})
		first := &mark{name: "beginning"}
		first.set(mysql.Position{File: files[0].Name, Pos: 4})
		marks = append(marks, end, first, here(t, m, "end"))

		r, distances, truth := atRest(t, m, mysqlReader(t, m, lab.FilesOnly, nil, consumers(marks)...), marks)
		if n := truth["mark 0"].Files; n < 5 {
			t.Errorf("the first mark is %d files behind, want 5 at least", n)
		}
		files = m.Files(t)
		for i, f := range r.Inventory.Files {
			if want := files[i]; f.Name != want.Name || f.Size != want.Size {
				t.Errorf("file %d is %+v, want %+v", i, f, want)
			}
		}
		for _, k := range marks {
			d, want := distances[k.name], truth[k.name]
			if d.Bytes != known(want.Bytes) || d.Files != known(want.Files) {
				t.Errorf("%s: %s bytes and %s files, want %d and %d: %+v", k.name, d.Bytes, d.Files, want.Bytes, want.Files, k.place())
			}
			if k.place().GTIDs != "" && d.Transactions != known(want.Transactions) {
				t.Errorf("%s: %s transactions, want %d: %+v", k.name, d.Transactions, want.Transactions, k.place())
			}
			if want.End != files[len(files)-1] {
				t.Errorf("%s: the stream ends at %+v, the files at %+v", k.name, want.End, files[len(files)-1])
			}
		}
		if d := distances["end"]; d.State != mysql.CaughtUp || d.Effective != known(0) {
			t.Errorf("end: %+v, want it to be caught up", d)
		}
		if d := distances["end of a closed file"]; d.State != mysql.OK || d.Effective.Known {
			t.Errorf("end of a closed file: %+v, want nothing to be said of what follows, which nobody has looked at", d)
		}
		checkHeadroom(t, r, distances)
	})
}

// checkHeadroom holds that what lies before a place and what is left of it are together all that the files have.
func checkHeadroom(t *testing.T, r *mysql.Reading, distances map[string]mysql.Distance) {
	t.Helper()
	var all int64
	for _, f := range r.Inventory.Files {
		all += f.Size
	}
	for name, d := range distances {
		if d.HeadroomBytes.N+d.Bytes.N != all || d.HeadroomFiles.N+d.Files.N != int64(len(r.Inventory.Files)-1) {
			t.Errorf("%s: %+v, of %d bytes in %d files", name, d, all, len(r.Inventory.Files))
		}
	}
}
