package kafka

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of the parts into which the groups and topics of a cluster are split, so that several exporters cover it
// together, each asking for its own groups alone. A part is fixed by the name for ever (docs/sharding.md): all exporters
// of a cluster, of whatever version, agree on it. The zero value is the whole.
type Shard struct {
	Index int // from 0 to Count - 1
	Count int // 0 and 1: the whole
}

// ParseShard reads I/N: part I of N, counted from 0.
func ParseShard(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, err := strconv.ParseUint(index, 10, 16)
	if !ok || err != nil {
		return Shard{}, fmt.Errorf("shard %q is not of the form I/N", text)
	}
	n, err := strconv.ParseUint(count, 10, 16)
	if err != nil {
		return Shard{}, fmt.Errorf("shard %q is not of the form I/N", text)
	}
	if i >= n {
		return Shard{}, fmt.Errorf("there is no shard %d of %d: they count from 0", i, n)
	}
	return Shard{int(i), int(n)}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, max(s.Count, 1)) }

// Whole says that there are no other parts.
func (s Shard) Whole() bool { return s.Count <= 1 }

// Owns says whether a group or topic of this name belongs to the part.
func (s Shard) Owns(name string) bool { return s.Whole() || s.Of(name) == s }

// Of is the part among Count that a group or topic of this name belongs to. The first 8 bytes of the name's SHA-256, as a
// big-endian number, modulo Count, are the Index: FNV-1a would put names that repeat a number, such as app-7.app-7, all
// into one half.
func (s Shard) Of(name string) Shard {
	sum := sha256.Sum256([]byte(name))
	return Shard{int(binary.BigEndian.Uint64(sum[:]) % uint64(max(s.Count, 1))), s.Count}
}

// First says whether what belongs to no group and no topic is this part's to tell.
func (s Shard) First() bool { return s.Index == 0 }

// Shard is the part of the groups and topics that the cluster's reader was made for.
func (c *Cluster) Shard() Shard { return c.config.Shard }
