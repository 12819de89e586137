//go:build real

package binlog

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"truelag/mysql"
)

func db(t *testing.T, port string) *sql.DB {
	d, err := sql.Open("mysql", "root@tcp(127.0.0.1:"+port+")/?multiStatements=true")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func listing(t *testing.T, d *sql.DB, flavor mysql.Flavor) *mysql.Inventory {
	rows, err := d.Query("SHOW BINARY LOGS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	cols, _ := rows.Columns()
	inv := &mysql.Inventory{Flavor: flavor}
	for rows.Next() {
		var f mysql.File
		dest := []any{&f.Name, &f.Size, new(string)}
		if err := rows.Scan(dest[:len(cols)]...); err != nil {
			t.Fatal(err)
		}
		inv.Files = append(inv.Files, f)
	}
	return inv
}

func scanner(t *testing.T, port, user string, ignore ...string) *Scanner {
	s, err := New(Config{Dial: mysql.Dial{Address: "127.0.0.1:" + port, User: user, Password: func() (string, error) { return map[string]string{"repl": "repl", "mon": "mon"}[user], nil }}, MaxBytes: 64 << 20, Timeout: 10 * time.Second, Ignore: ignore})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var servers = []struct {
	name, port string
	flavor     mysql.Flavor
}{{"mysql80", "21180", 0}, {"mysql57", "21157", 0}, {"mysql56", "21156", 0}, {"mariadb", "21110", 1}, {"mariadb11", "21111", 1}}

func TestAsk(t *testing.T) {
	for _, sv := range servers {
		t.Run(sv.name, func(t *testing.T) {
			d := db(t, sv.port)
			if _, err := d.Exec("CREATE DATABASE IF NOT EXISTS shop; CREATE TABLE IF NOT EXISTS shop.o (id int primary key auto_increment, v varchar(100)); INSERT INTO shop.o (v) VALUES ('a'),('b'); FLUSH LOGS; INSERT INTO shop.o (v) VALUES ('c'); INSERT INTO shop.o (v) VALUES ('d');"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			inv := listing(t, d, sv.flavor)
			s := scanner(t, sv.port, "repl")
			first, last := inv.Files[0], inv.Files[len(inv.Files)-1]
			try := func(what string, file string, pos int64) {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				conn, err := s.dump(ctx, sv.flavor, file, pos)
				if err != nil {
					t.Log(what, err)
					return
				}
				defer conn.Close()
				f := newFeed(conn, file, pos, 1<<30)
				n := 0
				var ends []int64
				var text []string
				for {
					e, err := f.next()
					if err != nil {
						t.Logf("%s %s:%d: %d events, at %s:%d, %d bytes, begun %v: %v %v", what, file, pos, n, f.file, f.pos, f.bytes, f.begun.Format(time.TimeOnly), err, isNoEvent(err))
						break
					}
					n++
					ends = append(ends, f.pos)
					text = append(text, fmt.Sprintf("%s@%d", e.name, f.pos))
					if e.kind == named {
						text = append(text, e.gtid, e.committed.String(), e.at.String())
					}
				}
				if what == "whole" {
					t.Log(strings.Join(text, " "))
				}
			}
			try("whole", first.Name, 4)
			try("end of closed", first.Name, first.Size)
			try("end of active", last.Name, last.Size)
			try("inside", first.Name, 130)
			try("inside2", last.Name, last.Size-20)
			try("inside3", last.Name, last.Size-31)
			try("inside4", last.Name, last.Size-10)
			try("past end", last.Name, last.Size+1000)
			try("below 4", first.Name, 3)
			try("unknown", "mysql-bin.000999", 4)
			s = scanner(t, sv.port, "mon")
			try("denied", first.Name, 4)
			var total int64
			for _, f := range inv.Files {
				total += f.Size
			}
			t.Log("total", total-4)
		})
	}
}

var _ = bytes.MinRead
var _ = io.EOF
var _ = os.Args
