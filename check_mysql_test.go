package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/mysql"
)

// The probe says what the user lacks, and which consumers have no place.
func TestCheckConfigProbesMySQL(t *testing.T) {
	const lacks = "LACKS  "
	tests := []struct {
		name   string
		change func(*fakeMySQL)
		place  string
		lacks  int
		want   []string
	}{
		{name: "all is well", place: `{"file":"mysql-bin.000004","pos":1856,"gtids":"` + fakeUUID + `:1-28:1000"}`, want: []string{
			"(a user that may log in): MySQL 8.0.31.\n",
			"ok     files: lag in bytes and files (REPLICATION CLIENT): 3, the last being mysql-bin.000004.\n",
			"ok     gtids: lag in transactions (no privilege): 30 in the server's set.\n",
			"ok     expiry: when files are purged (no privilege): 24h after they were last written to.\n",
			"ok     scan: effective lag and its age (REPLICATION SLAVE): it works.\n",
			`ok     consumer "sink" (a place that is told, and that the server still has): mysql-bin.000004:1856 with a GTID set, ok.` + "\n",
		}},
		{name: "no privilege", place: `{"file":"mysql-bin.000004","pos":1856,"gtids":"` + fakeUUID + `:1-28:1000"}`, lacks: 1,
			change: func(f *fakeMySQL) { f.denied = []string{"SHOW BINARY LOGS", "dump"} },
			want:   []string{lacks + "files: lag in bytes and files (REPLICATION CLIENT): ", "not tried"}},
		{name: "no scan", place: `{"file":"mysql-bin.000004","pos":1856}`, lacks: 1,
			change: func(f *fakeMySQL) { f.denied = []string{"dump"} },
			want:   []string{lacks + "scan: effective lag and its age (REPLICATION SLAVE): ", "its events are not read"}},
		{name: "purged", place: `{"file":"mysql-bin.000001","pos":4}`, lacks: 1, want: []string{lacks + `consumer "sink"`, "mysql-bin.000001:4, purged: mysql-bin.000001 is not among the server's files any more, which begin at mysql-bin.000002: "}},
		{name: "ahead", place: `{"file":"mysql-bin.000004","pos":99999}`, lacks: 1, want: []string{"ahead: The place mysql-bin.000004:99999 is past what the server has written: "}},
		{name: "another one's transactions", place: `{"gtids":"11111111-2222-11f1-9417-02fc00000001:1-5"}`, lacks: 1,
			want: []string{"with a GTID set, unknown: The consumer has read 5 transactions that the server does not have"}},
		{name: "no set", place: `{"gtids":"0-1-5"}`, lacks: 1,
			want: []string{lacks + `consumer "sink"`, "with a GTID set, unknown: The consumer's GTID set is none of mysql: GTID set, byte 0: "}},
		{name: "a place beside no set", place: `{"file":"mysql-bin.000004","pos":1856,"gtids":"0-1-5"}`, lacks: 1,
			want: []string{"mysql-bin.000004:1856 with a GTID set, ok; the consumer's GTID set is none of mysql: "}},
		{name: "failed", place: `{"file":"mysql-bin.000004","pos":2171,"state":"FAILED","reason":"no space left"}`, lacks: 1,
			want: []string{lacks + `consumer "sink"`, "it is failed; no space left"}},
		{name: "nothing yet", place: `{"file":null}`, want: []string{`ok     consumer "sink"`, "it has noted nothing down yet"}},
		{name: "a place for terminals", place: `{"file":"mysql-bin.000004","pos":2171,"snapshot":"a\u001b]0;b"}`, want: []string{"in a snapshot (a?]0;b)"}},
		{name: "no JSON", place: `{`, lacks: 1, want: []string{lacks + `consumer "sink"`}},
		{name: "another password", place: `{"file":"mysql-bin.000004","pos":2171}`, lacks: 2,
			change: func(f *fakeMySQL) { f.refuse = true }, want: []string{lacks + "server at 127.0.0.1:", "connect: Error ", "unknown, as the server could not be read.\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeMySQL(t)
			if tt.change != nil {
				f.set(func() { tt.change(f) })
			}
			path := filepath.Join(t.TempDir(), "truelag.yml")
			binlogs(t, path, f, "", placed(t, "sink", tt.place))
			code, stdout, stderr := runs(t, "check-config", "--probe", "--config.file="+path)
			if !strings.Contains(stdout, "MySQL servers: 1\n") || strings.Contains(stdout+stderr, fakePassword) || strings.Contains(stdout+stderr, "\x1b") {
				t.Errorf("it says\n%s%s", stdout, stderr)
			}
			_, said, _ := strings.Cut(stdout, "\nMySQL server \"orders-db\":\n")
			for _, want := range tt.want {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q:\n%s", want, said)
				}
			}
			if n := strings.Count(said, "GTID set is none of mysql"); n > 1 {
				t.Errorf("what is wrong with the set is said %d times:\n%s", n, said)
			}
			if got := strings.Count(said, lacks); got != tt.lacks || (got > 0) != strings.Contains(stderr, `mysql server "orders-db": `) || (got > 0) != (code == 1) {
				t.Errorf("%d features lack something, want %d; exit code %d\n%s%s", got, tt.lacks, code, said, stderr)
			}
		})
	}
}

// Why no events were read is told of a server that would not be scanned in any case.
func TestProbeOfScans(t *testing.T) {
	for _, tt := range []struct {
		flavor  mysql.Flavor
		mariadb bool // scan.mariadb
		want    string
	}{
		{mysql.MariaDB, false, "switched off, as MariaDB logs each scan: scan.mariadb: true switches it on"},
		{mysql.MariaDB, true, "not tried: no consumer's place is known to be in the server's files"},
		{mysql.MySQL, false, "not tried: no consumer's place is known to be in the server's files"},
	} {
		p := mysqlProbe{mysqlServer: &mysqlServer{}, read: &mysql.Reading{Flavor: tt.flavor, Inventory: &mysql.Inventory{}}}
		p.config.Scan.MariaDB = tt.mariadb
		if said := p.works(mysql.FeatureScan); said != tt.want {
			t.Errorf("flavor %v, scan.mariadb %v: %q, want %q", tt.flavor, tt.mariadb, said, tt.want)
		}
	}
}

// A connector's name that is misspelt is one that Kafka Connect does not know.
func TestProbeOfAMissingConnector(t *testing.T) {
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error_code":404,"message":"Connector ordrs not found"}`)
	}))
	defer worker.Close()
	path := filepath.Join(t.TempDir(), "truelag.yml")
	binlogs(t, path, newFakeMySQL(t), "", fmt.Sprintf("{name: sink, connect: {url: %q, connector: ordrs}}", worker.URL))
	const want = `it is missing: Kafka Connect has no connector "ordrs".` + "\n"
	if code, stdout, stderr := runs(t, "check-config", "--probe", "--config.file="+path); code != 1 || !strings.Contains(stdout, want) {
		t.Errorf("it does not say %q:\n%s%s", want, stdout, stderr)
	}
}

// A topic does not tell which connectors there are, but which have noted something down.
func TestProbeOfAMissingRecord(t *testing.T) {
	cluster := broker(t, kfake.SeedTopics(1, "connect-offsets"))
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	record := &kgo.Record{Topic: "connect-offsets", Key: []byte(`["orders",{"server":"s"}]`), Value: []byte(`{"file":"mysql-bin.000004","pos":2171}`)}
	if err := client.ProduceSync(t.Context(), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "truelag.yml")
	kafka := fmt.Sprintf("kafka:\n  clusters: [{name: c, brokers: [%q]}]\n", cluster.ListenAddrs()[0])
	binlogs(t, path, newFakeMySQL(t), kafka, "{name: sink, connect_topic: {connector: ordrs}}")
	const want = `LACKS  consumer "sink" (a place that is told, and that the server still has): the topic has no offset of a connector ordrs, only of orders.` + "\n"
	if code, stdout, stderr := runs(t, "check-config", "--probe", "--config.file="+path); code != 1 || !strings.Contains(stdout, want) {
		t.Errorf("it does not say %q:\n%s%s", want, stdout, stderr)
	}
}

// A connector whose topic prefix was changed may have noted down nothing under the one that is configured.
func TestProbeOfAnotherPrefix(t *testing.T) {
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"connector": {"state": "RUNNING"}, "tasks": [{"state": "RUNNING"}]}`
		if strings.HasSuffix(r.URL.Path, "/offsets") {
			answer = `{"offsets": [{"partition": {"server": "old"}, "offset": {"file": "mysql-bin.000004", "pos": 2171}}]}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	defer worker.Close()
	path := filepath.Join(t.TempDir(), "truelag.yml")
	binlogs(t, path, newFakeMySQL(t), "", fmt.Sprintf("{name: sink, connect: {url: %q, connector: c, server: new}}", worker.URL))
	const want = `LACKS  consumer "sink" (a place that is told, and ` + "that the server still has): nothing is noted down for server new, only for old.\n"
	if _, stdout, stderr := runs(t, "check-config", "--probe", "--config.file="+path); !strings.Contains(stdout, want) {
		t.Errorf("it does not say %q:\n%s%s", want, stdout, stderr)
	}
}
