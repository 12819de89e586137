package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// binlogStates writes a configuration with a consumer of each state that a file can tell of.
func binlogStates(t *testing.T, f *fakeMySQL) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "truelag.yml")
	binlogs(t, path, f, "",
		placed(t, "rest", `{"file":"mysql-bin.000004","pos":1935,"gtids":"`+fakeUUID+`:1-28:1000","row":1,"event":3}`),
		placed(t, "end", `{"file":"mysql-bin.000004","pos":2171,"gtids":"`+fakeExecuted+`"}`),
		placed(t, "behind", `{"file":"mysql-bin.000004","pos":1856}`),
		placed(t, "snapshot", `{"file":"mysql-bin.000004","pos":1856,"snapshot":"INITIAL"}`),
		placed(t, "none", `{"file":null,"pos":null}`),
		placed(t, "foreign", `{"file":"binlog.000004","pos":1856}`),
		placed(t, "purged", `{"file":"mysql-bin.000001","pos":4}`),
		placed(t, "ahead", `{"file":"mysql-bin.000009","pos":4}`),
		placed(t, "invalid", `{"file":"mysql-bin.000004","pos":1857}`),
		`{name: nobody, file: {path: none.json}}`,
	)
	return "--config.file=" + path
}

// The command says what each place is worth, in words and by its exit code; the page says the same.
func TestExplainBinlog(t *testing.T) {
	f := newFakeMySQL(t)
	config := binlogStates(t, f)
	p := serving(t, config)
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	for _, c := range []struct {
		consumer string
		code     int
		state    string
		says     []string
	}{
		{"rest", 0, "caught_up", []string{"Caught up", "The 236 bytes after the place hold no transaction that is left to read."}},
		{"end", 0, "caught_up", []string{"Caught up", "Nothing follows the place."}},
		{"behind", 1, "ok", []string{"Behind", "315 bytes are left to read, the first transaction from ", "beginning with its event Gtid"}},
		{"snapshot", 1, "snapshot", []string{"Takes a snapshot", "until its snapshot (INITIAL) ends, and goes on from mysql-bin.000004:1856 then."}},
		{"none", 3, "no_position", []string{"No place yet"}},
		{"foreign", 4, "foreign", []string{"binlog.000004 is not a file of this server: its files are named like mysql-bin.000004."}},
		{"purged", 4, "purged", []string{"Lost its place", "mysql-bin.000001 is not among the server", "Let it take a new snapshot"}},
		{"ahead", 4, "ahead", []string{"The place mysql-bin.000009:4 is past what the server has written: its binlog ends at mysql-bin.000004:2171."}},
		{"invalid", 4, "invalid", []string{"No such place", "No event begins at mysql-bin.000004:1857: the server was asked for it."}},
		{"nobody", 3, "unknown", []string{"The consumer's place could not be read: ", "none.json"}},
	} {
		t.Setenv("COLUMNS", "1000")
		code, stdout, stderr := runs(t, "explain", config, "--consumer="+c.consumer)
		if code != c.code || stderr != "" {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.consumer, code, c.code, stdout, stderr)
		}
		_, page := p.get("/explain/binlog?server=orders-db&consumer=" + c.consumer)
		for _, want := range c.says {
			if !strings.Contains(strings.ToLower(stdout), strings.ToLower(want)) {
				t.Errorf("%s: the command does not say %q:\n%s", c.consumer, want, stdout)
			}
			if want = strings.ReplaceAll(want, "'", "&#39;"); !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q:\n%s", c.consumer, want, page)
			}
		}
		code, asJSON, _ := runs(t, "explain", config, "--server=orders-db", "--consumer="+c.consumer, "-o", "json")
		_, pageJSON := p.get("/explain/binlog?consumer=" + c.consumer + "&format=json")
		for _, answer := range []string{asJSON, pageJSON} {
			var view struct {
				Verdict struct {
					State string
					Code  int `json:"exit_code"`
				}
				Statements []struct{ Text string }
			}
			if err := json.Unmarshal([]byte(answer), &view); err != nil || view.Verdict.State != c.state || view.Verdict.Code != code || len(view.Statements) == 0 {
				t.Errorf("%s as JSON: %v, exit code %d\n%s", c.consumer, err, code, answer)
			}
		}
		for _, text := range []string{stdout, page, asJSON, pageJSON} {
			if strings.Contains(text, fakePassword) {
				t.Errorf("%s: the password is shown", c.consumer)
			}
		}
	}
	code, stdout, _ := runs(t, "explain", config)
	if code != 4 || !strings.Contains(stdout, "10 consumers, worst first") || strings.Index(stdout, "orders-db / ahead") > strings.Index(stdout, "orders-db / behind") {
		t.Errorf("the list: exit code %d\n%s", code, stdout)
	}
	if _, page := p.get("/explain/binlog"); !strings.Contains(page, "10 consumers, worst first") {
		t.Errorf("the page of the list:\n%s", page)
	}
	_, page := p.get("/")
	if !strings.Contains(page, `href="explain/binlog?consumer=ahead&amp;server=orders-db"`) {
		t.Errorf("the landing page does not lead to a consumer:\n%s", page)
	}
	if code, stdout, _ = runs(t, "explain", config, "--consumer=behind"); code != 1 || !strings.Contains(stdout, "COM_BINLOG_DUMP from mysql-bin.000004:1856") {
		t.Errorf("exit code %d, and not all that was sent is told:\n%s", code, stdout)
	}
	f.set(func() { f.refuse = true })
	code, stdout, _ = runs(t, "explain", config, "--consumer=behind")
	if code != 3 || !strings.Contains(stdout, "The server could not be read: "+f.address) || !strings.Contains(stdout, "mysql-bin.000004:1856") || strings.Contains(stdout, fakePassword) {
		t.Errorf("refused: exit code %d\n%s", code, stdout)
	}
}

// Where something else purges the files, as managed services do, no setting of the server's helps.
func TestExplainBinlogByRetention(t *testing.T) {
	path := filepath.Join(t.TempDir(), "truelag.yml")
	binlogs(t, path, newFakeMySQL(t), "      retention: 7d\n", placed(t, "purged", `{"file":"mysql-bin.000001","pos":4}`))
	t.Setenv("COLUMNS", "1000")
	code, stdout, _ := runs(t, "explain", "--config.file="+path, "--consumer=purged")
	if code != 4 || !strings.Contains(stdout, "now after 7 d as retention says") || strings.Contains(stdout, "or expire_logs_days") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestExplainBinlogIsAskedWrongly(t *testing.T) {
	f := newFakeMySQL(t)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	text := "mysql: {servers: ["
	for _, name := range []string{"a", "b"} {
		text += fmt.Sprintf("{name: %s, address: %s, user: truelag, password: %s, consumers: [%s, %s]}, ",
			name, f.address, fakePassword, placed(t, "both", "{}"), placed(t, "only-"+name, `{"file":"mysql-bin.000004","pos":2171}`))
	}
	if err := os.WriteFile(path, []byte(text+"]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := "--config.file=" + path
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{config, "--consumer=both"}, "several servers are read, so --server is needed: one of a, b"},
		{[]string{config, "--server=c"}, `no server "c" is read, only a, b`},
		{[]string{config, "--server=a", "--consumer=x"}, `server "a" has no consumer "x", only both, only-a`},
		{[]string{config, "--server=a", "--group=g"}, "--server and --group: give one of them"},
		{[]string{config, "--binlog", "--cluster=k"}, "--binlog and --cluster: give one of them"},
		{[]string{config, "--consumer=both", "--no-collector.binlog"}, "--no-collector.binlog: without it no server is read"},
		{[]string{"--kafka.brokers=127.0.0.1:1", "--binlog"}, "no MySQL server is configured"},
	} {
		code, stdout, stderr := runs(t, append([]string{"explain"}, c.args...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
	for server, want := range map[string]string{"a": "caught_up", "b": "caught_up"} {
		if code, stdout, _ := runs(t, "explain", config, "--server="+server, "--consumer=only-"+server, "-o", "json"); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d\n%s", server, code, stdout)
		}
	}
}
