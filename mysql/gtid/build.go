package gtid

import (
	"fmt"
	"slices"
)

// What a text can make us hold: some 20 MB.
const (
	maxSpans   = 1 << 19
	maxSources = 1 << 16
)

// builder collects what a text names, in any order.
type builder struct {
	groups []group
	index  map[Source]int // of groups
	last   int            // index of the group that was added to last: mostly that of the next one too
	spans  int            // in all groups; they may overlap until compact
}

func (b *builder) add(source Source, s span) error {
	g, err := b.group(source)
	if err != nil {
		return err
	}
	before := len(g.spans)
	g.spans = extend(g.spans, s)
	// A text can repeat few intervals without end. Room for as many again makes it rare that they must be merged.
	if b.spans += len(g.spans) - before; b.spans > 2*maxSpans {
		return b.compact()
	}
	return nil
}

func (b *builder) addPosition(domain, server uint32, sequence uint64) error {
	source := Source{mariadb: true, domain: domain}
	if err := b.add(source, span{1, sequence}); err != nil {
		return err
	}
	if g := &b.groups[b.last]; sequence > g.sequence {
		g.server, g.sequence = server, sequence
	}
	return nil
}

func (b *builder) group(source Source) (*group, error) {
	if len(b.groups) > 0 && b.groups[b.last].source == source {
		return &b.groups[b.last], nil
	}
	i, ok := b.index[source]
	if !ok {
		if i = len(b.groups); i == maxSources {
			return nil, fmt.Errorf("GTID set of more than %d sources", maxSources)
		}
		if b.index == nil {
			b.index = make(map[Source]int)
		}
		b.index[source] = i
		b.groups = append(b.groups, group{source: source})
	}
	b.last = i
	return &b.groups[i], nil
}

// compact merges what overlaps, so that each list of spans is one.
func (b *builder) compact() error {
	b.spans = 0
	for i, g := range b.groups {
		b.groups[i].spans = normal(g.spans)
		b.spans += len(b.groups[i].spans)
	}
	if b.spans > maxSpans {
		return fmt.Errorf("GTID set of more than %d intervals", maxSpans)
	}
	return nil
}

func (b *builder) finish() (Set, error) {
	if err := b.compact(); err != nil {
		return Set{}, err
	}
	slices.SortFunc(b.groups, func(x, y group) int { return x.source.compare(y.source) })
	return Set{slices.Clip(b.groups)}, nil
}
