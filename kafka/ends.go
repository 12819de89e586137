package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

// end is one of the three offsets that ListOffsets tells of a partition.
type end struct {
	timestamp int64
	isolation int8
	of        func(*Partition) *int64
}

var (
	logStart      = end{-2, 0, func(p *Partition) *int64 { return &p.LogStart }}
	lastStable    = end{-1, 1, func(p *Partition) *int64 { return &p.LastStable }}
	highWatermark = end{-1, 0, func(p *Partition) *int64 { return &p.HighWatermark }}
)

// unread is an end that was not read. No broker answers it without an error.
const unread = -1

// readEnds asks each leader for one of the ends of all its partitions, but for those that have an error or whose end is
// known.
func (p *pass) readEnds(ctx context.Context, e end) {
	deadline, _ := ctx.Deadline()
	wait := int32(max(time.Until(deadline).Milliseconds(), 1))
	requests := make(map[*node]*kmsg.ListOffsetsRequest, len(p.nodes))
	for i := range p.topics {
		t := &p.topics[i]
		if !p.wants(t.Name) {
			continue
		}
		for n := range t.Partitions {
			part := &t.Partitions[n]
			if part.Err != nil || *e.of(part) != unread {
				continue
			}
			leader := p.byID[part.Leader]
			req := requests[leader]
			if req == nil {
				req = kmsg.NewPtrListOffsetsRequest()
				req.ReplicaID = -1
				req.IsolationLevel = e.isolation
				req.TimeoutMillis = wait
				requests[leader] = req
			}
			if k := len(req.Topics); k == 0 || req.Topics[k-1].Topic != t.Name {
				rt := kmsg.NewListOffsetsRequestTopic()
				rt.Topic = t.Name
				req.Topics = append(req.Topics, rt)
			}
			// No leader epoch: a leader of which Metadata has not told yet is as good.
			rp := kmsg.NewListOffsetsRequestTopicPartition()
			rp.Partition, rp.Timestamp = int32(n), e.timestamp
			rt := &req.Topics[len(req.Topics)-1]
			rt.Partitions = append(rt.Partitions, rp)
		}
	}
	var c guard.Crew
	for n, req := range requests {
		c.Go(func() {
			resp, err := p.ask(ctx, n, req)
			if err == nil {
				p.takeEnds(n, e, resp.(*kmsg.ListOffsetsResponse))
			}
			p.closeEnds(req, e, err)
		})
	}
	c.Wait()
}

// takeEnds fills in what a leader answered.
func (p *pass) takeEnds(leader *node, e end, resp *kmsg.ListOffsetsResponse) {
	for i := range resp.Topics {
		rt := &resp.Topics[i]
		k, ok := p.index[rt.Topic]
		if !ok || k == leftOut {
			continue
		}
		parts := p.topics[k].Partitions
		for j := range rt.Partitions {
			rp := &rt.Partitions[j]
			if rp.Partition < 0 || int(rp.Partition) >= len(parts) {
				continue
			}
			part := &parts[rp.Partition]
			switch {
			case part.Leader != leader.ID || part.Err != nil: // not asked
			case rp.ErrorCode != 0:
				part.Err = p.rowError("ListOffsets", rp.ErrorCode)
			case rp.Offset < 0:
				part.Err = errInvalidOffset
				p.wire.books.failed("ListOffsets", part.Err)
			default:
				*e.of(part) = rp.Offset
			}
		}
	}
}

// closeEnds gives an error to what was asked for and not answered.
func (p *pass) closeEnds(req *kmsg.ListOffsetsRequest, e end, err error) {
	for i := range req.Topics {
		rt := &req.Topics[i]
		parts := p.topics[p.index[rt.Topic]].Partitions
		for j := range rt.Partitions {
			part := &parts[rt.Partitions[j].Partition]
			switch {
			case part.Err != nil || *e.of(part) != unread:
			case err != nil:
				part.Err = err
			default:
				part.Err = errUnanswered
				p.wire.books.failed("ListOffsets", part.Err)
			}
		}
	}
}

// epochAsk asks a partition's leader where an older leader epoch ended.
type epochAsk struct {
	Topic     string
	Partition int32
	Leader    int32
	Current   int32 // the leader's epoch as Metadata tells it: a leader of another one refuses to answer
	Epoch     int32 // the epoch in question
}

// epochEnd is the answer. Epoch is the greatest that the leader's log knows, up to the one in question, and End where
// it ended there: what was read under it at or above End is not in the log any more. Both are -1 when the log knows none.
type epochEnd struct {
	Epoch int32
	End   int64
	Err   error
}

// epochEnds asks with one OffsetForLeaderEpoch request for each leader; answer i is to ask i. There must be no two asks
// about one partition. Brokers before 2.1 tell no leader epochs, so there is nothing to ask them.
func (r *reader) epochEnds(ctx context.Context, asks []epochAsk) []epochEnd {
	type key struct {
		topic     string
		partition int32
	}
	ends := make([]epochEnd, len(asks))
	requests := map[int32]*kmsg.OffsetForLeaderEpochRequest{}
	places := make(map[key]int, len(asks))
	for i, a := range asks {
		ends[i] = epochEnd{-1, -1, errUnanswered}
		places[key{a.Topic, a.Partition}] = i
		req := requests[a.Leader]
		if req == nil {
			req = kmsg.NewPtrOffsetForLeaderEpochRequest()
			req.ReplicaID = -1
			requests[a.Leader] = req
		}
		if k := len(req.Topics); k == 0 || req.Topics[k-1].Topic != a.Topic {
			rt := kmsg.NewOffsetForLeaderEpochRequestTopic()
			rt.Topic = a.Topic
			req.Topics = append(req.Topics, rt)
		}
		rp := kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		rp.Partition, rp.CurrentLeaderEpoch, rp.LeaderEpoch = a.Partition, a.Current, a.Epoch
		rt := &req.Topics[len(req.Topics)-1]
		rt.Partitions = append(rt.Partitions, rp)
	}
	var c guard.Crew
	for leader, req := range requests {
		c.Go(func() {
			answer, err := r.wire.ask(ctx, leader, req)
			if err != nil {
				for i := range asks {
					if asks[i].Leader == leader {
						ends[i].Err = err
					}
				}
				return
			}
			for _, rt := range answer.(*kmsg.OffsetForLeaderEpochResponse).Topics {
				for _, rp := range rt.Partitions {
					i, ok := places[key{rt.Topic, rp.Partition}]
					if !ok || asks[i].Leader != leader {
						continue
					}
					ends[i] = epochEnd{rp.LeaderEpoch, rp.EndOffset, r.rowError("OffsetForLeaderEpoch", rp.ErrorCode)}
				}
			}
		})
	}
	c.Wait()
	for i := range ends {
		if errors.Is(ends[i].Err, errUnanswered) {
			r.wire.books.failed("OffsetForLeaderEpoch", errUnanswered)
		}
	}
	return ends
}
