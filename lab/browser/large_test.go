package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"truelag/web"
)

// TestLargePages looks at what no server of the lab has: hundreds of files of a GiB, names as long as they get, billions of transactions,
// more servers than fit on a page, and errors of many lines.
func TestLargePages(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	must(t, os.MkdirAll(*shots, 0o755))
	all := []*web.BinlogExplanation{large(1, "ok"), large(2, "caught_up"), large(3, "snapshot")}
	var review web.BinlogReview
	for i := range 12 {
		all = append(all, large(i+4, "unknown"))
	}
	for _, e := range all {
		review.Consumers = append(review.Consumers, e.BinlogConsumer)
	}
	review.Read = time.Now()
	pages, err := web.New(web.Config{
		Name: "truelag_exporter", Version: "0.0.0", Build: "none", MetricsPath: "/version",
		Overview: func() web.Overview { return web.Overview{Binlog: &review} },
		Settings: func() string { return "" },
		Ready:    func() error { return nil },
		Binlogs: func(_ context.Context, p web.BinlogPlace) ([]*web.BinlogExplanation, error) {
			var found []*web.BinlogExplanation
			for _, e := range all {
				if (p.Server == "" || p.Server == e.Server) && (p.Consumer == "" || p.Consumer == e.Consumer) {
					found = append(found, e)
				}
			}
			return found, nil
		},
	})
	must(t, err)
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	look(t, ctx, server.URL, func(v *visit) {
		v.open("/")
		v.shoot("large-landing")
		v.open("/explain/binlog")
		v.shoot("large-list")
		for i, e := range all[:4] {
			v.open("/" + e.Link())
			v.expect(`(s => !s || s.scrollWidth <= s.clientWidth)(document.querySelector(".strip"))`)
			v.shoot(fmt.Sprintf("large-%d", i+1))
			v.expect(`[...document.querySelectorAll("details")].every(d => { d.open = true; return d.open })`)
			v.whole()
		}
	})
}

// large is a consumer of a large server.
func large(n int, state string) *web.BinlogExplanation {
	now := time.Now()
	const files, end = 730, 1<<30 + 317
	e := &web.BinlogExplanation{
		BinlogConsumer: web.BinlogConsumer{
			Server: fmt.Sprintf("mysql-orders-production-%d.cluster-c9akciq32rtz.eu-central-1.example.com:3306", n), Consumer: "debezium-orders-production-eu-central-1",
			State: state, Told: "running", Bytes: 430*end + 17, Effective: 430*end + 17, Transactions: 1_234_567_890, Age: 29*24*time.Hour + 7*time.Hour, Headroom: 90 * time.Minute,
		},
		Read: now, Version: "MySQL 8.0.31", Kept: "Kafka Connect at http://connect.data-platform.svc.cluster.local:8083, connector debezium-orders-production-eu-central-1",
		ReadAt: now, Since: now.Add(-29 * 24 * time.Hour), FilesAt: now, SetsAt: now, Clock: now, Expire: 30 * 24 * time.Hour,
		Position: &web.BinlogPosition{File: fmt.Sprintf("mysql-bin-changelog-production.%06d", 998_500+300), Pos: end - 17, GTIDs: "...", Event: 123_456, Row: 78_901},
		Place:    "ok", File: 299, At: end - 17, Rest: 17, Later: 430 * end, Before: 299 * end, LagFiles: 430, HeadroomBytes: 300*end - 17, HeadroomFiles: 299,
		Scans: true, ScanBy: "scan.enabled",
	}
	var set []string
	for i := range 300 {
		set = append(set, fmt.Sprintf("3e11fa47-71ca-11e1-9e33-c80aa9%06d:1-%d:%d-%d", i, 1000*i+7, 2000*i+9, 3000*i+11))
	}
	e.Executed = &web.BinlogSet{N: 98_765_432_101, Text: strings.Join(set, ",\n")}
	e.Consumed, e.Lacked = e.Executed, &web.BinlogSet{N: 1_234_567_890, Text: set[7]}
	for i := range files {
		e.Files = append(e.Files, web.BinlogFile{Name: fmt.Sprintf("mysql-bin-changelog-production.%06d", 998_500+i+1), End: end})
	}
	e.Scan = &web.BinlogScan{After: "transaction", First: now.Add(-e.Age), Kind: "Gtid_tagged_log", GTID: set[7], Events: 1_000_000, Bytes: 16 << 20, Transactions: 1, File: e.Position.File, Pos: end}
	switch state {
	case "caught_up":
		e.Effective, e.Transactions, e.Age, e.Scan.After = 0, 0, 0, "none"
		e.Captures = strings.Split(strings.Repeat("shop_production.orders_2026,", 40)+"shop", ",")
	case "snapshot":
		e.Bytes, e.Effective, e.Transactions, e.Age, e.LagFiles, e.Scan = -1, -1, -1, -1, -1, nil
		e.Position.Snapshot = "INITIAL"
	case "unknown":
		e.Bytes, e.Effective, e.Transactions, e.Age, e.Headroom, e.File = -1, -1, -1, -1, -1, -1
		e.Unread = strings.Repeat("tls: failed to verify certificate: x509: certificate is valid for internal.example.com, not mysql-orders-production; ", 5)
		e.Reason = e.Unread
		e.Files, e.Executed, e.Consumed, e.Lacked, e.Scan = nil, nil, nil, nil, nil
	}
	return e
}
