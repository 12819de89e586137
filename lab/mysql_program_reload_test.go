//go:build e2e

package lab_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// One program with every server in its file tells of each what the server itself does. Then it is made to read other files while
// it is scraped: no scrape fails, and it keeps no connection of what it no longer reads.
func TestProgramOnEveryServer(t *testing.T) {
	t.Parallel()
	user := fmt.Sprintf("program%d", time.Now().UnixNano()%1e9) // a name that no earlier test has counted connections of
	servers := startEach(t, user)
	all := func(consumers ...string) (config []watched) {
		for _, m := range servers {
			config = append(config, watched{m.Options.Version, m.Address, user, consumers})
		}
		return config
	}
	e := pool.Exporter(t, binlogConfig(all("begin", "end")...), "--web.enable-lifecycle")
	for _, m := range servers {
		t.Run(m.Options.Version, func(t *testing.T) { wantNumbers(t, e, m) })
	}
	t.Run("reloaded", func(t *testing.T) { reloadWhileScraped(t, e, servers, user, all) })
	t.Run("sharded", func(t *testing.T) {
		for shard, want := range []string{"1", ""} {
			part := pool.Exporter(t, binlogConfig(all("begin")...), "--no-collector.kafka", fmt.Sprintf("--shard=%d/2", shard))
			lab.Await(t, func() error { // the first scrape may share the program's own, which has little time
				s := scrapeOf(t, part)
				for _, m := range servers {
					got := s.of("mysql_up", m.Options.Version)
					if want == "" && got != "" {
						t.Fatalf("shard %d: %s is up: %q, want it to be left to the other one", shard, m.Options.Version, got)
					}
					if got != want {
						return fmt.Errorf("shard %d: %s is up: %q, want %q", shard, m.Options.Version, got, want)
					}
				}
				return nil
			})
		}
	})
}

// startEach starts a server of each kind with some files, and a user who may do what the exporter asks for. They are the test's alone
// until it ends: the program lists their files, and others reset them. They are taken one after the other, since a test that has
// parallel subtests does not go on while as many others run as may, and those may all wait for these servers.
func startEach(t *testing.T, user string) []*lab.MySQL {
	t.Helper()
	var servers []*lab.MySQL
	for _, version := range lab.MySQLVersions() {
		m := pool.MySQL(t, lab.MySQLOptions{Version: version})
		m.Alone(t)
		servers = append(servers, m)
		client := "REPLICATION CLIENT"
		if m.Options.MariaDB() {
			client = "BINLOG MONITOR"
		}
		m.Exec(t, "SET sql_log_bin=0", fmt.Sprintf("CREATE USER %s@'%%' IDENTIFIED BY '%s'", user, lab.Password(user)),
			fmt.Sprintf("GRANT %s, REPLICATION SLAVE ON *.* TO %s@'%%'", client, user))
		schema(t, m, "program")
		fill(t, m, "program", 90)
	}
	return servers
}

// wantNumbers holds what is exported of a server against its own list of files, and against what a replica would be sent. A server may
// write an event of its own meanwhile, so it is done again until it was the same before and after.
func wantNumbers(t *testing.T, e *lab.Exporter, m *lab.MySQL) {
	t.Helper()
	name := m.Options.Version
	lab.Await(t, func() error {
		files := m.Files(t)
		first, end := files[0].Name, files[len(files)-1]
		left := m.Left(t, first, 4)
		note(t, e, name, "begin", mysql.Position{File: first, Pos: 4})
		note(t, e, name, "end", mysql.Position{File: end.Name, Pos: end.Size, GTIDs: m.GTIDs(t)})
		s := scrapeOf(t, e)
		if after := m.Files(t); !slices.Equal(after, files) {
			return fmt.Errorf("%s: the files were %v, and then %v", name, files, after)
		}
		var size int64
		for _, f := range files {
			size += f.Size
		}
		effective, state := int64(0), mysql.CaughtUp.String()
		if left.Transactions > 0 {
			effective, state = left.Bytes, mysql.OK.String()
		}
		number := func(n int64) string { return strconv.FormatInt(n, 10) }
		if left.Bytes != size-4 {
			return fmt.Errorf("%s: a replica would be sent %d of %d bytes", name, left.Bytes, size)
		}
		got, want := map[string]string{}, map[string]string{}
		for family, value := range map[string]string{
			"mysql_up": "1", "binlog_files": strconv.Itoa(len(files)), "binlog_size_bytes": number(size),
			"binlog_position_bytes": number(end.Size), "binlog_file_number": strings.TrimLeft(end.Name[strings.LastIndexByte(end.Name, '.')+1:], "0"),
		} {
			got[family], want[family] = s.of(family, name), value
		}
		for family, values := range map[string][2]string{
			"binlog_lag_bytes":           {number(size - 4), "0"},
			"binlog_effective_lag_bytes": {number(effective), "0"},
			"binlog_lag_files":           {strconv.Itoa(len(files) - 1), "0"},
			"binlog_headroom_bytes":      {"4", number(size)},
		} {
			for i, consumer := range []string{"begin", "end"} {
				got[family+" of "+consumer], want[family+" of "+consumer] = s.of(family, name, consumer), values[i]
			}
		}
		for consumer, state := range map[string]string{"begin": state, "end": "caught_up", asker: "foreign"} {
			got["state of "+consumer], want["state of "+consumer] = s.state(name, consumer), state
		}
		return differs(got, want)
	})
}

func reloadWhileScraped(t *testing.T, e *lab.Exporter, servers []*lab.MySQL, user string, all func(...string) []watched) {
	for _, m := range servers {
		awaitKept(t, e, m, user)
	}
	before := scrapeOf(t, e)
	h := scrapeOn(t, e)
	steps := []struct {
		name   string
		config []watched
		want   []string // consumers of the last server
	}{
		{"one more", all("begin", "end", "more"), []string{asker, "begin", "end", "more"}},
		{"another name", all("begin", "end", "other"), []string{asker, "begin", "end", "other"}},
		{"one less", all("end"), []string{asker, "end"}},
		{"the last server gone", all("end")[:len(servers)-1], nil},
		{"all again", all("begin", "end"), []string{asker, "begin", "end"}},
	}
	last := servers[len(servers)-1].Options.Version
	for i, step := range steps {
		e.Rewrite(t, binlogConfig(step.config...))
		if i%2 == 0 {
			e.Hangup(t)
		} else if code, text, err := get(t.Context(), e, http.MethodPost, "/-/reload", nil); err != nil || code != http.StatusOK {
			t.Errorf("%s: reload: %d %s %v", step.name, code, text, err)
		}
		lab.Await(t, func() error {
			if got := scrapeOf(t, e).consumers(last); !slices.Equal(got, step.want) {
				return fmt.Errorf("%s: %s has the consumers %q, want %q", step.name, last, got, step.want)
			}
			return nil
		})
	}
	e.Rewrite(t, "mysql: {servers: [{location: nowhere}]}\n")
	code, text, err := get(t.Context(), e, http.MethodPost, "/-/reload", nil)
	if err != nil || code != http.StatusInternalServerError || !strings.Contains(text, `unknown key "location"`) {
		t.Errorf("a broken file: %d %s %v", code, text, err)
	}
	if s := scrapeOf(t, e); s["truelag_exporter_config_last_reload_successful"] != "0" || !slices.Equal(s.consumers(last), []string{asker, "begin", "end"}) {
		t.Errorf("a broken file: reloaded %s, consumers %q", s["truelag_exporter_config_last_reload_successful"], s.consumers(last))
	}
	for i := range 10 {
		e.Rewrite(t, binlogConfig(all("begin", fmt.Sprint(i))...))
		if code, text, err := get(t.Context(), e, http.MethodPost, "/-/reload", nil); err != nil || code != http.StatusOK {
			t.Errorf("reload %d: %d %s %v", i, code, text, err)
		}
	}
	seen := h.stop(t)
	t.Logf("%d scrapes during the reloads", len(seen))
	wantRead(t, e, seen)
	for _, m := range servers {
		awaitKept(t, e, m, user)
	}
	lab.Await(t, func() error { // those of the generations before end with their last scrape
		s := scrapeOf(t, e)
		for _, family := range []string{"go_goroutines", "process_open_fds"} {
			had, _ := strconv.Atoi(before[family])
			if has, err := strconv.Atoi(s[family]); err != nil || has > had {
				return fmt.Errorf("%s is %s, and was %s before the reloads", family, s[family], before[family])
			}
		}
		return nil
	})
}
