package kafka

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// listGroups asks each broker for the groups it coordinates. The broker that lists a group is the one asked about it.
func (p *pass) listGroups(ctx context.Context) {
	p.atEach(func(n *node) {
		answer, err := p.ask(ctx, n, kmsg.NewPtrListGroupsRequest())
		if err != nil {
			return
		}
		resp := answer.(*kmsg.ListGroupsResponse)
		err = p.rowError("ListGroups", resp.ErrorCode)
		n.listed = err == nil
		for i := range resp.Groups {
			g := &resp.Groups[i]
			if !p.config.Groups.Match(g.Group) {
				continue
			}
			row := p.row(n, g.Group, GroupType(strings.ToLower(g.GroupType)), g.ProtocolType)
			row.State = g.GroupState
			n.groups = append(n.groups, row)
		}
		if errors.Is(err, kerr.CoordinatorLoadInProgress) { // some brokers list what they have so far, others nothing
			p.recall(n)
		}
		n.groups = ordered(n.groups, byName)
	})
}

func byName(a, b Group) int { return strings.Compare(a.Name, b.Name) }

// group finds a group that the broker listed.
func (n *node) group(name string) *Group {
	i := sort.Search(len(n.groups), func(i int) bool { return n.groups[i].Name >= name })
	if i < len(n.groups) && n.groups[i].Name == name {
		return &n.groups[i]
	}
	return nil
}

// mergeGroups is every group once, by name. While a group moves, both its old and its new coordinator may list it.
func (p *pass) mergeGroups() []Group {
	var all []Group
	for _, n := range p.nodes {
		for i := range n.groups {
			if n.groups[i].there() {
				all = append(all, n.groups[i])
			}
		}
	}
	slices.SortStableFunc(all, byName)
	merged := all[:0]
	for i := range all {
		last := len(merged) - 1
		if last < 0 || merged[last].Name != all[i].Name {
			merged = append(merged, all[i])
			continue
		}
		merged[last] = p.better(merged[last], all[i])
	}
	return merged
}

// better joins what two brokers say of a group: the commits of the one that has them, else of the one that should; the
// description of the same broker unless it has none.
func (p *pass) better(a, b Group) Group {
	switch {
	case a.CommitsErr != nil && b.CommitsErr == nil,
		(a.CommitsErr == nil) == (b.CommitsErr == nil) && p.coordinator(b.Name) == b.Coordinator:
		a, b = b, a
	}
	if a.DescribeErr != nil && b.DescribeErr == nil {
		a.State, a.Members, a.Subscriptions, a.DescribeErr = b.State, b.Members, b.Subscriptions, nil
	}
	return a
}

// coordinator is the broker that Metadata makes a group's coordinator: the leader of the partition of
// __consumer_offsets that the group's name hashes to. It is -1 if that topic may not be described. An old coordinator
// that does not know it yet answers with old commits, which would look like a rewind.
func (p *pass) coordinator(group string) int32 {
	if len(p.coordinators) == 0 {
		return -1
	}
	return p.coordinators[logPartition(group, len(p.coordinators))]
}

// logPartition is the one of n partitions of __consumer_offsets that holds a group's commits.
func logPartition(group string, n int) int {
	var hash int32 // Java's String.hashCode, over UTF-16
	for _, r := range group {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			hash = 31*hash + high
			r = low
		}
		hash = 31*hash + r
	}
	hash = max(hash, -hash, 0) // what Kafka does, also to the one number whose negation is negative
	return int(hash) % n
}
