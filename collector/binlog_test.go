package collector_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kit/log"

	"truelag/collector"
	"truelag/mysql"
)

// binlogServer is a server that says what it is told to.
type binlogServer struct {
	name string
	says *mysql.Reading
}

func (s *binlogServer) Name() string { return s.name }

func (s *binlogServer) Read(context.Context) *mysql.Reading {
	if s.says == nil {
		panic("nothing to say")
	}
	return s.says
}

// scrapeBinlog is the samples of servers, without help and types. Who compares ages calls it in a bubble, where no time passes.
func scrapeBinlog(t *testing.T, servers ...collector.BinlogReader) string {
	t.Helper()
	b, err := collector.NewBinlog(servers...)
	must(t, err)
	set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), b)
	must(t, err)
	w := httptest.NewRecorder()
	set.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics?collect[]=binlog", nil))
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "truelag_exporter_build_info") || strings.HasPrefix(line, "truelag_scrape_collector_duration") {
			continue
		}
		lines = append(lines, strings.TrimPrefix(line, "truelag_"))
	}
	return strings.Join(lines, "\n")
}

func wantLines(t *testing.T, got, want string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if want = strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// states are the samples of a consumer's position_state.
func positionState(labels string, is mysql.State) string {
	var b strings.Builder
	for _, s := range mysql.States() {
		value := " 0\n"
		if s == is {
			value = " 1\n"
		}
		b.WriteString("binlog_position_state{" + labels + `,state="` + s.String() + `"}` + value)
	}
	return b.String()
}

const uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562"

// reading is what a server tells with three files and 400 transactions.
func reading(t *testing.T, consumers ...mysql.ConsumerReading) *mysql.Reading {
	t.Helper()
	executed, err := mysql.MySQL.Parse(uuid + ":1-400")
	must(t, err)
	now := time.Now()
	return &mysql.Reading{
		At: now, Version: "8.0.31",
		Inventory: &mysql.Inventory{
			Files:   []mysql.File{{Name: "b.000008", Size: 1000}, {Name: "b.000009", Size: 2000}, {Name: "b.000010", Size: 812, Encrypted: true}},
			FilesAt: now.Add(-40 * time.Second), SetsAt: now, Executed: &executed,
		},
		Features: []mysql.Feature{
			{Name: mysql.FeatureFiles}, {Name: mysql.FeatureGTIDs}, {Name: mysql.FeatureExpiry}, {Name: mysql.FeatureScan, Err: mysql.ErrDenied},
		},
		Consumers: consumers,
	}
}

func number(n int64) mysql.Number { return mysql.Number{N: n, Known: true} }

func TestBinlogFamilies(t *testing.T) { synctest.Test(t, testBinlogFamilies) }

func testBinlogFamilies(t *testing.T) {
	behind := mysql.ConsumerReading{
		Name: "debezium", Since: time.Now().Add(-5 * time.Second), ScanErr: mysql.ErrDenied,
		Note: mysql.Note{State: "running", Reported: []mysql.Reported{
			{Source: "MilliSecondsBehindSource", Value: -1}, {Source: "odd", Value: math.NaN()}, {Source: "twice", Value: 1}, {Source: "twice", Value: 2},
		}},
		Distance: mysql.Distance{
			State: mysql.OK, Bytes: number(2200), Effective: number(2200), Files: number(1), Transactions: number(3),
			Seconds: mysql.Duration{D: 1500 * time.Millisecond, Known: true}, HeadroomFiles: number(1), HeadroomBytes: number(1100),
			HeadroomSeconds: mysql.Duration{D: time.Hour, Known: true},
		},
	}
	level := mysql.ConsumerReading{
		Name: "maxwell", Since: time.Now(),
		Distance: mysql.Distance{
			State: mysql.CaughtUp, Bytes: number(31), Effective: number(0), Files: number(0), Transactions: number(0),
			Seconds: mysql.Duration{Known: true}, HeadroomFiles: number(2), HeadroomBytes: number(3000),
		},
	}
	lost := mysql.ConsumerReading{
		Name: "canal", Since: time.Now().Add(-time.Hour),
		Note: mysql.Note{State: "being moved"}, Distance: mysql.Distance{State: mysql.Purged},
	}
	unread := mysql.ConsumerReading{Name: `my "sink"`, Err: errors.New("404")}
	server := &binlogServer{"db", reading(t, behind, level, lost, unread)}
	const of = `server="db",consumer=`
	wantLines(t, scrapeBinlog(t, server), `
		binlog_lag_bytes{server="db",consumer="debezium"} 2200
		binlog_lag_bytes{server="db",consumer="maxwell"} 31
		binlog_effective_lag_bytes{server="db",consumer="debezium"} 2200
		binlog_effective_lag_bytes{server="db",consumer="maxwell"} 0
		binlog_lag_files{server="db",consumer="debezium"} 1
		binlog_lag_files{server="db",consumer="maxwell"} 0
		binlog_lag_transactions{server="db",consumer="debezium"} 3
		binlog_lag_transactions{server="db",consumer="maxwell"} 0
		binlog_lag_seconds{server="db",consumer="debezium"} 1.5
		binlog_lag_seconds{server="db",consumer="maxwell"} 0
		binlog_headroom_bytes{server="db",consumer="debezium"} 1100
		binlog_headroom_bytes{server="db",consumer="maxwell"} 3000
		binlog_headroom_files{server="db",consumer="debezium"} 1
		binlog_headroom_files{server="db",consumer="maxwell"} 2
		binlog_headroom_seconds{server="db",consumer="debezium"} 3600
		`+positionState(of+`"debezium"`, mysql.OK)+positionState(of+`"maxwell"`, mysql.CaughtUp)+positionState(of+`"canal"`, mysql.Purged)+
		positionState(of+`"my \"sink\""`, mysql.Unknown)+`
		binlog_position_age_seconds{server="db",consumer="debezium"} 5
		binlog_position_age_seconds{server="db",consumer="maxwell"} 0
		binlog_position_age_seconds{server="db",consumer="canal"} 3600
		binlog_consumer_state{server="db",consumer="debezium",state="running"} 1
		binlog_consumer_state{server="db",consumer="debezium",state="paused"} 0
		binlog_consumer_state{server="db",consumer="debezium",state="stopped"} 0
		binlog_consumer_state{server="db",consumer="debezium",state="failed"} 0
		binlog_consumer_state{server="db",consumer="debezium",state="restarting"} 0
		binlog_consumer_state{server="db",consumer="debezium",state="unassigned"} 0
		binlog_consumer_state{server="db",consumer="debezium",state="missing"} 0
		binlog_consumer_state{server="db",consumer="debezium",state="disconnected"} 0
		binlog_consumer_state{server="db",consumer="canal",state="running"} 0
		binlog_consumer_state{server="db",consumer="canal",state="paused"} 0
		binlog_consumer_state{server="db",consumer="canal",state="stopped"} 0
		binlog_consumer_state{server="db",consumer="canal",state="failed"} 0
		binlog_consumer_state{server="db",consumer="canal",state="restarting"} 0
		binlog_consumer_state{server="db",consumer="canal",state="unassigned"} 0
		binlog_consumer_state{server="db",consumer="canal",state="missing"} 0
		binlog_consumer_state{server="db",consumer="canal",state="disconnected"} 0
		binlog_consumer_state{server="db",consumer="canal",state="being moved"} 1
		binlog_reported_lag{server="db",consumer="debezium",source="MilliSecondsBehindSource"} -1
		binlog_reported_lag{server="db",consumer="debezium",source="twice"} 1
		binlog_reported_lag{server="db",consumer="debezium",source="twice (2)"} 2
		mysql_up{server="db"} 1
		binlog_file_number{server="db"} 10
		binlog_position_bytes{server="db"} 300
		binlog_files{server="db"} 3
		binlog_size_bytes{server="db"} 3812
		binlog_gtid_transactions_total{server="db"} 400
		binlog_view_age_seconds{server="db"} 40
		mysql_feature{server="db",feature="files"} 1
		mysql_feature{server="db",feature="gtids"} 1
		mysql_feature{server="db",feature="expiry"} 1
		mysql_feature{server="db",feature="scan"} 0
		scrape_collector_success{collector="binlog",server="db"} 1
	`)
}

// A server that is away costs its own rows; what its consumers have noted down is told all the same. One that breaks down is
// an error of its own.
func TestBinlogServersFailApart(t *testing.T) { synctest.Test(t, testBinlogServersFailApart) }

func testBinlogServersFailApart(t *testing.T) {
	away := &binlogServer{"away", &mysql.Reading{
		At: time.Now(), Err: errors.New("connection refused"),
		Consumers: []mysql.ConsumerReading{{Name: "c", Since: time.Now(), Note: mysql.Note{State: "failed"}}},
	}}
	empty := reading(t)
	none, err := mysql.MySQL.Parse("")
	must(t, err)
	empty.Features, empty.Inventory = nil, &mysql.Inventory{Files: []mysql.File{}, FilesAt: time.Now(), SetsAt: time.Now(), Executed: &none}
	odd := reading(t)
	odd.Features, odd.Inventory = nil, &mysql.Inventory{Files: []mysql.File{{Name: "binlog-000000.ibb"}}, SetsAt: time.Now().Add(-7 * time.Second)}
	got := scrapeBinlog(t, away, &binlogServer{"broken", nil}, &binlogServer{"empty", empty}, &binlogServer{"odd", odd})
	wantLines(t, got, positionState(`server="away",consumer="c"`, mysql.Unknown)+`
		binlog_position_age_seconds{server="away",consumer="c"} 0
		binlog_consumer_state{server="away",consumer="c",state="running"} 0
		binlog_consumer_state{server="away",consumer="c",state="paused"} 0
		binlog_consumer_state{server="away",consumer="c",state="stopped"} 0
		binlog_consumer_state{server="away",consumer="c",state="failed"} 1
		binlog_consumer_state{server="away",consumer="c",state="restarting"} 0
		binlog_consumer_state{server="away",consumer="c",state="unassigned"} 0
		binlog_consumer_state{server="away",consumer="c",state="missing"} 0
		binlog_consumer_state{server="away",consumer="c",state="disconnected"} 0
		mysql_up{server="away"} 0
		mysql_up{server="empty"} 1
		mysql_up{server="odd"} 1
		binlog_files{server="empty"} 0
		binlog_files{server="odd"} 1
		binlog_size_bytes{server="empty"} 0
		binlog_gtid_transactions_total{server="empty"} 0
		binlog_view_age_seconds{server="empty"} 0
		binlog_view_age_seconds{server="odd"} 7
		scrape_collector_success{collector="binlog",server="away"} 0
		scrape_collector_success{collector="binlog",server="broken"} 0
		scrape_collector_success{collector="binlog",server="empty"} 1
		scrape_collector_success{collector="binlog",server="odd"} 1
	`)
}

// A sum without one of its parts, or that an int64 cannot hold, is no size.
func TestBinlogSize(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		want  string
	}{{[]int64{100, 100}, `{server="db"} 200`}, {[]int64{100, 0}, ""}, {[]int64{math.MaxInt64, 100}, ""}} {
		r := reading(t)
		r.Inventory.Files = nil
		for i, size := range c.sizes {
			r.Inventory.Files = append(r.Inventory.Files, mysql.File{Name: fmt.Sprintf("b.%06d", i), Size: size})
		}
		_, got, found := strings.Cut(scrapeBinlog(t, &binlogServer{"db", r}), "binlog_size_bytes")
		if found != (c.want != "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: want %s, got %.100s", c.sizes, c.want, got)
		}
	}
}

// An event scan that was ended by its budget was made, and works.
func TestBinlogScanThatWasStopped(t *testing.T) {
	r := reading(t, mysql.ConsumerReading{Name: "c", Scan: &mysql.Scan{Events: 3, Stopped: "after 16 MiB"}})
	r.Features = []mysql.Feature{{Name: mysql.FeatureScan}}
	if got, want := scrapeBinlog(t, &binlogServer{"db", r}), `mysql_feature{server="db",feature="scan"} 1`; !strings.Contains(got, want) {
		t.Errorf("want %s, got\n%s", want, got)
	}
}

func TestBinlogReview(t *testing.T) {
	refused := errors.New("refused")
	away := &binlogServer{"away", &mysql.Reading{At: time.Unix(50, 0), Err: refused, Consumers: []mysql.ConsumerReading{{Name: "a"}, {Name: "b", Err: errors.New("404")}}}}
	db := &binlogServer{"db", &mysql.Reading{At: time.Unix(60, 0), Consumers: []mysql.ConsumerReading{{Name: "c"}}}}
	b, err := collector.NewBinlog(away, db)
	must(t, err)
	if r := b.Review(); !r.At.IsZero() || len(r.Consumers) > 0 {
		t.Errorf("before the first round: %+v", r)
	}
	b.Collect(t.Context())
	r := b.Review()
	var got []string
	for _, c := range r.Consumers {
		line := c.Server + " " + c.Name
		if c.Err != nil {
			line += ": " + c.Err.Error()
		}
		got = append(got, line)
	}
	if want := []string{"away a: refused", "away b: 404", "db c"}; !slices.Equal(got, want) || !r.At.Equal(time.Unix(50, 0)) {
		t.Errorf("at %s %q, want %q", r.At, got, want)
	}
	if _, err := collector.NewBinlog(); err == nil {
		t.Error("no server is no error")
	}
	if _, err := collector.NewBinlog(db, db); err == nil {
		t.Error("two servers of one name are no error")
	}
}
