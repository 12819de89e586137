package kafka

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// findCoordinator asks one broker after the other, up to three, who coordinates the group.
func (q *inquiry) findCoordinator(ctx context.Context) (*node, error) {
	nodes := slices.Clone(q.nodes)
	slices.SortStableFunc(nodes, func(a, b *node) int { // who has just answered is likely to answer again
		switch {
		case q.isMet(a) && !q.isMet(b):
			return -1
		case q.isMet(b) && !q.isMet(a):
			return 1
		}
		return 0
	})
	err := error(kerr.CoordinatorNotAvailable)
	for _, n := range nodes[:min(len(nodes), 3)] {
		var at int32
		within(ctx, 1./2, func(ctx context.Context) { at, err = q.askCoordinator(ctx, n) })
		switch {
		case err == nil && q.byID[at] != nil:
			return q.byID[at], nil
		case err == nil:
			err = kerr.CoordinatorNotAvailable
		case errors.Is(err, kerr.GroupAuthorizationFailed):
			return nil, err
		}
	}
	return nil, err
}

func (q *inquiry) askCoordinator(ctx context.Context, n *node) (int32, error) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorKey = q.explanation.Group
	req.CoordinatorKeys = []string{q.explanation.Group}
	answer, err := q.ask(ctx, n, req)
	if err != nil {
		return -1, err
	}
	at, code := coordinatorOf(answer.(*kmsg.FindCoordinatorResponse))
	return at, q.rowError("FindCoordinator", code)
}

// coordinatorOf reads an answer of any version: from 4 on it may be about several groups.
func coordinatorOf(resp *kmsg.FindCoordinatorResponse) (broker int32, code int16) {
	if resp.Version < 4 {
		return resp.NodeID, resp.ErrorCode
	}
	if len(resp.Coordinators) == 0 {
		return -1, kerr.CoordinatorNotAvailable.Code
	}
	return resp.Coordinators[0].NodeID, resp.Coordinators[0].ErrorCode
}

// readCommit asks for the group's committed offset on the one partition. Named like this, a topic that may not be
// described is refused, where a request for all topics leaves it out.
func (q *inquiry) readCommit(ctx context.Context, n *node) error {
	e := q.explanation
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = e.Group
	req.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: e.Topic, Partitions: []int32{e.Partition}}}
	rt := kmsg.NewOffsetFetchRequestGroupTopic()
	rt.Topic, rt.TopicID, rt.Partitions = e.Topic, q.topics[0].ID, []int32{e.Partition}
	rg := kmsg.NewOffsetFetchRequestGroup()
	rg.Group, rg.Topics = e.Group, []kmsg.OffsetFetchRequestGroupTopic{rt}
	req.Groups = []kmsg.OffsetFetchRequestGroup{rg}
	answer, err := q.ask(ctx, n, req)
	if err != nil {
		return err
	}
	g := Group{Name: e.Group, CommitsErr: errUnanswered}
	resp := answer.(*kmsg.OffsetFetchResponse)
	if resp.Version < 8 {
		q.takeCommits(&g, single(resp), resp.Version)
	} else if len(resp.Groups) > 0 {
		q.takeCommits(&g, &resp.Groups[0], resp.Version)
	}
	if errors.Is(g.CommitsErr, kerr.GroupIDNotFound) { // who does not exist has committed nothing
		return nil
	}
	if g.CommitsErr != nil {
		return g.CommitsErr
	}
	for _, t := range g.Topics {
		for _, c := range t.Commits {
			if t.Topic != e.Topic || c.Partition != e.Partition {
				continue
			}
			if err := kerr.ErrorForCode(c.Code); err != nil {
				return err
			}
			e.Committed = c.Offset
		}
	}
	return nil
}
