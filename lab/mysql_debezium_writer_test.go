//go:build e2e

package lab_test

import (
	"fmt"
	"strings"
	"testing"
)

// elsewhere marks what is written to a table that is not captured.
const elsewhere = "elsewhere"

// write writes random transactions, at most so many.
func (l *life) write(t *testing.T, most int) {
	t.Helper()
	for range l.random.IntN(most + 1) {
		if l.random.IntN(8) == 0 {
			l.compress(t, l.compressions()[l.random.IntN(len(l.compressions()))])
		}
		switch l.random.IntN(11) {
		case 0, 1:
			l.transaction(t, []func() string{l.other(1 + l.random.IntN(3))})
		case 2:
			l.definition(t)
		case 3:
			l.copied(t)
		default:
			var parts []func() string
			for range 1 + l.random.IntN(4) {
				parts = append(parts, l.part())
			}
			l.transaction(t, parts)
		}
	}
}

func (l *life) part() func() string {
	table := []string{"a", "b"}[l.random.IntN(2)]
	switch l.random.IntN(8) {
	case 0:
		return l.other(1 + l.random.IntN(3))
	case 1, 2:
		return l.change(table)
	case 3:
		return l.remove(table)
	case 4:
		return func() string { return "SAVEPOINT here" }
	default:
		return l.insert(table)
	}
}

// done takes in a transaction that was written.
func (l *life) done(t *testing.T, w written, do func()) {
	t.Helper()
	w.from = l.clock(t)
	do()
	w.to = l.clock(t)
	l.written = append(l.written, w)
}

func (l *life) transaction(t *testing.T, parts []func() string) {
	t.Helper()
	statements, w, ok := l.statements(parts)
	if !ok {
		return
	}
	if len(statements) > 1 || l.random.IntN(2) == 0 {
		statements = append(append([]string{"BEGIN"}, statements...), "COMMIT")
	}
	w.what = fmt.Sprintf("%.60q", statements)
	l.done(t, w, func() { l.m.Exec(t, statements...) })
}

// statements makes the statements of a transaction; false: it changes nothing.
func (l *life) statements(parts []func() string) (statements []string, w written, ok bool) {
	l.made = nil
	for _, p := range parts {
		if s := p(); s != "" {
			statements = append(statements, s)
		}
	}
	for _, key := range l.made {
		if w.apart = key == elsewhere; !w.apart {
			w.records = append(w.records, key)
		}
	}
	w.apart = w.apart && len(w.records) > 0
	return statements, w, len(l.made) > 0
}

// insert writes rows, sometimes so many or so long that they take several events.
func (l *life) insert(table string) func() string {
	return func() string {
		rows, size := 1+l.random.IntN(3), 1+l.random.IntN(300)
		switch l.random.IntN(6) {
		case 0:
			rows = 5 + l.random.IntN(60)
			size = 100 + l.random.IntN(1000)
		case 1:
			size = 9000 + l.random.IntN(9000)
		default:
		}
		var values []string
		g := l.number()
		for range rows {
			n := l.number()
			l.rows[table] = append(l.rows[table], [2]int{n, g})
			l.made = append(l.made, key("c", table, n, g))
			values = append(values, fmt.Sprintf("(%d,%d,repeat('x',%d))", n, g, size))
		}
		return fmt.Sprintf("INSERT INTO shop.%s(n,g,v) VALUES %s", table, strings.Join(values, ","))
	}
}

// change changes the oldest rows.
func (l *life) change(table string) func() string {
	return func() string {
		rows := min(len(l.rows[table]), 1+l.random.IntN(20))
		if rows == 0 {
			return ""
		}
		g := l.number()
		for i := range rows {
			l.rows[table][i][1] = g
			l.made = append(l.made, key("u", table, l.rows[table][i][0], g))
		}
		return fmt.Sprintf("UPDATE shop.%s SET g=%d ORDER BY id LIMIT %d", table, g, rows)
	}
}

// remove deletes the oldest rows.
func (l *life) remove(table string) func() string {
	return func() string {
		rows := min(len(l.rows[table]), 1+l.random.IntN(20))
		if rows == 0 {
			return ""
		}
		for _, r := range l.rows[table][:rows] {
			l.made = append(l.made, key("d", table, r[0], r[1]))
		}
		l.rows[table] = l.rows[table][rows:]
		return fmt.Sprintf("DELETE FROM shop.%s ORDER BY id LIMIT %d", table, rows)
	}
}

// other writes to a table that is not captured.
func (l *life) other(rows int) func() string {
	return func() string {
		l.made = append(l.made, elsewhere)
		return "INSERT INTO elsewhere.t(v) VALUES (repeat('e',2000))" + strings.Repeat(",(repeat('e',4000))", rows-1)
	}
}

// definition changes that of a table.
func (l *life) definition(t *testing.T) {
	t.Helper()
	name := fmt.Sprintf("ddl%d", l.number())
	switch l.random.IntN(4) {
	case 0:
		l.done(t, written{schema: true}, func() { l.m.Exec(t, "CREATE TABLE elsewhere."+name+"(id int)") })
	case 1:
		l.done(t, written{schema: true}, func() { l.m.Exec(t, "CREATE TABLE elsewhere."+name+" SELECT * FROM shop.a LIMIT 3") })
	case 2:
		l.done(t, written{schema: true, records: []string{name}}, func() { l.m.Exec(t, "CREATE TABLE shop."+name+"(id int)") })
	default:
		l.done(t, written{schema: true, records: []string{name}}, func() { l.m.Exec(t, "ALTER TABLE shop.b ADD COLUMN "+name+" int") })
	}
}

// copies is how many tables are made of another one's rows.
const copies = 5

// copied makes one of them.
func (l *life) copied(t *testing.T) {
	t.Helper()
	if l.copies == copies {
		return
	}
	table, g := fmt.Sprintf("copy%d", l.copies), l.number()
	l.copies++
	name, rows := fmt.Sprintf("ddl%d", g), min(len(l.rows["a"]), l.random.IntN(30))
	w := written{schema: true, records: []string{name}}
	for _, r := range l.rows["a"][:rows] {
		w.records = append(w.records, key("c", table, r[0], g))
	}
	l.done(t, w, func() {
		l.m.Exec(t, fmt.Sprintf("CREATE TABLE shop.%s(%s int) SELECT n, %d AS g, v FROM shop.a ORDER BY id LIMIT %d", table, name, g, rows))
	})
}
