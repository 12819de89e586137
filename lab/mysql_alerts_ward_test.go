//go:build e2e

package lab_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// ward is a server with consumers of every kind of trouble, the exporter that reads them, and a Prometheus that watches it.
type ward struct {
	m         *lab.MySQL
	e         *lab.Exporter
	p         *lab.Prometheus
	page      string       // of Kafka Connect and of Flink's reporter
	ill       atomic.Bool  // what they answer
	end       atomic.Value // mysql.Position, of the connectors
	consumers int
}

// wardServers are the names under which the exporter reads the one server: as the documentation says, by a user who may not read its
// events any more, by one who may not list its files any more, and without reading events.
var wardServers = []string{"whole", "half", "stale", "blind"}

const (
	wardEvery    = 8 * time.Second // between two scrapes: what the exporter has for one on a busy machine
	wardPatience = 8 * time.Minute

	// a file is kept for as long as the alert on headroom wants, and five seconds more
	wardKeep = 6*3600 + 5
)

// wardFiles are the consumers that note down their places in files, and what becomes of them: the alert, with what it is about.
var wardFiles = map[string]map[string]string{
	"whole": {
		"well":   "",
		"behind": "BinlogConsumerBehind", "set": "BinlogConsumerBehind",
		"quiet": "BinlogConsumerWillLoseItsPlace", "snapshot": "BinlogConsumerWillLoseItsPlace",
		"purged": "BinlogConsumerLostItsPlace", "ahead": "BinlogConsumerLostItsPlace",
		"foreign": "BinlogConsumerLostItsPlace", "invalid": "BinlogConsumerLostItsPlace",
		"failed": "BinlogConsumerFailed", "missing": "BinlogConsumerFailed",
		"unassigned": "BinlogConsumerFailed", "disconnected": "BinlogConsumerFailed",
		"unknown": "BinlogConsumerNotRead",
	},
	"half":  {"half": "BinlogConsumerBehind"},
	"stale": {"stale": ""},
	"blind": {"blind": "BinlogConsumerBehind"},
}

func newWard(t *testing.T, version, rules string) *ward {
	t.Helper()
	w := &ward{m: pool.StartMySQL(t, lab.MySQLOptions{Version: version})}
	page := httptest.NewServer(w)
	t.Cleanup(page.Close)
	w.page = page.URL
	w.m.Exec(t, fmt.Sprintf("SET GLOBAL binlog_expire_logs_seconds=%d", wardKeep))
	w.grant(t)
	schema(t, w.m, "ward")
	w.e = pool.Exporter(t, w.config())
	w.recover(t)
	for server, consumers := range wardFiles {
		awaitTold(t, w.e, server, slices.Collect(maps.Keys(consumers))...)
		w.consumers += len(consumers)
	}
	w.consumers += len(wardPages)
	w.p = pool.PrometheusWithRules(t, wardEvery, rules, w.e.URL)
	return w
}

func (w *ward) config() string {
	var b strings.Builder
	b.WriteString("mysql:\n  servers:\n")
	for server, more := range map[string]struct{ user, settings string }{
		"whole": {lab.Monitor, "scan: {mariadb: true}"},
		"half":  {lab.FilesOnly, "scan: {mariadb: true}, retention: 30d"},
		"stale": {lab.Nobody, "scan: {enabled: false}, retention: 30d"},
		"blind": {lab.Monitor, "scan: {enabled: false}"},
	} {
		fmt.Fprintf(&b, "    - {name: %s, address: %q, user: %s, password: %s, interval: 0s, %s, consumers: [\n",
			server, w.m.Address, more.user, lab.Password(more.user), more.settings)
		for c := range wardFiles[server] {
			var captures string
			if c == "quiet" { // nothing was written for a while of what it reads
				captures = ", captures: [elsewhere]"
			}
			fmt.Fprintf(&b, "        {name: %s, file: {path: %s.json}%s},\n", c, c, captures)
		}
		if server == "whole" {
			for c := range wardPages {
				if strings.HasPrefix(c, "flink") {
					fmt.Fprintf(&b, "        {name: %s, flink_cdc: {urls: [%q]}},\n", c, w.page+"/"+c)
				} else {
					fmt.Fprintf(&b, "        {name: %s, connect: {url: %q, connector: %s}},\n", c, w.page, c)
				}
			}
		}
		b.WriteString("      ]}\n")
	}
	return b.String()
}

// wardNote is what a consumer's file has in it.
type wardNote map[string]any

func noteAt(p mysql.Position) wardNote {
	return wardNote{"file": p.File, "pos": p.Pos, "gtids": p.GTIDs}
}

func (n wardNote) and(key string, value any) wardNote {
	n[key] = value
	return n
}

func (w *ward) note(t *testing.T, consumer string, n wardNote) {
	t.Helper()
	text, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.e.Dir, consumer+".json")
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// grant lets the users do what they need.
func (w *ward) grant(t *testing.T) {
	t.Helper()
	w.m.Exec(t, "GRANT REPLICATION SLAVE ON *.* TO "+lab.FilesOnly, "GRANT REPLICATION CLIENT ON *.* TO "+lab.Nobody)
	w.hangUp(t)
}

// hangUp ends the connections that may what their user could when they began. The exporter makes new ones each minute by itself.
func (w *ward) hangUp(t *testing.T) {
	t.Helper()
	for _, r := range w.m.Rows(t, "SELECT ID FROM information_schema.PROCESSLIST WHERE USER='"+lab.Nobody+"'") {
		id := r["ID"]
		lab.Await(t, func() error {
			if w.m.Text(t, "SELECT count(*) FROM information_schema.PROCESSLIST WHERE ID=?", id) == "0" {
				return nil // it has ended by itself, or is killed
			}
			_, err := w.m.Root.ExecContext(t.Context(), "KILL "+id)
			return cmp.Or(err, errors.New("it is still there"))
		})
	}
}

// recover lets every consumer have read all, and those who run them be well.
func (w *ward) recover(t *testing.T) {
	t.Helper()
	end := here(t, w.m, "").place()
	w.end.Store(end)
	for _, consumers := range wardFiles {
		for c, alert := range consumers {
			n := noteAt(end)
			switch {
			case c == "snapshot":
				n.and("snapshot", "INITIAL")
			case c == "set":
				n = wardNote{"gtids": end.GTIDs}
			case alert == "BinlogConsumerFailed":
				n.and("state", "running")
			}
			w.note(t, c, n)
		}
	}
}

// harm gives each consumer its trouble.
func (w *ward) harm(t *testing.T) {
	t.Helper()
	w.m.Exec(t, "REVOKE REPLICATION SLAVE ON *.* FROM "+lab.FilesOnly, "REVOKE REPLICATION CLIENT ON *.* FROM "+lab.Nobody)
	w.hangUp(t)
	purged := here(t, w.m, "").place()
	fill(t, w.m, "ward", 10)
	w.m.Rotate(t)
	w.m.Purge(t, w.m.End(t).Name)
	old := here(t, w.m, "").place()
	w.m.Rotate(t)
	behind := here(t, w.m, "").place()
	fill(t, w.m, "ward", 20)
	w.recover(t)
	end := here(t, w.m, "").place()
	for _, c := range []string{"behind", "half", "blind"} {
		w.note(t, c, noteAt(behind))
	}
	w.note(t, "set", wardNote{"gtids": behind.GTIDs})
	w.note(t, "quiet", noteAt(old))
	w.note(t, "snapshot", noteAt(old).and("snapshot", "INITIAL"))
	w.note(t, "purged", noteAt(purged))
	w.note(t, "ahead", wardNote{"file": end.File, "pos": end.Pos + 1_000_000})
	w.note(t, "foreign", wardNote{"file": "other-" + end.File, "pos": 4})
	w.note(t, "invalid", wardNote{"file": end.File, "pos": 5})
	for _, state := range []string{"failed", "missing", "unassigned", "disconnected"} {
		w.note(t, state, noteAt(end).and("state", state))
	}
	w.note(t, "unknown", wardNote{"position": "nowhere"})
	w.ill.Store(true)
}

// harmed are the alerts that fire then.
func (w *ward) harmed() []string {
	all := []string{"BinlogServerHalfRead half scan", "BinlogServerHalfRead stale files", "BinlogServerNotRead stale"}
	all = slices.AppendSeq(all, maps.Values(wardPages))
	for server, consumers := range wardFiles {
		for c, alert := range consumers {
			switch alert {
			case "":
			case "BinlogConsumerBehind", "BinlogConsumerWillLoseItsPlace":
				all = append(all, fmt.Sprint(alert, " ", server, " ", c))
			default: // their names are the states
				all = append(all, fmt.Sprint(alert, " ", server, " ", c, " ", c))
			}
		}
	}
	return all
}

func (w *ward) heal(t *testing.T) {
	t.Helper()
	w.ill.Store(false)
	w.grant(t)
	w.recover(t)
}
