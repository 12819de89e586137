package binlog

import "maps"

// tables are those that the open transaction has named, by the ids by which its rows do. A transaction may go on from scan to scan, and
// name more than is to be held.
type tables struct {
	named map[uint64]known
	size  int64
}

// known is a table that was named.
type known struct {
	ignored    bool
	definition []byte // nil: its rows need not be counted
}

const (
	// mostTables is how many bytes are held, more than ten thousand tables take. What is forgotten counts.
	mostTables = 16 << 20

	tableSize = 100 // what one takes at the least
)

func (k known) size() int64 { return tableSize + int64(len(k.definition)) }

func (t *tables) add(id uint64, k known) {
	if before, ok := t.named[id]; ok {
		t.size -= before.size()
	}
	if t.size += k.size(); t.named == nil || t.size > mostTables {
		t.named, t.size = map[uint64]known{}, k.size()
	}
	t.named[id] = k
}

func (t *tables) clone() tables { return tables{maps.Clone(t.named), t.size} }
