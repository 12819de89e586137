package consumer_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"truelag/mysql/consumer"
)

func page(body []byte) answer {
	return answer{http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", string(body)}
}

func debezium(t *testing.T, server string, pages ...answer) *consumer.DebeziumPage {
	t.Helper()
	cfg := consumer.DebeziumConfig{Name: "d", Server: server}
	for _, p := range pages {
		cfg.URLs = append(cfg.URLs, serve(t, map[string]answer{"/metrics": p})+"/metrics")
	}
	return ok[*consumer.DebeziumPage](t)(consumer.NewDebeziumPage(cfg))
}

const noFile = "error BinlogPosition is told and BinlogFilename is not: the exporter of JMX wants a rule that makes a label of it, " +
	"see the documentation; the lag that is reported is read all the same"

// The pages are those of JMX exporter 1.0.1 with Debezium 3.6.1: with Debezium's example rules, with none, in lower case, and with a
// rule that makes labels of texts.
func TestDebeziumPageRecorded(t *testing.T) {
	for name, lines := range map[string][]string{
		"debezium":  {"state running", "MilliSecondsBehindSource 0", noFile},
		"default":   {"state running", "MilliSecondsBehindSource 0", noFile},
		"lowercase": {"state running", "MilliSecondsBehindSource 0", noFile},
		"filename":  {"place mysql-bin.000001:1738 " + set + ":1-6", "state running", "MilliSecondsBehindSource 0"},
	} {
		t.Run(name, func(t *testing.T) {
			p := page(testdata(t, "jmx-"+name+".txt"))
			want(t, debezium(t, "", p), lines...)
			want(t, debezium(t, "my80", p), lines...)
			want(t, debezium(t, "my81", p), "state missing", gone)
		})
	}
}

const gone = "reason no process tells metrics of the connector: no task of it runs there"

func TestDebeziumPage(t *testing.T) {
	for name, c := range map[string]struct{ page, want string }{
		"a label of the position": {`debezium_metrics_BinlogPosition{name="s",context="streaming",filename="b.000001"} 4.500013339E9`, "place b.000001:4500013339"},
		"no event yet": {`debezium_metrics_BinlogPosition{name="s"} 4
			debezium_metrics_MilliSecondsBehindSource{name="s"} -1
			debezium_metrics_Connected{name="s"} 0`, "state disconnected"},
		"a snapshot": {`debezium_metrics_SnapshotRunning{name="s",context="snapshot"} 1
			debezium_metrics_BinlogPosition{name="s",context="streaming"} 4
			debezium_metrics_Connected{name="s",context="streaming"} 0`, "place snapshot true\nstate running"},
		"a snapshot beside streaming": {`debezium_metrics_SnapshotRunning{name="s"} 1
			debezium_metrics_BinlogPosition{name="s",filename="b.000001"} 4`, "place b.000001:4\nstate running"},
		"others":                {"debezium_metrics_BinlogPosition{plugin=\"mysql\",name=\"a\"} 1\ndebezium_metrics_BinlogPosition{name=\"b\"} 1", "error metrics of connectors a, b: configure the server (topic.prefix) of one"},
		"another database's":    {"debezium_metrics_MilliSecondsBehindSource{plugin=\"postgres\",name=\"a\"} 1\ndebezium_postgres_connector_metrics_Connected{server=\"a\"} 1", "state missing\n" + gone},
		"another program's":     {"my_BinlogPosition{name=\"a\"} 1", "state missing\n" + gone},
		"an empty page":         {"", "state missing\n" + gone},
		"no number":             {`debezium_metrics_BinlogPosition{name="s",filename="b.000001"} NaN`, `error file "b.000001" is without a position`},
		"a line that is broken": {"debezium_metrics_Connected{name=\"s\"} 1\ndebezium_metrics_BinlogPosition{name=\"s\"", "state running"},
	} {
		t.Run(name, func(t *testing.T) { want(t, debezium(t, "", page([]byte(c.page+"\n"))), c.want) })
	}
}

// A connector's task runs in one of several workers.
func TestDebeziumPages(t *testing.T) {
	ours := page([]byte(`debezium_metrics_BinlogPosition{name="s",filename="b.000001"} 4` + "\n"))
	dead := answer{http.StatusServiceUnavailable, "", ""}
	want(t, debezium(t, "s", page(nil), ours), "place b.000001:4")
	want(t, debezium(t, "s", dead, ours), "place b.000001:4")
	_, err := debezium(t, "s", dead, page(nil)).Read(t.Context())
	if err == nil || !strings.HasSuffix(err.Error(), "/metrics: answered 503 Service Unavailable") {
		t.Error(err) // it may be there
	}
	_, err = debezium(t, "s", answer{http.StatusOK, "text/html", "<html>"}).Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "answered text/html where the JMX exporter answers text/plain") {
		t.Error(err)
	}
	_, err = debezium(t, "s", page([]byte("debezium_metrics_BinlogPosition{name=\"s\" 4\n"))).Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "debezium_metrics_BinlogPosition: text format parsing error in line 1") {
		t.Error(err)
	}
}

func jolokia(t *testing.T, server, body string) *consumer.Jolokia {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/jolokia/" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s, %s", r.Method, r.URL, r.Header.Get("Content-Type"))
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return ok[*consumer.Jolokia](t)(consumer.NewJolokia(consumer.DebeziumConfig{Name: "j", Server: server, URLs: []string{s.URL + "/jolokia"}}))
}

// The answers are those of Jolokia 2.1.2 with Debezium 3.5 on MariaDB 10.11.
func TestJolokiaRecorded(t *testing.T) {
	recorded := func(name string) string { return string(testdata(t, "jolokia-"+name+".json")) }
	for _, server := range []string{"", "ma10"} {
		want(t, jolokia(t, server, recorded("maria")), "place mysql-bin.000001:1092 0-21241-4", "state running", "MilliSecondsBehindSource 133")
	}
	want(t, jolokia(t, "", recorded("start")), "state disconnected")
	want(t, jolokia(t, "nope", recorded("missing")), "state missing", gone)
}

func TestJolokia(t *testing.T) {
	bean := func(name, attributes string) string {
		return `{"status":200,"value":{"debezium.` + name + `":{` + attributes + `}}}`
	}
	const streaming = "mysql:context=streaming,server=s,type=connector-metrics"
	for name, c := range map[string]struct{ body, want string }{
		"no event position": {bean(streaming, `"BinlogFilename":"b.000001","BinlogPosition":4,"GtidSet":"a:1"`), "place b.000001:4 a:1"},
		"with a task":       {bean("mariadb:context=streaming,server=s,task=0,type=connector-metrics", `"BinlogFilename":"b.000001","BinlogPosition":4`), "place b.000001:4"},
		"a quoted server":   {bean(`mysql:context=streaming,server=\"s\",type=connector-metrics`, `"BinlogFilename":"b.000001","BinlogPosition":4`), "place b.000001:4"},
		"of one moment":     {bean(streaming, `"BinlogFilename":"b.000002","BinlogPosition":9,"SourceEventPosition":{"filename":"b.000001","position":"4","gtid":null}`), "place b.000001:4"},
		"a snapshot":        {bean("mysql:context=snapshot,server=s,type=connector-metrics", `"SnapshotRunning":true`), "place snapshot true\nstate running"},
		"no bean":           {`{"status":404,"error_type":"javax.management.InstanceNotFoundException","error":"x"}`, "state missing\n" + gone},
		"a task that starts": {`{"status":404,"error_type":"javax.management.AttributeNotFoundException",` +
			`"error":"No attribute found for any MBean matching debezium.m*:type=connector-metrics,context=*,server=s,* pattern"}`, "state missing\n" + gone},
		"another context": {bean("mysql:context=schema-history,server=s,type=connector-metrics", `"Status":"x"`), "state missing\n" + gone},
		"SQL Server":      {bean("mssql:context=streaming,server=s,type=connector-metrics", `"Connected":true`), "state missing\n" + gone},
		"bad attributes":  {bean(streaming, `"Connected":"x","BinlogFilename":"b.000001","BinlogPosition":"4","GtidSet":["a"],"MilliSecondsBehindSource":{}`), "place b.000001:4\nleft out: GtidSet: want a text, have \"[\\\"a\\\"]\"; MilliSecondsBehindSource: object where something else is due, at byte 1; Connected: string where something else is due, at byte 3"},
	} {
		t.Run(name, func(t *testing.T) { want(t, jolokia(t, "s", c.body), c.want) })
	}
	for body, want := range map[string]string{
		`{"status":403,"error_type":"java.lang.SecurityException","error":"java.lang.SecurityException : No access, password=hunter2"}`: "answered status 403 (java.lang.SecurityException : No access, password=***)",
		`{"status":404,"error_type":"java.lang.UnsupportedOperationException","error":"x"}`:                                             "answered status 404 (x)",
		`[]`: "not an answer of Jolokia: ",
		`{`:  "not an answer of Jolokia: ",
		`{}`: "answered status 0 ()",
	} {
		_, err := jolokia(t, "s", body).Read(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), "POST http://127.0.0.1:") || !strings.Contains(err.Error(), "/jolokia/: "+want) {
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
	for _, server := range []string{"a,b", "a=b", "a*", `a"b`, "a?"} {
		_, err := consumer.NewJolokia(consumer.DebeziumConfig{Server: server, URLs: []string{"http://h"}})
		if err == nil || !strings.Contains(err.Error(), "cannot be a topic prefix") {
			t.Error(server, err)
		}
	}
	if _, err := consumer.NewJolokia(consumer.DebeziumConfig{}); err == nil || err.Error() != "agent of Jolokia: no URL" {
		t.Error(err)
	}
}
