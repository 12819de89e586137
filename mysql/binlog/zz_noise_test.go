//go:build real

package binlog

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func logLines(dir string) []string {
	b, _ := os.ReadFile("/tmp/s2lab/" + dir + "/error.log")
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func TestNoise(t *testing.T) {
	dirs := map[string]string{"mysql80": "s2-80", "mysql57": "s2-57", "mysql56": "s2-56", "mariadb": "s2-m10", "mariadb11": "s2-m11"}
	for _, sv := range servers {
		t.Run(sv.name, func(t *testing.T) {
			d := db(t, sv.port)
			for i := 0; i < 12; i++ {
				if _, err := d.Exec("CREATE TABLE IF NOT EXISTS shop.big (id int primary key auto_increment, v longtext); INSERT INTO shop.big (v) VALUES (repeat('x', 900000));"); err != nil {
					t.Fatal(err)
				}
			}
			inv := listing(t, d, sv.flavor)
			s := scanner(t, sv.port, "repl")
			run := func(what string, read int) {
				before := len(logLines(dirs[sv.name]))
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				conn, err := s.dump(ctx, sv.flavor, inv.Files[0].Name, 4)
				if err != nil {
					t.Fatal(err)
				}
				f := newFeed(conn, inv.Files[0].Name, 4, 1<<30)
				for i := 0; i < read; i++ {
					if _, err := f.next(); err != nil {
						break
					}
				}
				conn.Close()
				time.Sleep(1500 * time.Millisecond)
				for _, l := range logLines(dirs[sv.name])[before:] {
					fmt.Println(sv.name, what, l)
				}
			}
			run("early", 5)
			run("whole", 1<<30)
			for _, sql := range []string{"SET log_warnings=0", "SET SESSION log_warnings=0"} {
				if _, err := d.Exec(sql); err != nil {
					fmt.Println(sv.name, err)
				}
			}
		})
	}
}
