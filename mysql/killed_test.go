package mysql

import (
	"testing"
	"time"
)

// A MariaDB that was killed while it was idle leaves the active file as old as its last event, and purges it by that: that the file was seen
// being the active one later says nothing then. One that was ended in good order, or rotates, writes an event that ends the file.
func TestHeadroomAfterAKill(t *testing.T) {
	clock := time.Date(2020, 2, 2, 2, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		version string
		size    uint64 // of the file, once the next one is there
		want    Duration
	}{
		"MariaDB killed":  {"10.11.19-MariaDB", 388, Duration{}},
		"MariaDB rotates": {"10.11.19-MariaDB", 435, lasting(24 * time.Hour)},
		"MySQL killed":    {"8.0.31", 388, lasting(24 * time.Hour)}, // it marks the file as closed when it starts again
	} {
		f := fake(t)
		f.version = c.version
		f.variables["UTC_TIMESTAMP(6)"] = clock.Format("2006-01-02 15:04:05.000000")
		f.variables["gtid_binlog_pos"], f.variables["purged"] = "0-1-50", "0-1-20"
		f.variables["gtid_executed"], f.variables["gtid_purged"] = "", ""
		f.variables["binlog_expire_logs_seconds"], f.variables["expire_logs_days"] = "86400", "1"
		f.rows = [][]any{{"binlog.000001", uint64(900), "No"}, {"binlog.000002", uint64(388), "No"}}
		s := reader(t, f.dial(), nil, at("binlog.000002", 300, ""))
		if d := works(t, s).Consumers[0].Distance; d.HeadroomSeconds != lasting(24*time.Hour) {
			t.Errorf("%s: in the active file: %+v", name, d)
		}
		f.change(func() {
			f.rows = [][]any{f.rows[0], {"binlog.000002", c.size, "No"}, {"binlog.000003", uint64(342), "No"}}
		})
		for round := range 2 {
			got := works(t, s).Consumers[0].Distance.HeadroomSeconds
			if got.Known != c.want.Known || (got.D-c.want.D).Abs() > time.Minute { // the two clocks are read one after the other
				t.Errorf("%s: round %d: %s, want %s", name, round, got, c.want)
			}
		}
	}
}
