package binlog

import (
	"truelag/mysql"
	"truelag/mysql/gtid"
)

// consumed are the transactions that a consumer has read by its set, wherever they stand: such a consumer goes on by the set. Debezium,
// connected again with heartbeats, notes down the beginning of the file that the server sends from, and its set.
type consumed struct {
	flavor mysql.Flavor
	set    gtid.Set
}

// newConsumed takes the set of a position. What is wrong with one is told with the distance: then they are none.
func newConsumed(flavor mysql.Flavor, p *mysql.Position) consumed {
	set, err := flavor.Parse(setOf(flavor, p))
	if err != nil {
		return consumed{}
	}
	return consumed{flavor, set}
}

// setOf is the set that tells what was read. One of MariaDB's does not name each transaction, and one that is ahead has some that were
// not read: then it is none, unless it is all that there is.
func setOf(flavor mysql.Flavor, p *mysql.Position) string {
	if p.File != "" && flavor != mysql.MySQL || p.SetAhead {
		return ""
	}
	return p.GTIDs
}

// has tells whether the transaction of a name is one of them. Without a name it is none.
func (c *consumed) has(name string) bool {
	if name == "" || c.set.IsEmpty() {
		return false
	}
	one, err := c.flavor.Parse(name)
	return err == nil && c.set.Contains(one)
}
