package main

import (
	"encoding/json"
	"html"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Who asks an exporter for a group of another shard is told which one has it, on each page and by the command.
func TestGroupsOfOtherShardsAreSomewhereElse(t *testing.T) {
	c, commit := doubted(t)
	commit("app-7.app-7", 8) // shard 1 of 3
	commit("plain", 8)       // shard 0
	brokers := "--kafka.brokers=" + c.ListenAddrs()[0]
	p := serving(t, brokers, "--shard=0/3")
	const want = `roup "app-7.app-7" belongs to shard 1 of 3, and this exporter has shard 0: ask the one that runs with --shard=1/3`
	for _, more := range []string{"", "&topic=orders", "&topic=orders&partition=0"} {
		code, body := p.get("/explain?format=json&group=app-7.app-7" + more)
		var refusal struct{ Error string }
		if err := json.Unmarshal([]byte(body), &refusal); err != nil || code != http.StatusNotFound || refusal.Error != "G"+want+"." {
			t.Errorf("%s: %d, %v\n%s", more, code, err, body)
		}
		if code, body = p.get("/explain?group=app-7.app-7" + more); code != http.StatusNotFound || !strings.Contains(unmarked(body), "G"+want+".") {
			t.Errorf("%s: %d\n%s", more, code, body)
		}
		args := append([]string{"explain", brokers, "--shard=0/3", "--group=app-7.app-7"}, map[string][]string{
			"": nil, "&topic=orders": {"--topic=orders"}, "&topic=orders&partition=0": {"--topic=orders", "--partition=0"},
		}[more]...)
		if code, stdout, stderr := runs(t, args...); code != 2 || stdout != "" || !strings.Contains(stderr, want+"\n") {
			t.Errorf("%v: %d\n%s%s", args, code, stdout, stderr)
		}
	}
	p.scrape()
	if _, body := p.get("/explain?q=app-7"); !strings.Contains(body, "of this exporter (--shard=0/3) holds this") {
		t.Errorf("searched for:\n%s", body)
	}
}

// unmarked is a page's text without the marks that keep a flag on one line.
func unmarked(page string) string {
	return strings.NewReplacer(`<span class="flag">`, "", "</span>", "").Replace(html.UnescapeString(page))
}

// Who asks another shard than the first for a consumer of a binlog is told which one reads the servers. The command reads them
// itself, wherever it runs.
func TestBinlogsOfTheFirstShard(t *testing.T) {
	f := newFakeMySQL(t)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	binlogs(t, path, f, "", placed(t, "sink", `{"file":"mysql-bin.000004","pos":2171}`))
	p := serving(t, "--config.file="+path, "--shard=1/3")
	const want = "Shard 0 reads the MySQL servers, and this exporter has shard 1: ask the one that runs with --shard=0/3."
	for _, query := range []string{"", "?server=orders-db", "?server=orders-db&consumer=sink"} {
		code, body := p.get("/explain/binlog" + query)
		if code != http.StatusNotFound || !strings.Contains(unmarked(body), want) {
			t.Errorf("%s: %d\n%s", query, code, body)
		}
	}
	if code, stdout, stderr := runs(t, "explain", "--config.file="+path, "--shard=1/3", "--consumer=sink"); code != 0 || !strings.Contains(stdout, "CAUGHT UP") {
		t.Errorf("explain: %d\n%s%s", code, stdout, stderr)
	}
}
