package web

import (
	"fmt"
	"time"
)

const serverA = "3e11fa47-71ca-11e1-9e33-c80aa9429562"

// consumerOf is a consumer in the third of five files, 20 transactions behind.
func consumerOf(change func(*BinlogExplanation)) *BinlogExplanation {
	e := &BinlogExplanation{
		BinlogConsumer: BinlogConsumer{
			Server: "shop-db", Consumer: "debezium", State: "ok", Told: "running",
			Bytes: 2400, Effective: 2400, Transactions: 20, Age: 90 * time.Second, Headroom: 29 * 24 * time.Hour,
		},
		Read: noon, Version: "MySQL 8.0.31", Kept: "Kafka Connect at http://connect:8083, connector shop",
		ReadAt: noon.Add(10 * time.Millisecond), Since: noon.Add(-40 * time.Second),
		Position: &BinlogPosition{File: "binlog.000009", Pos: 600, GTIDs: serverA + ":1-80", Event: 2, Row: 1},
		Reported: []BinlogReport{{"MilliSecondsBehindSource", 120}},
		ServerID: serverA, FilesAt: noon.Add(30 * time.Millisecond), SetsAt: noon.Add(20 * time.Millisecond),
		Clock: noon.Add(21 * time.Millisecond), Expire: 30 * 24 * time.Hour,
		Place: "ok", File: 2, At: 600, Rest: 400, Later: 2000, Before: 2000,
		LagFiles: 2, HeadroomBytes: 2600, HeadroomFiles: 2,
		Executed: &BinlogSet{100, serverA + ":1-100"}, Consumed: &BinlogSet{80, serverA + ":1-80"},
		Lacked: &BinlogSet{20, serverA + ":81-100"}, Gone: &BinlogSet{}, Extra: &BinlogSet{},
		Scans: true, ScanBy: "scan.enabled",
		Scan: &BinlogScan{After: "transaction", First: noon.Add(-90 * time.Second), Kind: "Gtid", GTID: serverA + ":81", Events: 4, Bytes: 311,
			Transactions: 1, File: "binlog.000009", Pos: 911},
		Statements: []BinlogStatement{
			{Text: "SELECT @@global.gtid_executed AS gtid_executed", At: noon.Add(20 * time.Millisecond), Took: time.Millisecond},
			{Text: "SHOW BINARY LOGS", At: noon.Add(30 * time.Millisecond), Took: 2 * time.Millisecond},
			{Consumer: "debezium", Text: "COM_BINLOG_DUMP from binlog.000009:600, not blocking", At: noon.Add(40 * time.Millisecond), Took: time.Millisecond},
			{Consumer: "other", Text: "COM_BINLOG_DUMP from binlog.000007:4, not blocking", At: noon.Add(50 * time.Millisecond), Took: time.Millisecond},
		},
	}
	for i := range 5 {
		e.Files = append(e.Files, BinlogFile{Name: fmt.Sprintf("binlog.%06d", i+7), End: 1000})
	}
	if change != nil {
		change(e)
	}
	if e.Position != nil {
		own := *e.Position
		e.Position = &own
	}
	return e
}

// lost takes away what is not known of a consumer that has no place at the server.
func lost(state, place string, p *BinlogPosition) func(*BinlogExplanation) {
	return func(e *BinlogExplanation) {
		e.State, e.Place, e.Position = state, place, p
		e.Bytes, e.Effective, e.Transactions, e.Age, e.Headroom = -1, -1, -1, -1, -1
		e.File, e.At, e.Rest, e.Later, e.Before = -1, -1, -1, -1, -1
		e.LagFiles, e.HeadroomBytes, e.HeadroomFiles = -1, -1, -1
		e.Scan, e.Reported = nil, nil
		e.Consumed, e.Lacked, e.Gone, e.Extra = nil, nil, nil, nil
	}
}

// then makes further changes.
func then(changes ...func(*BinlogExplanation)) func(*BinlogExplanation) {
	return func(e *BinlogExplanation) {
		for _, change := range changes {
			change(e)
		}
	}
}

var binlogCases = []struct {
	name   string
	exit   int
	change func(*BinlogExplanation)
}{
	{"ok", 1, nil},
	{"ok-failed", 1, func(e *BinlogExplanation) { e.Told, e.Reason = "failed", "Communications link failure." }},
	{"ok-in-a-transaction", 1, func(e *BinlogExplanation) {
		e.Scan = &BinlogScan{After: "rest", First: noon.Add(-90 * time.Second), Events: 9, Bytes: 400, Transactions: 1, File: "binlog.000009", Pos: 1000}
	}},
	{"ok-dated-to-come", 1, func(e *BinlogExplanation) {
		e.Age, e.Scan.First = -1, noon.Add(24*time.Hour)
	}},
	{"ok-scan-off", 1, func(e *BinlogExplanation) {
		e.Scans, e.Scan, e.Effective, e.Age = false, nil, -1, -1
	}},
	{"ok-scan-stopped", 1, func(e *BinlogExplanation) {
		e.Scan, e.Effective, e.Age = &BinlogScan{After: "unread", Stopped: "after 16777216 bytes"}, -1, -1
	}},
	{"ok-scan-refused", 1, func(e *BinlogExplanation) {
		e.Scan, e.Effective, e.Age = nil, -1, -1
		e.ScanError = "read the binlog from binlog.000009:600: error 1227: access denied"
		e.Lacking = []BinlogLack{{"scan", e.ScanError}}
	}},
	{"ok-by-set", 1, func(e *BinlogExplanation) {
		lost("ok", "unknown", &BinlogPosition{GTIDs: serverA + ":1-80"})(e)
		e.Transactions = 20
		e.Consumed, e.Lacked = &BinlogSet{80, serverA + ":1-80"}, &BinlogSet{20, serverA + ":81-100"}
		e.Gone, e.Extra = &BinlogSet{}, &BinlogSet{}
	}},
	{"ok-by-set-scanned", 1, func(e *BinlogExplanation) {
		scan := e.Scan
		lost("ok", "unknown", &BinlogPosition{GTIDs: serverA + ":1-80"})(e)
		e.Transactions, e.Effective, e.Age, e.Scan = 20, 2400, 90*time.Second, scan
		e.Consumed, e.Lacked = &BinlogSet{80, serverA + ":1-80"}, &BinlogSet{20, serverA + ":81-100"}
		e.Gone, e.Extra = &BinlogSet{}, &BinlogSet{}
	}},
	{"ok-soon-purged", 1, func(e *BinlogExplanation) { e.Headroom = 90 * time.Minute }},
	{"ok-soon-purged-paused", 1, func(e *BinlogExplanation) { e.Headroom, e.Told = 0, "paused" }},
	{"ok-stands-still", 1, func(e *BinlogExplanation) {
		e.Age, e.Scan.First, e.Since = 5*time.Minute, noon.Add(-5*time.Minute), noon.Add(-10*time.Minute)
	}},
	{"ok-stands-still-captures", 1, func(e *BinlogExplanation) {
		e.Age, e.Scan.First, e.Since = 10*time.Minute, noon.Add(-10*time.Minute), noon.Add(-5*time.Minute)
		e.Captures = []string{"shop"}
	}},
	{"ok-never-purged", 1, func(e *BinlogExplanation) { e.Expire, e.Headroom = 0, -1 }},
	{"ok-retention", 1, func(e *BinlogExplanation) {
		e.Expire, e.Headroom, e.ExpireBy = 7*24*time.Hour, 24*time.Hour, "retention"
	}},
	{"ok-woke-up", 1, func(e *BinlogExplanation) { e.Since = noon.Add(-10 * time.Minute) }},
	{"ok-huge", 1, func(e *BinlogExplanation) {
		for i := range e.Files {
			e.Files[i].End = 1 << 30
		}
		e.At, e.Rest, e.Later, e.Before = 1<<29, 1<<29, 2<<30, 2<<30
		e.Bytes, e.Effective, e.HeadroomBytes = 5<<29, 5<<29, 5<<29
	}},
	{"ok-without-sets", 1, func(e *BinlogExplanation) {
		e.Transactions, e.Position.GTIDs = -1, ""
		e.Consumed, e.Lacked, e.Gone, e.Extra = nil, nil, nil, nil
	}},
	{"ok-handled", 1, func(e *BinlogExplanation) {
		e.Transactions, e.Passed, e.Scan.GTID = 19, true, serverA+":82"
	}},
	{"ok-set-ahead", 1, func(e *BinlogExplanation) {
		e.Transactions, e.Preceded, e.Scan.GTID, e.Scan.Kind = 21, true, "", "Query"
	}},
	{"ok-files-hang", 1, func(e *BinlogExplanation) {
		e.FilesAt, e.FilesAsked = noon.Add(-5*time.Minute), noon.Add(-4*time.Minute)
		e.Lacking = []BinlogLack{{"files", "SHOW BINARY LOGS was not answered in 4m0s"}}
	}},
	{"ok-began-later", 1, func(e *BinlogExplanation) {
		e.Lacked, e.Gone = &BinlogSet{30, serverA + ":1-10:81-100"}, &BinlogSet{10, serverA + ":1-10"}
		e.Ambiguous = true
	}},
	{"caught_up", 0, func(e *BinlogExplanation) {
		e.State, e.Bytes, e.Effective, e.Transactions, e.Age = "caught_up", 0, 0, 0, 0
		e.File, e.At, e.Rest, e.Later, e.Before = 4, 1000, 0, 0, 4000
		e.LagFiles, e.HeadroomBytes, e.HeadroomFiles, e.Headroom = 0, 5000, 4, e.Expire
		e.Position = &BinlogPosition{File: "binlog.000011", Pos: 1000}
		e.Consumed, e.Lacked = e.Executed, &BinlogSet{}
		e.Scan = &BinlogScan{After: "none", File: "binlog.000011", Pos: 1000, Cached: true}
	}},
	{"caught_up-at-rest", 0, func(e *BinlogExplanation) {
		e.State, e.Effective, e.Transactions, e.Age = "caught_up", 0, 0, 0
		e.Scan = &BinlogScan{After: "none", Events: 12, Bytes: 2400, Transactions: 3, Skipped: 2, File: "binlog.000011", Pos: 1000}
	}},
	{"caught_up-captures", 0, func(e *BinlogExplanation) {
		e.State, e.Effective, e.Transactions, e.Age = "caught_up", 0, 0, 0
		e.Captures = []string{"shop", "crm.people"}
		e.Scan = &BinlogScan{After: "none", Events: 6, Bytes: 2400, Transactions: 1, Skipped: 1, File: "binlog.000011", Pos: 1000}
	}},
	{"caught_up-by-set", 0, then(lost("caught_up", "unknown", &BinlogPosition{GTIDs: serverA + ":1-100"}), func(e *BinlogExplanation) {
		e.Effective, e.Transactions, e.Age = 0, 0, 0
		e.Consumed, e.Lacked = e.Executed, &BinlogSet{}
	})},
	{"purged", 4, lost("purged", "purged", &BinlogPosition{File: "binlog.000004", Pos: 500})},
	{"purged-paused", 4, then(lost("purged", "purged", &BinlogPosition{File: "binlog.000004", Pos: 500}), func(e *BinlogExplanation) { e.Told = "paused" })},
	{"purged-stopped", 4, then(lost("purged", "purged", &BinlogPosition{File: "binlog.000004", Pos: 500}), func(e *BinlogExplanation) { e.Told = "stopped" })},
	{"purged-set", 4, then(lost("purged", "unknown", &BinlogPosition{GTIDs: serverA + ":1-5"}), func(e *BinlogExplanation) {
		e.Consumed = &BinlogSet{5, serverA + ":1-5"}
		e.Lacked, e.Gone = &BinlogSet{95, serverA + ":6-100"}, &BinlogSet{35, serverA + ":6-40"}
	})},
	{"purged-by-hand", 4, then(lost("purged", "purged", &BinlogPosition{File: "binlog.000008", Pos: 500}), func(e *BinlogExplanation) {
		e.Files[2].End = -1
	})},
	{"purged-by-hand-there", 4, then(lost("purged", "purged", &BinlogPosition{File: "binlog.000009", Pos: 500}), func(e *BinlogExplanation) {
		e.Files[0].End, e.Files[2].End, e.Files[4].End = -1, -1, -1
	})},
	{"ahead", 4, lost("ahead", "ahead", &BinlogPosition{File: "binlog.000011", Pos: 4000})},
	{"ahead-file", 4, lost("ahead", "ahead", &BinlogPosition{File: "binlog.000014", Pos: 4})},
	{"ahead-set", 4, then(lost("ahead", "unknown", &BinlogPosition{GTIDs: serverA + ":1-103"}), func(e *BinlogExplanation) {
		e.Consumed = &BinlogSet{103, serverA + ":1-103"}
		e.Lacked, e.Extra = &BinlogSet{}, &BinlogSet{3, serverA + ":101-103"}
	})},
	{"foreign", 4, lost("foreign", "foreign", &BinlogPosition{File: "mysql-bin.000004", Pos: 500})},
	{"foreign-server", 4, lost("foreign", "foreign", &BinlogPosition{File: "binlog.000009", Pos: 500, Server: "4f22fa47-71ca-11e1-9e33-c80aa9429562"})},
	{"invalid", 4, lost("invalid", "invalid", &BinlogPosition{File: "binlog.9", Pos: 500})},
	{"invalid-negative", 4, lost("invalid", "invalid", &BinlogPosition{File: "binlog.000009", Pos: -1})},
	{"invalid-no-event", 4, func(e *BinlogExplanation) {
		scan := &BinlogScan{After: "no_event", File: "binlog.000009", Pos: 600}
		lost("invalid", "ok", e.Position)(e)
		e.File, e.At, e.Rest, e.Later, e.Before, e.Scan = 2, 600, 400, 2000, 2000, scan
	}},
	{"snapshot", 1, func(e *BinlogExplanation) {
		e.State, e.Position.Snapshot, e.Scan = "snapshot", "INITIAL", nil
		e.Bytes, e.Effective, e.Transactions, e.Age, e.LagFiles = -1, -1, -1, -1, -1
	}},
	{"snapshot-purged", 1, lost("snapshot", "purged", &BinlogPosition{File: "binlog.000004", Pos: 500, Snapshot: "INITIAL"})},
	{"snapshot-failed", 1, func(e *BinlogExplanation) {
		e.State, e.Position.Snapshot, e.Scan = "snapshot", "INITIAL", nil
		e.Bytes, e.Effective, e.Transactions, e.Age, e.LagFiles = -1, -1, -1, -1, -1
		e.Told, e.Reason = "failed", "Communications link failure"
	}},
	{"no_position", 3, lost("no_position", "unknown", nil)},
	{"no_position-left-out", 3, then(lost("no_position", "unknown", nil), func(e *BinlogExplanation) {
		e.Told, e.LeftOut = "", "GET http://connect:8083/connectors/shop/status: answered 403 Forbidden: credentials are missing or not accepted"
	})},
	{"no_position-missing", 3, then(lost("no_position", "unknown", nil), func(e *BinlogExplanation) {
		e.Told = "missing"
		e.Statements[0].Err = "Error 1193 (HY000): Unknown system variable 'server_uuid'" // and asked for the others
	})},
	{"no_position-which", 3, then(lost("no_position", "unknown", nil), func(e *BinlogExplanation) {
		e.Which, e.Told = `nothing is noted down for server "shop", only for "shop2"`, "paused"
	})},
	{"no_position-reports", 3, then(lost("no_position", "unknown", nil), func(e *BinlogExplanation) {
		e.Told, e.Since, e.ReportsAlone = "", time.Time{}, true
		e.Reported = []BinlogReport{{"currentFetchEventTimeLag", 12}, {"sourceIdleTime", 1200}}
	})},
	{"unknown-place", 3, then(lost("unknown", "unknown", nil), func(e *BinlogExplanation) {
		e.Failure, e.Told, e.Since = "GET http://connect:8083/connectors/shop/offsets: answered 404 Not Found", "", time.Time{}
	})},
	{"unknown-server", 3, then(lost("unknown", "unknown", &BinlogPosition{File: "binlog.000009", Pos: 600}), func(e *BinlogExplanation) {
		e.Unread, e.Version, e.ServerID, e.Files = "db:3306: connect: connection refused", "", "", nil
		e.Executed, e.FilesAt, e.SetsAt, e.Clock, e.Statements = nil, time.Time{}, time.Time{}, time.Time{}, nil
	})},
	{"unknown-no-binlog", 3, then(lost("unknown", "unknown", &BinlogPosition{File: "binlog.000009", Pos: 600}), func(e *BinlogExplanation) {
		e.Files, e.Executed = []BinlogFile{}, nil
		e.Lacking = []BinlogLack{{"files", "the server writes no binlog"}}
	})},
	{"unknown-denied", 3, then(lost("unknown", "unknown", &BinlogPosition{File: "binlog.000009", Pos: 600}), func(e *BinlogExplanation) {
		e.Files, e.FilesAt = nil, time.Time{}
		e.Lacking = []BinlogLack{{"files", "SHOW BINARY LOGS: error 1227: access denied"}, {"expiry", "the server has no variable"}}
		e.Statements[1].Err = "error 1227: access denied"
	})},
	{"unknown-extra", 3, then(lost("unknown", "ok", &BinlogPosition{File: "binlog.000009", Pos: 600, GTIDs: serverA + ":1-102"}), func(e *BinlogExplanation) {
		e.Consumed, e.Lacked, e.Extra = &BinlogSet{102, serverA + ":1-102"}, &BinlogSet{}, &BinlogSet{2, serverA + ":101-102"}
	})},
	{"unknown-size", 3, then(lost("unknown", "unknown", &BinlogPosition{File: "binlog.000009", Pos: 600}), func(e *BinlogExplanation) {
		e.Files[2].End = -1
	})},
}
