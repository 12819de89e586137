package binlog

import (
	"strings"

	"truelag/mysql"
)

// lacks tells whether the server can be asked for what the set of a position without a file lacks, and there is something. A set that
// has what was only sent does not tell. Sets with tags are left out: no server that has them has been seen to take one.
func lacks(inv *mysql.Inventory, p *mysql.Position) bool {
	if p.SetAhead || inv.Executed == nil || inv.Anonymous || len(inv.Files) == 0 {
		return false
	}
	set, err := inv.Flavor.Parse(p.GTIDs)
	if err != nil || set.IsEmpty() || set.Contains(*inv.Executed) {
		return false
	}
	for source := range set.Sources() {
		if strings.Contains(source.String(), ":") {
			return false
		}
	}
	return true
}
