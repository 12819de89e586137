//go:build e2e

package lab_test

import (
	"fmt"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// While the server writes a huge transaction to its binlog it lists no files. What a round reads besides is fresh all the same, the
// list from before stays, and one statement waits, not one a round.
func TestBinlogHugeTransaction(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lab.MySQL80, lab.MariaDB10} {
		t.Run(version, func(t *testing.T) {
			m := pool.MySQL(t, lab.MySQLOptions{Version: version})
			m.Alone(t)
			schema(t, m, "huge")
			engine := "BLACKHOLE" // takes no time
			if m.Options.MariaDB() {
				engine = "MyISAM"
			}
			m.Exec(t, "CREATE TABLE huge.big(v longtext) ENGINE="+engine)
			k := here(t, m, "mark")
			fill(t, m, "huge", 3)
			cfg := mysqlConfig(m, lab.Monitor, nil, k)
			cfg.FilesTimeout = 20 * time.Millisecond
			reader := newReader(t, cfg)
			var before *mysql.Reading
			lab.Await(t, func() error { // a list may take longer than that, and then comes with the round after
				if before, _ = measured(t, reader); before.Inventory.Files == nil || !before.FilesAsked.IsZero() {
					return fmt.Errorf("no list of files yet, or another one is on its way")
				}
				return nil
			})

			var waiting int
			look := func() {
				r, distances := measured(t, reader)
				if r.Inventory.SetsAt.Before(r.At) || !distances[k.name].Transactions.Known {
					t.Errorf("the sets are from %s, the round from %s: %+v", r.Inventory.SetsAt, r.At, distances[k.name])
				}
				if !r.FilesAsked.IsZero() {
					waiting++
					if r.Inventory.Files == nil || r.Inventory.FilesAt.Before(before.At) && r.Inventory.FilesAt != before.Inventory.FilesAt {
						t.Errorf("the list from before is gone: %+v", r.Inventory)
					}
					if n := m.Text(t, "SELECT count(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SHOW BINARY LOGS%'"); n > "1" {
						t.Errorf("%s statements wait for a list of files", n)
					}
				}
			}
			const want, most = 3, 6 // rounds that meet it, and transactions: how many rounds there are in the time of one is a matter of luck
			written := int64(0)
			for ; waiting < want && written < most; written++ {
				committed := make(chan error, 1)
				go func() {
					_, err := m.Root.ExecContext(t.Context(), "INSERT INTO huge.big SELECT repeat('x', 200000000) FROM information_schema.COLLATIONS LIMIT 2")
					committed <- err
				}()
				for len(committed) == 0 {
					look()
				}
				if err := <-committed; err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%s: %d rounds while a list was on its way, %d transactions", version, waiting, written)
			if waiting < want {
				t.Errorf("%d rounds while a list was on its way, want %d", waiting, want)
			}
			lab.Await(t, func() error {
				r, distances := measured(t, reader)
				if d := distances[k.name]; !r.FilesAsked.IsZero() || d.Bytes.N < 400000000*written || d.Transactions != known(3+written) {
					return fmt.Errorf("afterwards: %+v", d)
				}
				return nil
			})
			m.Exec(t, "DROP TABLE huge.big", "RESET MASTER") // that much is in no other test's way
		})
	}
}
