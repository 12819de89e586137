package consumer_test

import (
	"net/http"
	"strings"
	"testing"

	"truelag/mysql/consumer"
)

const (
	set        = "8babf6f6-ec70-11f1-b945-02fc00000001"
	running    = `{"name":"my80","connector":{"state":"RUNNING"},"tasks":[{"id":0,"state":"RUNNING"}],"type":"source"}`
	noOffsets  = `{"offsets":[]}`
	noSuch     = `{"error_code":404,"message":"Connector my80 not found"}`
	noStatus   = `{"error_code":404,"message":"No status found for connector my80"}`
	noResource = `{"error_code":404,"message":"HTTP 404 Not Found"}`
)

// connector is a consumer of a worker that answers so; "" is what it answers to what it does not know.
func connector(t *testing.T, offsets, status answer, server string) *consumer.Connect {
	t.Helper()
	answers := map[string]answer{}
	if offsets != (answer{}) {
		answers["/connectors/my80/offsets"] = offsets
	}
	if status != (answer{}) {
		answers["/connectors/my80/status"] = status
	}
	return ok[*consumer.Connect](t)(consumer.NewConnect(consumer.ConnectConfig{
		Name: "c", URL: serve(t, answers), Connector: "my80", Server: server,
	}))
}

func json(body string) answer { return found([]byte(body)) }

// The answers are those of Kafka Connect 4.4 with Debezium 3.6 (MySQL 8.0) and 3.5 (MariaDB 10.11).
func TestConnectRecorded(t *testing.T) {
	for _, c := range []struct {
		offsets, status string
		want            []string
	}{
		{"running-offsets", "running-status", []string{"place mysql-bin.000001:1522 " + set + ":1-5 event 2 row 3", "state running"}},
		{"snapshot-offsets", "running-status", []string{"place mysql-bin.000001:853 " + set + ":1-3 snapshot INITIAL", "state running"}},
		{"deleted-offsets", "running-status", []string{"state running"}},
		{"again-offsets", "paused-status", []string{"place mysql-bin.000001:1738 " + set + ":1-6", "state paused"}},
		{"running-offsets", "stopped-status", []string{"place mysql-bin.000001:1522 " + set + ":1-5 event 2 row 3", "state stopped"}},
		{"patched-offsets", "died-status", []string{"place mysql-bin.000001:1522 x:1", "state failed",
			"reason java.lang.IllegalArgumentException: Invalid UUID string: x"}},
		{"two-offsets", "purged-status", []string{"place mysql-bin.000001:2096 " + set + ":1-7 event 2 row 1", "state failed",
			"reason io.debezium.DebeziumException: The connector is trying to read change stream starting at BinlogOffsetContext{...}, " +
				"but this is no longer available on the server. Reconfigure the connector to use a snapshot mode when needed.",
			"which server my80b, which has the newest event of my80, my80b"}},
		{"maria-offsets", "running-status", []string{"place mysql-bin.000001:860 0-21241-3 event 2 row 2", "state running"}},
	} {
		t.Run(c.offsets+" "+c.status, func(t *testing.T) {
			offsets, status := testdata(t, "connect-"+c.offsets+".json"), testdata(t, "connect-"+c.status+".json")
			want(t, connector(t, found(offsets), found(status), ""), c.want...)
		})
	}
}

func TestConnectServer(t *testing.T) {
	two := found(testdata(t, "connect-two-offsets.json"))
	want(t, connector(t, two, json(running), "my80"),
		"place mysql-bin.000001:1817 "+set+":1-6 event 2 row 1", "state running", "which server my80, as configured, of my80, my80b")
	want(t, connector(t, two, json(running), "my80c"),
		"state running", "which nothing is noted down for server my80c, only for my80, my80b")
	one := found(testdata(t, "connect-running-offsets.json"))
	want(t, connector(t, one, json(running), "my80"), "place mysql-bin.000001:1522 "+set+":1-5 event 2 row 3", "state running")
	// Without times, as after a PATCH, the files tell: their numbers and not their names.
	want(t, connector(t, json(`{"offsets":[{"partition":{"server":"a"},"offset":{"file":"b.1000000","pos":4}},
		{"partition":{"server":"b"},"offset":{"file":"b.999999","pos":"5"}}]}`), json(running), ""),
		"place b.1000000:4", "state running", "which server a, which has the newest event of a, b")
	// No number is too large for that.
	want(t, connector(t, json(`{"offsets":[{"partition":{"server":"a"},"offset":{"file":"b.9223372036854775809","pos":4}},
		{"partition":{"server":"b"},"offset":{"file":"b.9223372036854775808","pos":5}}]}`), json(running), ""),
		"place b.9223372036854775809:4", "state running", "which server a, which has the newest event of a, b")
}

func TestConnectStates(t *testing.T) {
	const place = "place mysql-bin.000001:1522 " + set + ":1-5 event 2 row 3"
	for name, c := range map[string]struct {
		status string
		want   []string
	}{
		"no task yet": {`{"connector":{"state":"RUNNING"},"tasks":[]}`, []string{"state unassigned", "reason the connector has no task"}},
		"a task failed in a paused connector": {`{"connector":{"state":"PAUSED"},"tasks":[{"state":"FAILED","trace":"a.B: c\n\tat d\nCaused by: e.F: g\n\tat h\nCaused by: i.J: k"}]}`,
			[]string{"state failed", "reason a.B: c; caused by i.J: k"}},
		"the connector failed":  {`{"connector":{"state":"FAILED","trace":"x"},"tasks":[]}`, []string{"state failed", "reason x"}},
		"both failed":           {`{"connector":{"state":"FAILED","trace":"x"},"tasks":[{"state":"FAILED","trace":"y"}]}`, []string{"state failed", "reason x"}},
		"a task is restarted":   {`{"connector":{"state":"RUNNING"},"tasks":[{"state":"RESTARTING"}]}`, []string{"state restarting"}},
		"a task has no worker":  {`{"connector":{"state":"RUNNING"},"tasks":[{"state":"UNASSIGNED"}]}`, []string{"state unassigned"}},
		"no words of a person":  {`{"connector":{"state":"ON\u0000 \"FIRE\""},"tasks":[]}`, []string{"state on_fire"}},
		"a secret in the trace": {`{"connector":{"state":"FAILED","trace":"cannot use database.password=hunter2, jdbc:mysql://u:hunter2@h/"}}`, []string{"state failed", "reason cannot use database.password=***, jdbc:mysql://***@h/"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want = append([]string{place}, c.want...)
			want(t, connector(t, found(testdata(t, "connect-running-offsets.json")), json(c.status), ""), c.want...)
		})
	}
}

func TestConnectMissing(t *testing.T) {
	notFound := func(body string) answer { return answer{http.StatusNotFound, "application/json", body} }
	want(t, connector(t, notFound(noSuch), notFound(noStatus), ""), "state missing")
	// It was made a moment ago.
	want(t, connector(t, json(noOffsets), notFound(noStatus), ""),
		"state unassigned", "reason the worker has no state of the connector yet")
	// It was deleted a moment ago.
	want(t, connector(t, notFound(noSuch), json(running), ""), "state missing")
}

func TestConnectFaults(t *testing.T) {
	offsets := found(testdata(t, "connect-running-offsets.json"))
	for name, c := range map[string]struct {
		offsets, status answer
		want            []string // %s: the URL of the connector
	}{
		"a worker before 3.5": {answer{}, json(running), []string{"state running",
			"error GET %s/offsets: answered 404 Not Found (HTTP 404 Not Found): offsets are told from Kafka Connect 3.5 on, and under the URL of the REST API itself"}},
		"a wrong path": {answer{}, answer{}, []string{
			"left out: GET %s/status: answered 404 Not Found (HTTP 404 Not Found)",
			"error GET %s/offsets: answered 404 Not Found (HTTP 404 Not Found): offsets are told from Kafka Connect 3.5 on, and under the URL of the REST API itself"}},
		"a proxy's 404": {offsets, answer{404, "text/html", "<html>my80 secret"}, []string{"place mysql-bin.000001:1522 " + set + ":1-5 event 2 row 3",
			"left out: GET %s/status: answered 404 Not Found"}},
		"a login page": {answer{200, "text/html", "<html>"}, json(running), []string{"state running",
			"error GET %s/offsets: answered text/html where a Kafka Connect worker answers application/json: is the URL its own, and not a proxy's or login's page?"}},
		"a rebalance": {answer{409, "application/json", `{"error_code":409,"message":"Cannot complete request momentarily due to stale configuration"}`}, json(running),
			[]string{"state running", "error GET %s/offsets: answered 409 Conflict (Cannot complete request momentarily due to stale configuration)"}},
		"refused": {answer{401, "", "secret"}, answer{403, "", "secret"}, []string{
			"left out: GET %s/status: answered 403 Forbidden: credentials are missing or not accepted",
			"error GET %s/offsets: answered 401 Unauthorized: credentials are missing or not accepted"}},
		"another API":    {json(`{"a":1}`), json(`{}`), []string{"left out: GET %s/status: not an answer of Kafka Connect: it has no state of the connector", "error GET %s/offsets: not an answer of Kafka Connect: it has no offsets"}},
		"no JSON":        {json(`{`), json(running), []string{"state running", "error GET %s/offsets: not an answer of Kafka Connect: unexpected end of JSON input"}},
		"for PostgreSQL": {json(`{"offsets":[{"partition":{"server":"p"},"offset":{"lsn":1,"txId":2}}]}`), json(running), []string{"state running", "error GET %s/offsets: offset of server p: neither file and pos nor gtids: is it of a connector for MySQL or MariaDB? it has \"lsn\", \"txId\""}},
		"a sink":         {json(`{"offsets":[{"partition":{"kafka_topic":"t","kafka_partition":0},"offset":{"kafka_offset":1}}]}`), json(running), []string{"state running", "error GET %s/offsets: partition without a server: is it of a connector for MySQL or MariaDB? it has \"kafka_partition\", \"kafka_topic\""}},
		"a bad member":   {json(`{"offsets":[{"partition":{"server":"p"},"offset":{"file":"b.000001","pos":"x","gtids":"a:1"}}]}`), json(running), []string{"place a:1", "state running", "left out: GET %s/offsets: offset of server p: pos: want a whole number, have \"x\"; file \"b.000001\" is without a position"}},
		"a removed one":  {json(`{"offsets":[{"partition":{"server":"p"},"offset":null}]}`), json(running), []string{"state running"}},
	} {
		t.Run(name, func(t *testing.T) {
			answers := map[string]answer{}
			if c.offsets != (answer{}) {
				answers["/base/connectors/my80/offsets"] = c.offsets
			}
			if c.status != (answer{}) {
				answers["/base/connectors/my80/status"] = c.status
			}
			base := serve(t, answers) + "/base/"
			for i := range c.want {
				c.want[i] = strings.ReplaceAll(c.want[i], "%s", base+"connectors/my80")
			}
			want(t, ok[*consumer.Connect](t)(consumer.NewConnect(consumer.ConnectConfig{URL: base, Connector: "my80"})), c.want...)
		})
	}
}
