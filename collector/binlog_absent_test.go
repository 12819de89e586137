package collector_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"truelag/collector"
	"truelag/mysql"
)

// What was not tried, or has no number that can be told, has no sample.
func TestBinlogAbsent(t *testing.T) {
	untried := reading(t, mysql.ConsumerReading{Name: "c", Scan: &mysql.Scan{Stopped: "a place that is not asked for"}})
	untried.Features = []mysql.Feature{{Name: mysql.FeatureFiles}, {Name: mysql.FeatureScan}}
	huge := reading(t)
	huge.Inventory.Files = []mysql.File{{Name: "b.9223372036854775808", Size: 100}}
	unnumbered := reading(t)
	unnumbered.Inventory.Files = []mysql.File{{Name: "binlog-000003.ibb", Size: 100}}
	short := reading(t)
	short.Inventory.Files = []mysql.File{{Name: "b.000001"}}
	for name, of := range map[string]struct {
		says        *mysql.Reading
		want, never string
	}{
		"a scan that nothing was scanned by":      {untried, `mysql_feature{server="db",feature="files"} 1`, `feature="scan"`},
		"a number that no int64 holds":            {huge, `binlog_position_bytes{server="db"} 100`, "binlog_file_number"},
		"a name without a number":                 {unnumbered, `binlog_position_bytes{server="db"} 100`, "binlog_file_number"},
		"a last file whose size is not told":      {short, `binlog_file_number{server="db"} 1`, "binlog_position_bytes"},
		"sizes of which one is not told":          {short, `binlog_files{server="db"} 1`, "binlog_size_bytes"},
		"a consumer that nobody tells a state of": {untried, `binlog_position_state{server="db",consumer="c",state="unknown"} 1`, "binlog_consumer_state"},
	} {
		got := scrapeBinlog(t, &binlogServer{"db", of.says})
		if !strings.Contains(got, of.want) || strings.Contains(got, of.never) {
			t.Errorf("%s: want %s and no %s, got\n%s", name, of.want, of.never, got)
		}
	}
}

// Of a server that could not be read nobody knows what it allows.
func TestBinlogReviewOfServers(t *testing.T) {
	maria := reading(t)
	maria.Flavor, maria.At = mysql.MariaDB, time.Unix(70, 0)
	b, err := collector.NewBinlog(
		&binlogServer{"away", &mysql.Reading{At: time.Unix(50, 0), Err: errors.New("refused"), Features: maria.Features}},
		&binlogServer{"broken", nil}, &binlogServer{"maria", maria},
	)
	must(t, err)
	b.Collect(t.Context())
	r := b.Review()
	if len(r.Servers) != 1 || r.Servers[0].Name != "maria" || !r.Servers[0].MariaDB || len(r.Servers[0].Features) != 4 || !r.At.Equal(time.Unix(50, 0)) {
		t.Errorf("%+v", r)
	}
}
