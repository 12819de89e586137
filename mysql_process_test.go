package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/twmb/franz-go/pkg/kgo"
)

const binlogSuccess = `truelag_scrape_collector_success{collector="binlog",server="orders-db"}`

// placed writes a file with a place and returns a consumer that has it.
func placed(t *testing.T, name, place string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(path, []byte(place), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("{name: %s, file: {path: %q}}", name, path)
}

// binlogs writes a configuration of one server and its consumers, and what else there is. On a busy machine, an answer may take longer
// than a scan or a statement has time for by default.
func binlogs(t *testing.T, path string, f *fakeMySQL, more string, consumers ...string) {
	t.Helper()
	binlogsWithin(t, time.Minute, path, f, more, consumers...)
}

// binlogsWithin is binlogs with a time that each step has.
func binlogsWithin(t *testing.T, timeout time.Duration, path string, f *fakeMySQL, more string, consumers ...string) {
	t.Helper()
	text := fmt.Sprintf("mysql:\n  servers:\n    - name: orders-db\n      address: %s\n      user: truelag\n      password: %s\n      interval: 0s\n"+
		"      timeout: %[3]s\n      files_timeout: %[3]s\n      scan: {timeout: %[3]s}\n      consumers: [%[4]s]\n%[5]s",
		f.address, fakePassword, timeout, strings.Join(consumers, ", "), more)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// is says that a consumer's position is worth this, and nothing else.
func (s samples) is(consumer, state string) bool {
	sum := 0.0
	for _, m := range s.families["truelag_binlog_position_state"].GetMetric() {
		if strings.Contains(m.String(), `"`+consumer+`"`) {
			sum += m.GetGauge().GetValue()
		}
	}
	return sum == 1 && s.has(fmt.Sprintf(`truelag_binlog_position_state{consumer=%q,server="orders-db",state=%q}`, consumer, state), 1)
}

// Consumers of every place that needs no other program, of one server and without Kafka.
func TestBinlogWithoutKafka(t *testing.T) {
	f := newFakeMySQL(t)
	connect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := `{"name":"orders","connector":{"state":"RUNNING"},"tasks":[{"id":0,"state":"RUNNING"}],"type":"source"}`
		if strings.HasSuffix(r.URL.Path, "/offsets") { // after the last transaction
			answer = `{"offsets":[{"partition":{"server":"p"},"offset":{"file":"mysql-bin.000004","pos":1935,"gtids":"` + fakeUUID + `:1-28:1000","row":1,"event":3,"server_id":7}}]}`
		}
		_, _ = w.Write([]byte(answer)) // who has gone needs no answer
	}))
	t.Cleanup(connect.Close)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	binlogs(t, path, f, "",
		fmt.Sprintf("{name: connect, connect: {url: %q, connector: orders}}", connect.URL),
		"{name: table, sql: {query: 'SELECT file, pos FROM progress'}}",
		placed(t, "purged", `{"file":"mysql-bin.000001","pos":4}`),
		placed(t, "ahead", `{"file":"mysql-bin.000009","pos":4}`),
		`{name: nobody, file: {path: none.json}}`,
	)
	config := "--config.file=" + path
	p := serving(t, config)
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	s := p.scrape()
	const of = `consumer="connect",server="orders-db"}`
	for key, want := range map[string]float64{
		binlogSuccess:                                                                        1,
		`truelag_mysql_up{server="orders-db"}`:                                               1,
		`truelag_binlog_files{server="orders-db"}`:                                           3,
		`truelag_binlog_file_number{server="orders-db"}`:                                     4,
		`truelag_binlog_position_bytes{server="orders-db"}`:                                  2171,
		`truelag_binlog_size_bytes{server="orders-db"}`:                                      3432 + 260 + 2171,
		`truelag_binlog_gtid_transactions_total{server="orders-db"}`:                         30,
		`truelag_mysql_feature{feature="scan",server="orders-db"}`:                           1,
		`truelag_binlog_lag_bytes{` + of:                                                     2171 - 1935,
		`truelag_binlog_effective_lag_bytes{` + of:                                           0,
		`truelag_binlog_lag_transactions{` + of:                                              0,
		`truelag_binlog_lag_seconds{` + of:                                                   0,
		`truelag_binlog_headroom_files{` + of:                                                2,
		`truelag_binlog_headroom_seconds{` + of:                                              86400,
		`truelag_binlog_consumer_state{` + strings.TrimSuffix(of, "}") + `,state="running"}`: 1,
		`truelag_binlog_lag_bytes{consumer="table",server="orders-db"}`:                      2171 - 1856,
		`truelag_binlog_effective_lag_bytes{consumer="table",server="orders-db"}`:            2171 - 1856,
	} {
		if !s.has(key, want) {
			t.Errorf("%s is %v, want %v", key, s.values[key], want)
		}
	}
	for consumer, state := range map[string]string{"connect": "caught_up", "table": "ok", "purged": "purged", "ahead": "ahead", "nobody": "unknown"} {
		if !s.is(consumer, state) {
			t.Errorf("the position of %s is not %s: %v", consumer, state, s.families["truelag_binlog_position_state"])
		}
	}
	for _, consumer := range []string{"purged", "ahead", "nobody"} {
		if _, there := s.values[fmt.Sprintf(`truelag_binlog_lag_bytes{consumer=%q,server="orders-db"}`, consumer)]; there {
			t.Errorf("%s has a lag", consumer)
		}
	}
	_, body := p.get("/metrics?collect[]=binlog")
	if problems, err := promlint.New(strings.NewReader(body)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
	_, body = p.get("/")
	for _, want := range []string{
		"<h2>Binlogs</h2>", "Each consumer, read", "Lost its place: what it would read next is purged.", "<bdi>binlog</bdi>",
		"Caught up: the 236 bytes after its place hold no transaction that is left to read.", "No Kafka cluster is configured.",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the landing page does not say %q:\n%s", want, body)
		}
	}
	if strings.Contains(body, "<h2>Groups</h2>") {
		t.Error("the landing page tells of groups")
	}
	for _, page := range []string{"/explain", "/explain?group=g", "/explain?group=g&topic=t&partition=0"} {
		if code, body := p.get(page); code != http.StatusNotFound || !strings.Contains(body, "No Kafka cluster is configured, so there is no lag of groups") {
			t.Errorf("%s: %d, %s", page, code, body)
		}
	}

	if _, body = p.get("/explain/binlog?server=orders-db&consumer=table"); !strings.Contains(body, "SELECT file, pos FROM progress") {
		t.Errorf("the query for the place is not among the statements that were sent:\n%s", body)
	}

	f.set(func() { f.denied = []string{"SHOW BINARY LOGS", "SELECT file"} })
	await(t, "what the server does not allow on the landing page", func() bool {
		p.scrape()
		_, body := p.get("/")
		return regexp.MustCompile(`(?s)Lag in bytes and files at MySQL server .*orders-db.*Access denied.*It needs REPLICATION CLIENT\.`).MatchString(body) &&
			strings.Contains(body, "query for the place: a privilege is missing: Error 1227")
	})
	if s := p.scrape(); !s.has(binlogSuccess, 1) || !s.has(`truelag_mysql_feature{feature="files",server="orders-db"}`, 0) {
		t.Errorf("a privilege is missing: success %v, features %v", s.values[binlogSuccess], s.families["truelag_mysql_feature"])
	}

	off := serving(t, config, "--no-collector.binlog")
	other := serving(t, config, "--shard=1/2")
	for why, p := range map[string]*process{`Leave out <span class="flag">--no-collector.binlog.</span>`: off, "Shard 0 reads the MySQL servers.": other} {
		if s := p.scrape(); s.families["truelag_mysql_up"] != nil {
			t.Error("a server is read that another exporter reads, or nobody")
		}
		if _, body := p.get("/"); !strings.Contains(body, why) || strings.Contains(body, "<h2>Binlogs</h2>") {
			t.Errorf("the landing page does not say %q", why)
		}
	}
	for _, p := range []*process{p, off, other} {
		for _, path := range []string{"/", "/metrics", "/config"} {
			if _, body := p.get(path); strings.Contains(body, fakePassword) {
				t.Errorf("%s shows the password", path)
			}
		}
		if strings.Contains(p.stderr.String(), fakePassword) {
			t.Error("the log shows the password")
		}
	}
}

// A server and its consumers outlive a reload that leaves them as they are, and the Kafka cluster that they use.
func TestBinlogOutlivesAReload(t *testing.T) {
	f := newFakeMySQL(t)
	c := broker(t)
	if err := c.CreateTopic("connect-offsets", 3, nil); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	note := func(pos int) {
		t.Helper()
		value := fmt.Sprintf(`{"file":"mysql-bin.000004","pos":%d,"gtids":%q}`, pos, fakeUUID+":1-28:1000")
		record := &kgo.Record{Topic: "connect-offsets", Key: []byte(`["orders",{"server":"p"}]`), Value: []byte(value)}
		if err := client.ProduceSync(t.Context(), record).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	note(1856)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	const topic = "{name: topic, connect_topic: {connector: orders}}"
	kafka := func(more string) string {
		return fmt.Sprintf("kafka: {clusters: [{brokers: [%q]%s}]}\n", c.ListenAddrs()[0], more)
	}
	binlogs(t, path, f, kafka(""), topic)
	p := serving(t, "--config.file="+path)
	const lag = `truelag_binlog_lag_bytes{consumer="topic",server="orders-db"}`
	await(t, "the lag", func() bool { return p.scrape().has(lag, 2171-1856) })
	logins := func() (n int) {
		f.set(func() { n = f.logins })
		return n
	}
	reload := func() {
		t.Helper()
		before := strings.Count(p.stderr.String(), "The configuration is reloaded")
		p.signal(syscall.SIGHUP)
		await(t, "a reload", func() bool { return strings.Count(p.stderr.String(), "The configuration is reloaded") > before })
	}

	before := logins()
	binlogs(t, path, f, kafka("")+"# nothing new\n", topic)
	reload()
	note(1935)
	await(t, "the lag after a reload", func() bool { return p.scrape().has(lag, 2171-1935) })
	scans := 0 // each has a connection of its own
	f.set(func() {
		for _, s := range f.statements {
			if s == "dump" {
				scans++
			}
		}
	})
	if n := logins() - before; n >= scans {
		t.Errorf("there were %d logins with %d scans in all: the connections are not those of before", n, scans)
	}

	binlogs(t, path, f, kafka(", dial_timeout: 1s"), topic) // the topic is in a cluster that is reached in another way
	reload()
	await(t, "the lag once more", func() bool { return p.scrape().has(lag, 2171-1935) })
	binlogs(t, path, f, kafka(""), topic, placed(t, "late", `{"file":"mysql-bin.000002","pos":4}`))
	reload()
	await(t, "the consumer that came later", func() bool {
		return p.scrape().has(`truelag_binlog_lag_files{consumer="late",server="orders-db"}`, 2)
	})
}

// A server that does not answer costs what it would have said, and nothing else.
func TestMySQLThatHangsCostsItsRowsAlone(t *testing.T) {
	f := newFakeMySQL(t)
	f.set(func() { f.hang = make(chan struct{}) })
	c, commit := doubted(t)
	commit("payments", 10)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	place := placed(t, "sink", `{"file":"mysql-bin.000004","pos":4,"state":"running"}`)
	binlogsWithin(t, 2*time.Second, path, f, fmt.Sprintf("kafka: {clusters: [{brokers: [%q]}]}\n", c.ListenAddrs()[0]), place)
	p := serving(t, "--config.file="+path)
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	body := p.within(30 * time.Second)
	s := parsed(t, body)
	if !s.has(kafkaSuccess, 1) || !s.has(binlogSuccess, 0) || !s.has(`truelag_mysql_up{server="orders-db"}`, 0) || !s.is("sink", "unknown") {
		t.Errorf("it says\n%s", body)
	}
	if !s.has(`truelag_group_lag_records{group="payments",partition="0",topic="orders"}`, 0) {
		t.Errorf("the group's lag is missing:\n%s", body)
	}
	await(t, "its error on the landing page", func() bool {
		p.scrape()
		_, body := p.get("/")
		return regexp.MustCompile(`(?s)<bdi>orders-db</bdi></span> <bdi>binlog</bdi>.*failing.*never`).MatchString(body)
	})
	f.set(func() { close(f.hang); f.hang = nil })
	await(t, "the server", func() bool { s := p.scrape(); return s.has(binlogSuccess, 1) && s.is("sink", "ok") })
}
