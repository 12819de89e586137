package binlog

import (
	"strings"

	"truelag/mysql"
	"truelag/mysql/gtid"
)

// lacking asks for what a trail's set lacks.
func (m *memory) lacking(inv *mysql.Inventory, t *trail) request {
	r := request{pos: fileStart, set: t.judge.consumed.set}
	if inv.Purged != nil { // what is gone was not for a consumer that can go on
		r.set = r.set.Union(*inv.Purged)
	}
	if file, pos := m.near(inv, t); inv.Flavor == mysql.MySQL && file != "" {
		r.file, r.pos = file, pos
	}
	return r
}

// lacks tells whether the server can be asked for what the set of a position without a file lacks, and there is something. A set that
// has what was only sent does not tell. Sets with tags are left out, the server's of what it has purged too, which it would be sent: no
// server that has them has been seen to take one.
func lacks(inv *mysql.Inventory, p *mysql.Position) bool {
	if p.SetAhead || inv.Executed == nil || inv.Anonymous || len(inv.Files) == 0 {
		return false
	}
	set, err := inv.Flavor.Parse(p.GTIDs)
	if err != nil || set.IsEmpty() || set.Contains(*inv.Executed) {
		return false
	}
	return !hasTags(set) && (inv.Purged == nil || !hasTags(*inv.Purged))
}

func hasTags(set gtid.Set) bool {
	for source := range set.Sources() {
		if strings.Contains(source.String(), ":") {
			return true
		}
	}
	return false
}

// near is the last place known before which there is nothing left for a consumer without one: where what another set lacked was found,
// of which its own has all. There MySQL can begin to look, and need not at the beginning of a file. Empty: none.
func (m *memory) near(inv *mysql.Inventory, t *trail) (file string, pos int64) {
	last := 0
	if m.nowhere {
		return "", 0
	}
	for _, o := range m.trails {
		at, _ := inv.Find(o.scan.StartFile)
		later := at > last || at == last && o.scan.Start > pos
		if at >= 0 && later && o.at.file == "" && o.at.captures == t.at.captures && t.judge.consumed.set.Contains(o.judge.consumed.set) {
			last, file, pos = at, o.scan.StartFile, o.scan.Start
		}
	}
	return file, pos
}
