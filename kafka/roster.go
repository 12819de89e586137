package kafka

import (
	"cmp"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// roster remembers the groups that were seen. A broker that loads one partition of __consumer_offsets refuses to list the
// groups of all: those that it coordinates are asked for by the names that are known.
type roster map[string]rosterEntry

type rosterEntry struct {
	coordinator  int32
	groupType    GroupType
	protocolType string
	bytes        int // as in Group
	seen         time.Time
}

// take brings the roster up to date. Groups that no complete listing can show to be gone are kept for a while.
func (r roster) take(s *Snapshot) {
	for i := range s.Groups {
		g := &s.Groups[i]
		r[g.Name] = rosterEntry{g.Coordinator, g.Type, g.ProtocolType, g.bytes, s.At}
	}
	for name, e := range r {
		if e.seen != s.At && (s.GroupsComplete || s.At.Sub(e.seen) > partialFor) {
			delete(r, name)
		}
	}
}

// recall adds the groups to a broker's that it would have listed. Whether they exist, and on a partition that is loaded,
// shows when they are asked about.
func (p *pass) recall(n *node) {
	listed := make(map[string]bool, len(n.groups))
	for i := range n.groups {
		listed[n.groups[i].Name] = true
	}
	for name, e := range p.roster {
		at := e.coordinator
		if len(p.coordinators) > 0 {
			at = p.coordinator(name)
		}
		if at == n.ID && !listed[name] {
			n.groups = append(n.groups, p.row(n, name, e.groupType, e.protocolType))
			n.groups[len(n.groups)-1].recalled = true
		}
	}
}

// row is what a group's row is before it is asked about.
func (p *pass) row(n *node, name string, groupType GroupType, protocolType string) Group {
	g := Group{
		Name:         name,
		Coordinator:  n.ID,
		Type:         cmp.Or(groupType, Classic),
		ProtocolType: protocolType,
		DescribeErr:  errUnanswered,
		CommitsErr:   errUnanswered,
		bytes:        p.roster[name].bytes,
	}
	if g.Type == Share {
		g.CommitsErr = nil
	}
	return g
}

// there says that a group was listed, or has answered as one that exists.
func (g *Group) there() bool {
	switch {
	case !g.recalled:
		return true
	case g.CommitsErr != nil, errors.Is(g.DescribeErr, kerr.GroupIDNotFound), g.State == "Dead":
		return false
	}
	return g.DescribeErr == nil || len(g.Topics) > 0
}
