package consumer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"truelag/mysql"
	"truelag/mysql/consumer"
)

// What is wrong with an answer is told in a length that fits a log and a page, however much of it is wrong.
func TestWrongsAreToldBriefly(t *testing.T) {
	rows := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	numbered := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return strings.Join(all, ",")
	}
	long := strings.Repeat("9", 200_000)
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/"+strings.Repeat("a", 100_000))
		w.WriteHeader(http.StatusFound)
	}))
	defer redirecting.Close()
	for name, c := range map[string]mysql.Consumer{
		"clients of Canal":    canal(t, `{"destination":"d","clientDatas":[`+rows(1000, "1")+`]}`, "", 0),
		"too many of them":    canal(t, `{"destination":"d","clientDatas":[`+rows(2_000_000, "1")+`]}`, "", 0),
		"ids of clients":      canal(t, `{"destination":"d","clientDatas":[`+numbered(1000, `{"clientIdentity":{"clientId":%d}}`)+`]}`, "", 0),
		"offsets":             connector(t, json(`{"offsets":[`+rows(50_000, `{"partition":1,"offset":{}}`)+`]}`), json(`{}`), ""),
		"lines of a page":     debezium(t, "", page([]byte(strings.Repeat("debezium_metrics_BinlogPosition{name=\"x\"} "+long+"x\n", 20)))),
		"names in a page":     debezium(t, "", page([]byte(strings.Repeat("debezium"+long+"_BinlogPosition{name=\"x\"} x\n", 20)))),
		"a snapshot's word":   connector(t, json(`{"offsets":[{"partition":{},"offset":{"file":"b.000001","pos":4,"snapshot":"`+long+`"}}]}`), json(`{}`), ""),
		"connectors":          jolokia(t, "", `{"status":200,"value":{`+numbered(20_000, `"debezium.mysql:type=connector-metrics,context=streaming,server=s%d":{}`)+`}}`),
		"attributes of beans": jolokia(t, "s", `{"status":200,"value":{`+numbered(20_000, `"debezium.mysql:type=connector-metrics,context=streaming,server=s,task=%d":{"BinlogFilename":1}`)+`}}`),
		"a redirect":          ok[*consumer.Connect](t)(consumer.NewConnect(consumer.ConnectConfig{URL: redirecting.URL, Connector: "c"})),
	} {
		text := told(c.Read(t.Context()))
		if len(text) > 8<<10 || !strings.Contains(text, "error") && !strings.Contains(text, "left out") {
			t.Errorf("%s: %d bytes: %.600s", name, len(text), text)
		}
	}
}

// What is wrong with the whole, or with the part that counts, is told, however many other parts are wrong.
func TestWrongOfTheWholeIsTold(t *testing.T) {
	parts := strings.Repeat("1,", 50)
	lines := strings.Repeat("debezium_metrics_BinlogPosition{name=\"s\"} x\n", 50)
	for want, c := range map[string]mysql.Consumer{
		"it has clients 1, 2: configure the client id of one": canal(t,
			`{"destination":"d","clientDatas":[`+parts+`{"clientIdentity":{"clientId":1}},{"clientIdentity":{"clientId":2}}]}`, "", 0),
		"client 1: cursor without a place": canal(t,
			`{"destination":"d","clientDatas":[`+parts+`{"clientIdentity":{"clientId":1},"cursor":{"position":{}}}]}`, "", 0),
		"a line of more than ": debezium(t, "s", page([]byte(lines+"debezium_metrics_BinlogPosition{name=\"s\",x=\""+strings.Repeat("x", 3<<20)))),
	} {
		if text := told(c.Read(t.Context())); !strings.Contains(text, want) || !strings.Contains(text, "more such errors") {
			t.Errorf("%q is not told: %.1200s", want, text)
		}
	}
}
