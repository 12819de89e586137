//go:build e2e

package lab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-kit/log"

	"truelag/collector"
	"truelag/lab"
	"truelag/mysql"
)

// The page says of a real server and a consumer at its end what is so, and the same of one that is behind.
func TestBinlogMetrics(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "metrics")
		behind := here(t, m, "behind")
		fill(t, m, "metrics", 90)
		m.Rotate(t)
		end := here(t, m, "end")
		left := m.Left(t, behind.place().File, behind.place().Pos)
		files := m.Files(t)
		b, err := collector.NewBinlog(mysqlReader(t, m, lab.Monitor, newScanner(t, m), behind, end))
		if err != nil {
			t.Fatal(err)
		}
		set, err := collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), b)
		if err != nil {
			t.Fatal(err)
		}
		samples := (&exposed{set: set}).scrape(t.Context())
		server := fmt.Sprintf(`server="%s"`, m.Options.Version)
		var size int64
		for _, f := range files {
			size += f.Size
		}
		want := []string{
			fmt.Sprintf("mysql_up{%s} 1", server),
			fmt.Sprintf("binlog_files{%s} %d", server, len(files)),
			fmt.Sprintf("binlog_size_bytes{%s} %d", server, size),
			fmt.Sprintf("binlog_position_bytes{%s} %d", server, end.place().Pos),
		}
		for name, c := range map[string]struct {
			left  lab.Left
			state mysql.State
		}{
			"behind": {left, mysql.OK},
			"end":    {lab.Left{}, mysql.CaughtUp},
		} {
			labels := fmt.Sprintf(`%s,consumer="%s"`, server, name)
			want = append(want,
				fmt.Sprintf("binlog_lag_bytes{%s} %d", labels, c.left.Bytes),
				fmt.Sprintf("binlog_effective_lag_bytes{%s} %d", labels, c.left.Bytes),
				fmt.Sprintf("binlog_lag_files{%s} %d", labels, c.left.Files),
				fmt.Sprintf("binlog_lag_transactions{%s} %d", labels, c.left.Transactions),
				fmt.Sprintf(`binlog_position_state{%s,state="%s"} 1`, labels, c.state),
			)
		}
		want = append(want, fmt.Sprintf(`binlog_lag_seconds{%s,consumer="end"} 0`, server))
		for _, w := range want {
			if !slices.Contains(samples, w) {
				t.Errorf("no sample %s", w)
			}
		}
		if t.Failed() {
			t.Log(strings.Join(samples, "\n"))
		}
	})
}
