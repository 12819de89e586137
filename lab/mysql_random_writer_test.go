//go:build e2e

package lab_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	client "github.com/go-sql-driver/mysql"

	"truelag/lab"
)

// binlogWriter writes random transactions of every kind that a server logs. Each step has a session, and a second of its own in which
// its events are logged.
type binlogWriter struct {
	m       *lab.MySQL
	random  *rand.Rand
	schemas []string
	steps   []binlogStep
	xids    []string // prepared, and left so
	numbers int
	start   time.Time
	refused map[string]int // statements, by why
}

// binlogStep is what one session has written.
type binlogStep struct {
	statements    []string
	logged        time.Time // the second that its events have
	before, after time.Time // when it really was
	until         lab.BinlogFile
}

// The schemas. Names of tables are chosen so that schema.table tells which both are.
var writtenSchemas = []string{"shop", "shop.eu", "Übung", "we`ird", "o'q", "maxwell", "else"}

var writtenTables = []string{"t", "my", "ta.ble", "big", "trig"}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func newBinlogWriter(t *testing.T, m *lab.MySQL, random *rand.Rand) *binlogWriter {
	t.Helper()
	client.RegisterReaderHandler("rows", func() io.Reader { return strings.NewReader("one\ntwo\nthree\n") })
	w := &binlogWriter{m: m, random: random, schemas: append([]string{"mysql", "new.one"}, writtenSchemas...), refused: map[string]int{}, start: time.Now().Truncate(time.Second)}
	w.allow(t)
	w.do(t, fmt.Sprintf("SET GLOBAL max_binlog_size=%d", lab.MaxBinlogSize), "SET GLOBAL binlog_checksum=CRC32", "SET GLOBAL log_bin_compress=OFF",
		"SET GLOBAL binlog_row_metadata=MINIMAL", "DROP DATABASE IF EXISTS `new.one`") // what another one has left
	for _, s := range writtenSchemas {
		q := quote(s)
		w.do(t, "SET foreign_key_checks=0", "DROP DATABASE IF EXISTS "+q, "CREATE DATABASE "+q,
			"CREATE TABLE "+q+".t(id int AUTO_INCREMENT PRIMARY KEY, n int, v longtext) ENGINE=InnoDB",
			"CREATE TABLE "+q+".my(id int AUTO_INCREMENT PRIMARY KEY, n int, v longtext) ENGINE=MyISAM",
			"CREATE TABLE "+q+".`ta.ble`(id int AUTO_INCREMENT PRIMARY KEY, n int, v longtext, w varchar(20) DEFAULT 'é') ENGINE=InnoDB DEFAULT CHARSET=utf8",
			"CREATE TABLE "+q+".big(id int AUTO_INCREMENT PRIMARY KEY, n int, v longtext, u int unsigned, d decimal(10,3), x bit(3), y year, z timestamp(3) NULL) ENGINE=InnoDB",
			"CREATE TABLE "+q+".trig(id int AUTO_INCREMENT PRIMARY KEY, n int, v longtext) ENGINE=InnoDB")
	}
	for _, s := range writtenSchemas {
		w.do(t, "CREATE TRIGGER "+quote(s)+".after_it AFTER INSERT ON "+quote(s)+".trig FOR EACH ROW INSERT INTO maxwell.t(v) VALUES ('from a trigger')")
	}
	return w
}

// do runs a step. What the server refuses is part of the game, all else is not.
func (w *binlogWriter) do(t *testing.T, statements ...string) {
	t.Helper()
	step := binlogStep{statements: statements, logged: w.start.Add(time.Duration(len(w.steps)+100) * time.Hour), before: time.Now()}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c, err := w.m.Root.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var id string
	if err := c.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	at := len(w.steps) + 1
	// what rand() comes to is for the seed to tell, and not for the time at which the session was begun
	begin := fmt.Sprintf("SET timestamp=%d, innodb_lock_wait_timeout=1, lock_wait_timeout=1, rand_seed1=%d, rand_seed2=%d", step.logged.Unix(), at*7919, at*104729)
	for _, s := range append([]string{begin}, statements...) {
		_, err := c.ExecContext(ctx, s)
		var said *client.MySQLError
		if errors.As(err, &said) {
			w.refused[fmt.Sprintf("%d %.60s", said.Number, said.Message)]++
		} else if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	_ = c.Raw(func(any) error { return driver.ErrBadConn })        // ends the session, and what it leaves may be logged then
	sessions := "performance_schema.threads WHERE PROCESSLIST_ID=" // until all that a session leaves is logged
	if w.m.Options.MariaDB() {
		sessions = "information_schema.PROCESSLIST WHERE ID="
	}
	lab.Await(t, func() error {
		var n int
		if err := w.m.Root.QueryRow("SELECT COUNT(*) FROM " + sessions + id).Scan(&n); err != nil || n > 0 {
			return fmt.Errorf("session %s is still there: %w", id, err)
		}
		return nil
	})
	step.after = time.Now()
	files := w.m.Files(t)
	step.until = files[len(files)-1]
	w.steps = append(w.steps, step)
}

func (w *binlogWriter) one(of ...string) string { return of[w.random.IntN(len(of))] }
func (w *binlogWriter) schema() string          { return quote(w.one(writtenSchemas...)) }
func (w *binlogWriter) table() string           { return w.schema() + "." + quote(w.one(writtenTables...)) }
func (w *binlogWriter) maybe(n int) bool        { return w.random.IntN(n) == 0 }

func (w *binlogWriter) number() int { w.numbers++; return w.numbers }

// value is an expression, of a size that may need an event of its own.
func (w *binlogWriter) value() string {
	return w.one("'a'", "NULL", "''", "repeat('x',300)", "repeat('x',3000)", "repeat('é',20000)", "'o''q'", "concat('BEGIN',char(0))")
}

// change is a statement that may change rows.
func (w *binlogWriter) change() string {
	table, other := w.table(), w.table()
	for other == table {
		other = w.table()
	}
	switch w.random.IntN(13) {
	case 0, 1, 2, 3:
		rows := make([]string, 1+w.random.IntN(4))
		if w.maybe(6) {
			rows = make([]string, 12)
		}
		for i := range rows {
			rows[i] = fmt.Sprintf("(%d,%s)", w.random.IntN(9), w.value())
		}
		return fmt.Sprintf("INSERT INTO %s(n,v) VALUES %s", table, strings.Join(rows, ","))
	case 4:
		return fmt.Sprintf("INSERT INTO %s(n,v) SELECT n,v FROM %s WHERE n=%d ORDER BY id LIMIT 5", table, other, w.random.IntN(9))
	case 5, 6:
		return fmt.Sprintf("UPDATE %s SET n=n+1, v=%s WHERE n=%d ORDER BY id LIMIT 6", table, w.value(), w.random.IntN(9))
	case 7:
		return fmt.Sprintf("DELETE FROM %s WHERE n=%d ORDER BY id LIMIT 4", table, w.random.IntN(9))
	case 8:
		return fmt.Sprintf("UPDATE %s a, %s b SET a.n=a.n+1, b.v=%s WHERE a.id=b.id AND a.id<4", table, other, w.value())
	case 9:
		return fmt.Sprintf("DELETE a, b FROM %s a, %s b WHERE a.id=b.id AND a.id=%d", table, other, w.random.IntN(20))
	case 10:
		return fmt.Sprintf("REPLACE INTO %s(id,n,v) VALUES (%d,1,%s)", table, 1+w.random.IntN(9), w.value())
	case 11:
		return fmt.Sprintf("INSERT INTO %s(id,n,v) VALUES (%d,1,'a') ON DUPLICATE KEY UPDATE n=n+%d", table, 1+w.random.IntN(9), w.random.IntN(2))
	default:
		return fmt.Sprintf("INSERT INTO %s(n,v) VALUES (floor(rand()*9), @it)", w.schema()+"."+w.one("t", "trig", "my"))
	}
}

// transaction is what stands between a beginning and an end.
func (w *binlogWriter) transaction() []string {
	var all []string
	for range w.random.IntN(6) {
		switch w.random.IntN(9) {
		case 0:
			all = append(all, "SAVEPOINT `s'p`", w.change(), "ROLLBACK TO SAVEPOINT `s'p`")
		case 1:
			all = append(all, "SAVEPOINT b", w.change(), "RELEASE SAVEPOINT b")
		case 2:
			all = append(all, "CREATE TEMPORARY TABLE IF NOT EXISTS "+w.schema()+".tmp(a int)", "DROP TEMPORARY TABLE "+w.schema()+".tmp")
		default:
			all = append(all, w.change())
		}
	}
	return all
}

// session is how a step's session is set up.
func (w *binlogWriter) session() []string {
	all := []string{"SET @it='a variable'"}
	set := func(n int, texts ...string) {
		if w.maybe(n) {
			all = append(all, "SET SESSION "+w.one(texts...))
		}
	}
	set(3, "binlog_format=STATEMENT", "binlog_format=MIXED")
	set(3, "binlog_row_image=MINIMAL", "binlog_row_image=NOBLOB")
	if w.m.Options.MariaDB() {
		set(3, "binlog_annotate_row_events=OFF")
		set(6, "gtid_domain_id=3", "gtid_domain_id=7", "server_id=77", "skip_parallel_replication=1")
		if w.maybe(6) {
			all = append(all, "SET gtid_seq_no=cast(substring_index(@@gtid_binlog_pos,'-',-1) AS unsigned)+7")
		}
	} else {
		set(3, "binlog_rows_query_log_events=ON")
		set(2, "binlog_transaction_compression=ON")
		set(5, "binlog_row_value_options=PARTIAL_JSON")
	}
	set(6, "binlog_direct_non_transactional_updates=ON")
	if w.maybe(3) {
		all = append(all, w.locale())
	}
	if w.maybe(8) {
		all = append(all, "USE "+w.schema())
	}
	return all
}

// run writes so many steps, and some at last that hold nothing for anybody, or for who ignores schemas. A server that crashes in
// between begins a file without having ended the one before.
func (w *binlogWriter) run(t *testing.T, steps int, crash bool) {
	t.Helper()
	for i := range steps {
		w.do(t, append(w.session(), w.step()...)...)
		if crash && i == steps/2 {
			w.m.Crash(t)
			w.m.Restart(t)
			w.allow(t)
		}
	}
	for _, x := range w.xids { // nobody finds his table locked
		w.do(t, "XA "+w.one("COMMIT", "ROLLBACK")+" "+x)
	}
	w.xids = nil
	w.m.Rotate(t)
	for range 3 {
		w.do(t, w.step()...)
	}
	for range 4 {
		w.do(t, w.either(w.care(), w.empty(), []string{"INSERT INTO maxwell.t(v) VALUES ('a heartbeat')"})...)
	}
	w.m.End(t)
}

// allow has the server take what it refuses as it is set up.
func (w *binlogWriter) allow(t *testing.T) {
	t.Helper()
	w.do(t, "SET GLOBAL log_bin_trust_function_creators=1", "SET GLOBAL local_infile=1", "SET GLOBAL log_bin_compress_min_len=10")
}
