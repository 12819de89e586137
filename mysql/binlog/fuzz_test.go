package binlog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"truelag/mysql"
)

// Whatever a server sends, reading it ends, and takes no more than the limit.
func FuzzStream(f *testing.F) {
	for _, r := range recordings(f) {
		raw, err := os.ReadFile(filepath.Join("testdata", r.name, "stream"))
		if err != nil {
			f.Fatal(err)
		}
		pos := int64(raw[28]) | int64(raw[29])<<8
		for _, event := range []int64{0, 1, 2, 3} {
			f.Add(raw, r.flavor == mysql.MariaDB, pos, event, event)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, mariadb bool, pos, counted, row int64) {
		flavor := mysql.MySQL
		if mariadb {
			flavor = mysql.MariaDB
		}
		const limit = 1 << 16
		feed := newFeed(bytes.NewReader(raw), flavor, "mysql-bin.000002", pos, limit)
		j := newJudge(flavor, &mysql.Position{Event: counted, Row: row}, filter{ignored: set([]string{"maxwell"})})
		for {
			before := feed.sum
			e, err := feed.next()
			if err != nil {
				if after := j.clone().over(); isEnd(err) && after == mysql.Unread {
					t.Error("the end says nothing")
				}
				break
			}
			if feed.sum <= before {
				t.Error("an event has no size")
			}
			if done, err := j.see(e); err != nil {
				break
			} else if done != (j.after != mysql.Unread) || done && j.after != mysql.Rest && j.after != mysql.Transaction {
				t.Errorf("done %v, %s", done, j.after)
			} else if done {
				break
			}
		}
		if feed.packets.got > limit+1<<16 {
			t.Errorf("%d bytes were read", feed.packets.got)
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, r := range recordings(f) {
		for _, file := range r.files {
			for _, e := range file.events {
				if e[4] == typeQuery {
					f.Add(e[headerSize:])
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		k, schemas := query(body, len(body)%2 == 0)
		if k != statement && schemas != nil || slices.Contains([]kind{outside, named, table, rows, payload}, k) {
			t.Errorf("%d %q", k, schemas)
		}
	})
}

// A packet that is full is followed by another, which may be empty.
func TestPackets(t *testing.T) {
	for _, size := range []int{headerSize, fullPacket - 2, fullPacket - 1, fullPacket, 2*fullPacket - 1, 2 * fullPacket} {
		var b bytes.Buffer
		w := &packetWriter{w: &b}
		w.event(make([]byte, size))
		w.event([]byte("next"))
		w.packet([]byte{endByte, 0, 0, 0, 0})
		p := packets{in: bufio.NewReader(&b), limit: 1 << 30}
		if err := p.next(); err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, &p); err != nil || int(n) != size {
			t.Errorf("%d: read %d, %v", size, n, err)
		}
		if err := p.next(); err != nil {
			t.Fatal(err)
		}
		if next, err := io.ReadAll(&p); err != nil || string(next) != "next" {
			t.Errorf("%d: then %q, %v", size, next, err)
		}
		if err := p.next(); !errors.Is(err, io.EOF) {
			t.Errorf("%d: %v", size, err)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]kind{
		"BEGIN": begin, "begin": begin, "COMMIT": end, "commit /* x */": end, "ROLLBACK": end, "ROLLBACK WORK": end, "ROLLBACK TO `here`": within,
		"SAVEPOINT `here`": within, "XA START X'7831',X'',1": begin, "XA END X'7831'": within, "XA COMMIT X'7831'": end, "XA ROLLBACK X'7831'": end,
		"ANALYZE TABLE t": idle, "flush privileges": idle,
		"GRANT SELECT ON shop.* TO 'u'@'%'": idle, "REVOKE ALL PRIVILEGES ON *.* FROM u": idle, "SET PASSWORD FOR 'u'@'%'='*A'": idle,
		"CREATE USER 'u'@'%' IDENTIFIED WITH 'x' AS '*A'": idle, "DROP USER u": idle, "RENAME USER a TO b": idle, "CREATE ROLE r": idle,
		"CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `shop`.`v` AS SELECT 1": idle, "drop view if exists v": idle,
		"CREATE OR REPLACE ALGORITHM = MERGE DEFINER = 'a table'@\"TABLE t\" VIEW v AS SELECT 1": idle,
		"CREATE DEFINER=`ro``ot TABLE`@`%` TRIGGER t AFTER INSERT ON a FOR EACH ROW BEGIN END":   idle, "DROP TRIGGER shop.t": idle,
		"CREATE DEFINER=CURRENT_USER() PROCEDURE p() SELECT 1": idle, "CREATE AGGREGATE FUNCTION f RETURNS STRING SONAME 'f.so'": idle,
		"CREATE DEFINER=`root`@`localhost` EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t": idle, "ALTER\n EVENT\te DISABLE": idle, "CREATE OR REPLACE PACKAGE BODY p AS END": idle,
		"CREATE TABLE view (id int)": statement, "CREATE TABLE `a VIEW ` (id int)": statement, "ALTER TABLE t ADD user int": statement, "DROP DATABASE role": statement,
		"CREATE INDEX view ON t (a)": statement, "RENAME TABLE user TO b": statement, "CREATE SEQUENCE s": statement, "CREATE /* x */ VIEW v AS SELECT 1": statement,
		"CREATE DEFINER=`a` TABLE VIEW ": statement, "SET STATEMENT max_statement_time=1 FOR INSERT INTO t VALUES (1)": statement, "TRUNCATE TABLE t": statement,
		"CREATE OR REPLACE TABLE t SELECT 1": statement, "DROP VIEWS": statement, "CREATE": statement,
		"CREATE TABLE t (id int)": statement, "BEGINNING": statement, "": statement, "# Dum": statement,
		"INSERT INTO t VALUES (1)":      statement,
		"/* by hand */ ANALYZE TABLE t": idle, "-- by hand\n# nightly\n/**/\tFLUSH STATUS": idle, "/* " + strings.Repeat("long ", 99) + "*/ REPAIR TABLE t": idle,
		"/*!50000 ALTER TABLE t */": statement, "/*M!100000 ALTER TABLE t */": statement, "/* FLUSH */ DROP TABLE t": statement, "/*/ FLUSH */ DROP TABLE t": statement,
		"/* FLUSH": statement, "# FLUSH": statement, "#": statement, "#\nFLUSH TABLES": idle, "-": statement, "/*": statement, "/*/": statement, "--": statement,
	} {
		if got := words([]byte(text)); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}
