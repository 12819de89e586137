//go:build e2e

package lab_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"truelag/lab"
)

// binlogEvent is a row of SHOW BINLOG EVENTS.
type binlogEvent struct {
	file     string
	pos, end int64
	kind     string
	info     string
	inner    []binlogEvent // what is compressed in it
	group    int           // index of the event with the GTID of its transaction; -1: it is of none
	gtid     string        // of an event that gives one
	step     int           // of the writer
}

func (e *binlogEvent) String() string {
	return fmt.Sprintf("%s:%d %s (step %d) %.120s", e.file, e.pos, e.kind, e.step, strings.ReplaceAll(e.info, "\n", " "))
}

var (
	gtidText = map[bool]*regexp.Regexp{true: regexp.MustCompile(`GTID (\d+-\d+-\d+)`), false: regexp.MustCompile(`GTID_NEXT= '(.+:\d+)'`)}
	quoted   = regexp.MustCompile("`((?:[^`]|``)+)`")
	rowEvent = regexp.MustCompile(`^(Write|Update|Delete)_.*rows`)
	tableID  = regexp.MustCompile(`^table_id: (\d+)`)
)

// binlogEvents are those of some files, in order.
func binlogEvents(t *testing.T, m *lab.MySQL, files []lab.BinlogFile) []binlogEvent {
	t.Helper()
	var all []binlogEvent
	group := -1
	for _, f := range files {
		for _, r := range m.Rows(t, "SHOW BINLOG EVENTS IN '"+f.Name+"'") {
			pos, err := strconv.ParseInt(r["Pos"], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			e := binlogEvent{file: f.Name, pos: pos, kind: r["Event_type"], info: r["Info"]}
			if n := len(all) - 1; r["Pos"] == r["End_log_pos"] && n >= 0 && all[n].kind == "Transaction_payload" {
				all[n].inner = append(all[n].inner, e)
				continue
			}
			switch {
			case isOutside(e.kind):
				group = -1
			case e.kind == "Gtid" || e.kind == "Anonymous_Gtid":
				group = len(all)
				if found := gtidText[m.Options.MariaDB()].FindStringSubmatch(e.info); found != nil {
					e.gtid = found[1]
				}
			}
			e.group = group
			if n := len(all) - 1; n >= 0 && all[n].file == f.Name {
				all[n].end = pos
			}
			all = append(all, e)
		}
		all[len(all)-1].end = f.Size
	}
	return all
}

func isOutside(kind string) bool {
	return slices.Contains([]string{"Format_desc", "Previous_gtids", "Rotate", "Stop", "Gtid_list", "Binlog_checkpoint"}, kind)
}
