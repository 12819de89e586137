package binlog

import (
	"testing"

	"truelag/mysql"
)

// A transaction that names tables without end is not held, and what is forgotten of it counts.
func TestTransactionOfManyTables(t *testing.T) {
	definition := make([]byte, 64<<10)
	for name, p := range map[string]*mysql.Position{
		"counted":     {File: "b.000001", Pos: 4, Event: 1 << 40, Row: 1},
		"not counted": {File: "b.000001", Pos: 4},
	} {
		j := newJudge(mysql.MySQL, p, newFilter(map[string]bool{"ops": true}, nil))
		see := func(e event) {
			t.Helper()
			if done, err := j.see(e); done || err != nil {
				t.Fatalf("%s: %v, %v", name, done, err)
			}
		}
		see(event{kind: begin, name: "Query"})
		const many = 3 << 16
		for id := range uint64(many) {
			see(event{kind: table, id: id, schema: "ops", table: "t", definition: definition})
			see(event{kind: table, id: id, schema: "ops", table: "t", definition: definition})
			if n := len(j.tables.named); id%(1<<14) == 0 && (held(j) > mostTables || n > mostTables/tableSize) {
				t.Fatalf("%s: %d bytes of %d tables are held", name, held(j), n)
			}
		}
		see(event{kind: rows, id: many - 1})
		if _, err := j.see(event{kind: rows, id: 0}); err != nil {
			t.Fatal(err)
		}
		if want := name == "not counted"; (j.after == mysql.Transaction) != want || !j.open.changes {
			t.Errorf("%s: %s, changes %v", name, j.after, j.open.changes)
		}
	}
}

// held is how many bytes of definitions a judge holds.
func held(j *judge) (n int64) {
	for _, k := range j.tables.named {
		n += int64(len(k.definition))
	}
	return n
}
