package kafka

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

const (
	commitBytes    = 24 // that one takes in an answer, but for the committer's metadata
	requestsAtOnce = 8  // OffsetFetch requests in flight at one broker
)

// fetchCommits asks each broker for the commits of its groups, but for share groups, which have none.
//
// The first request can be read as one of any version: from 8 on it names a list of groups, below it one group, the
// first. So the answer's version says whether the broker takes many groups at once.
func (p *pass) fetchCommits(ctx context.Context) {
	p.atEach(func(n *node) {
		var groups []*Group
		for i := range n.groups {
			if g := &n.groups[i]; g.Type != Share {
				groups = append(groups, g)
			}
		}
		if len(groups) == 0 {
			return
		}
		chunks := chunks(groups, p.wire.maxAnswer()/4)
		if version := p.fetchChunk(ctx, n, chunks[0]); version < 8 {
			chunks = chunks[:0]
			for g := range slices.Chunk(groups, 1) {
				chunks = append(chunks, g)
			}
		}
		rest := chunks[1:]
		var next atomic.Int64
		var c guard.Crew
		for range min(len(rest), requestsAtOnce) {
			c.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(rest)); i = next.Add(1) - 1 {
					p.fetchChunk(ctx, n, rest[i])
				}
			})
		}
		c.Wait()
	})
	p.commitsTold = time.Now()
}

// chunks splits groups by how many bytes their commits are known or taken to need, so that no answer grows out of hand.
func chunks(groups []*Group, most int) [][]*Group {
	var chunks [][]*Group
	from, bytes := 0, 0
	for i, g := range groups {
		bytes += g.bytes
		if bytes > most && i > from {
			chunks = append(chunks, groups[from:i])
			from, bytes = i, g.bytes
		}
	}
	return append(chunks, groups[from:])
}

// fetchChunk asks for the commits of some groups and returns the version of the answer, by which only the first group
// may have been asked for. Without an answer, all groups have its error, and the version is the latest.
//
// When the answer is too large, each group is taken to need its part of what is too large, and they are asked for in
// chunks by that, a fourth of them or fewer in each. So it ends, and the next pass knows what was found out.
func (p *pass) fetchChunk(ctx context.Context, n *node, groups []*Group) (version int16) {
	version, err := p.fetchGroups(ctx, n, groups)
	if !errors.Is(err, errTooLarge) {
		return version
	}
	for _, g := range groups {
		g.bytes = max(g.bytes, p.wire.maxAnswer()/len(groups)+1)
	}
	if len(groups) == 1 {
		return version
	}
	for _, chunk := range chunks(groups, p.wire.maxAnswer()/4) {
		if version = p.fetchChunk(ctx, n, chunk); version < 8 || ctx.Err() != nil {
			break
		}
	}
	return version
}

// fetchGroups asks once.
func (p *pass) fetchGroups(ctx context.Context, n *node, groups []*Group) (version int16, err error) {
	req := kmsg.NewPtrOffsetFetchRequest() // RequireStable stays off: a commit in an open transaction is none yet
	req.Group = groups[0].Name
	for _, g := range groups {
		rg := kmsg.NewOffsetFetchRequestGroup()
		rg.Group, g.CommitsErr = g.Name, errUnanswered
		req.Groups = append(req.Groups, rg)
	}
	answer, err := p.ask(ctx, n, req)
	if err != nil {
		for _, g := range groups {
			g.CommitsErr = err
		}
		return req.MaxVersion(), err
	}
	resp := answer.(*kmsg.OffsetFetchResponse)
	if resp.Version < 8 {
		p.takeCommits(groups[0], single(resp), resp.Version)
		return resp.Version, nil
	}
	for i := range resp.Groups {
		if g := n.group(resp.Groups[i].Group); g != nil && g.Type != Share {
			p.takeCommits(g, &resp.Groups[i], resp.Version)
		}
	}
	for _, g := range groups {
		if errors.Is(g.CommitsErr, errUnanswered) {
			p.wire.books.failed("OffsetFetch", errUnanswered)
		}
	}
	return resp.Version, nil
}

// single gives the answer of an older version, about one group, the form of a later one.
func single(resp *kmsg.OffsetFetchResponse) *kmsg.OffsetFetchResponseGroup {
	g := &kmsg.OffsetFetchResponseGroup{ErrorCode: resp.ErrorCode}
	for _, t := range resp.Topics {
		gt := kmsg.OffsetFetchResponseGroupTopic{Topic: t.Topic}
		for _, part := range t.Partitions {
			gt.Partitions = append(gt.Partitions, kmsg.OffsetFetchResponseGroupTopicPartition(part))
		}
		g.Topics = append(g.Topics, gt)
	}
	return g
}

// takeCommits fills in a group's commits.
func (p *pass) takeCommits(g *Group, resp *kmsg.OffsetFetchResponseGroup, version int16) {
	if g.CommitsErr = p.rowError("OffsetFetch", resp.ErrorCode); g.CommitsErr != nil {
		return
	}
	rows := 0
	g.bytes = len(g.Name)
	for i := range resp.Topics {
		partitions := resp.Topics[i].Partitions
		rows += len(partitions)
		for j := range partitions {
			if m := partitions[j].Metadata; m != nil {
				g.bytes += len(*m)
			}
		}
	}
	g.bytes += rows * commitBytes
	slab := make([]Commit, 0, rows) // one allocation for a group
	topics := make([]GroupTopic, 0, len(resp.Topics))
	for i := range resp.Topics {
		t := &resp.Topics[i]
		name, ok := p.commitTopic(t, version)
		if !ok {
			continue
		}
		row := GroupTopic{Topic: name, ID: t.TopicID}
		from := len(slab)
		for j := range t.Partitions {
			part := &t.Partitions[j]
			c := Commit{Offset: part.Offset, Partition: part.Partition, LeaderEpoch: part.LeaderEpoch, Code: part.ErrorCode}
			switch {
			case c.Code != 0:
				_ = p.rowError("OffsetFetch", c.Code)
			case c.Offset == -1: // nothing committed
				continue
			case c.Offset < -1 || c.Partition < 0:
				c.Code = kerr.UnknownServerError.Code
				p.wire.books.failed("OffsetFetch", errInvalidOffset)
			}
			if c.Partition >= 0 {
				slab = append(slab, c)
			}
		}
		if row.Commits = slab[from:len(slab):len(slab)]; len(row.Commits) > 0 {
			row.Commits = ordered(row.Commits, byPartition)
			topics = append(topics, row)
		}
	}
	g.Topics = ordered(topics, byTopic)
}

func byPartition(a, b Commit) int { return cmp.Compare(a.Partition, b.Partition) }
func byTopic(a, b GroupTopic) int { return strings.Compare(a.Topic, b.Topic) }

// commitTopic is the name of a topic with commits; false if the filter leaves it out. Answers from version 10 on know
// topics by ID alone. One that Metadata did not tell gets a name that no topic can have until it is asked for.
func (p *pass) commitTopic(t *kmsg.OffsetFetchResponseGroupTopic, version int16) (string, bool) {
	if version < 10 {
		return p.known(t.Topic)
	}
	if name, ok := p.names[t.TopicID]; ok {
		return name, name != ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strangerIDs[t.TopicID] = true
	return stranger(t.TopicID), true
}
