package kafka

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

// logEnds asks for the high watermarks of __consumer_offsets, given the leaders by partition (-1: not asked). Ends that
// are not known are -1.
func (r *reader) logEnds(ctx context.Context, leaders []int32) []int64 {
	ends := make([]int64, len(leaders))
	requests := map[int32]*kmsg.ListOffsetsRequest{}
	for p, leader := range leaders {
		ends[p] = unread
		if leader < 0 {
			continue
		}
		req := requests[leader]
		if req == nil {
			req = kmsg.NewPtrListOffsetsRequest()
			req.ReplicaID = -1
			req.Topics = []kmsg.ListOffsetsRequestTopic{{Topic: commitTopic}}
			requests[leader] = req
		}
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = int32(p), highWatermark.timestamp
		req.Topics[0].Partitions = append(req.Topics[0].Partitions, rp)
	}
	var c guard.Crew
	for leader, req := range requests {
		c.Go(func() {
			answer, err := r.wire.ask(ctx, leader, req)
			if err != nil {
				return
			}
			for _, t := range answer.(*kmsg.ListOffsetsResponse).Topics {
				for _, p := range t.Partitions {
					if t.Topic != commitTopic || p.Partition < 0 || int(p.Partition) >= len(leaders) || leaders[p.Partition] != leader {
						continue
					}
					if r.rowError("ListOffsets", p.ErrorCode) == nil {
						ends[p.Partition] = p.Offset
					}
				}
			}
		})
	}
	c.Wait()
	return ends
}

// readLogEnds learns the ends of __consumer_offsets after the commits. Whatever commit was told before stands below them.
// They are among the high watermarks of the pass, unless the filter or the shard leaves the topic out.
func (p *pass) readLogEnds(ctx context.Context) {
	if !p.config.Follow || len(p.coordinators) == 0 {
		return
	}
	if p.logEnds = p.knownLogEnds(); p.logEnds == nil {
		p.logEnds = p.reader.logEnds(ctx, p.coordinators)
	}
}

// knownLogEnds are the high watermarks of __consumer_offsets that the pass has read; nil if it has read none.
func (p *pass) knownLogEnds() []int64 {
	k, ok := p.index[commitTopic]
	if !ok || k == leftOut || len(p.topics[k].Partitions) != len(p.coordinators) {
		return nil
	}
	ends, known := make([]int64, len(p.coordinators)), false
	for i := range ends {
		ends[i] = unread
		if part := &p.topics[k].Partitions[i]; part.Err == nil {
			ends[i] = part.HighWatermark
			known = known || ends[i] != unread
		}
	}
	if !known {
		return nil
	}
	return ends
}

// fence is an offset of __consumer_offsets below which the record of every commit of a group stands that the snapshot
// holds. It is noFence where that is not known: the end must be that of the broker that told the commits.
func (s *Snapshot) fence(g *Group) int64 {
	if len(s.logEnds) == 0 {
		return noFence
	}
	p := logPartition(g.Name, len(s.logEnds))
	if s.logEnds[p] < 0 || s.logLeaders[p] != g.Coordinator {
		return noFence
	}
	return s.logEnds[p]
}
