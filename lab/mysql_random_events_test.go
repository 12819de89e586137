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
	flagged  = regexp.MustCompile(`^((?:use .*?; )?)set (?:[a-z_]+(?:=\d)?(?:, )?)+; `) // MariaDB lists how the session was set up
	tableID  = regexp.MustCompile(`^table_id: (\d+)`)
)

// binlogEvents are those of some files, in order.
func binlogEvents(t *testing.T, m *lab.MySQL, files []lab.BinlogFile) []binlogEvent {
	t.Helper()
	var all []binlogEvent
	var group transactionGroup
	for _, f := range files {
		for _, r := range m.Rows(t, "SHOW BINLOG EVENTS IN '"+f.Name+"'") {
			pos, err := strconv.ParseInt(r["Pos"], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			e := binlogEvent{file: f.Name, pos: pos, kind: r["Event_type"], info: flagged.ReplaceAllString(r["Info"], "$1")}
			if n := len(all) - 1; r["Pos"] == r["End_log_pos"] && n >= 0 && all[n].kind == "Transaction_payload" {
				all[n].inner = append(all[n].inner, e)
				continue
			}
			if found := gtidText[m.Options.MariaDB()].FindStringSubmatch(e.info); found != nil && e.kind == "Gtid" {
				e.gtid = found[1]
			}
			e.group = group.of(&e, len(all))
			if n := len(all) - 1; n >= 0 && all[n].file == f.Name {
				all[n].end = pos
			}
			all = append(all, e)
		}
		all[len(all)-1].end = f.Size
	}
	return all
}

// transactionGroup tells which events are of one transaction. Before MySQL 5.7, nothing begins one without GTIDs but BEGIN, or its only
// statement.
type transactionGroup struct {
	open, named, begun bool
	first              int
}

// of is the index of the first event of a transaction, given that of the next event.
func (g *transactionGroup) of(e *binlogEvent, at int) int {
	switch {
	case isOutside(e.kind):
		g.open = false
		return -1
	case isGTID(e):
		*g = transactionGroup{open: true, named: true, first: at}
	case !g.open:
		*g = transactionGroup{open: true, first: at}
	}
	g.begun = g.begun || e.info == "BEGIN"
	g.open = g.named || !ends(e) && (g.begun || !isStatement(e))
	return g.first
}

func isGTID(e *binlogEvent) bool { return e.kind == "Gtid" || e.kind == "Anonymous_Gtid" }

func isOutside(kind string) bool {
	return slices.Contains([]string{"Format_desc", "Previous_gtids", "Rotate", "Stop", "Gtid_list", "Binlog_checkpoint"}, kind)
}
