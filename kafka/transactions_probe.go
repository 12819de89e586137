package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// transactionsFinding asks about a transactional id that nobody has: a refusal says that not all may be described.
func (c *Cluster) transactionsFinding(ctx context.Context, s *Snapshot) Finding {
	f := Finding{Feature: "hanging transactions", Needs: "Describe on TransactionalId", Found: "all transactional ids may be described"}
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{nobody}
	err := errUnanswered
	for _, b := range s.Brokers {
		if b.Err != nil {
			continue
		}
		var answer kmsg.Response
		if answer, err = c.novelties.ask(ctx, b.ID, req); err != nil {
			continue
		}
		err = errUnanswered
		for _, t := range answer.(*kmsg.DescribeTransactionsResponse).TransactionStates {
			err = kerr.ErrorForCode(t.ErrorCode)
		}
		break
	}
	switch {
	case errors.Is(err, errUnsupported):
		f.Found = "brokers before 3.0 do not tell them"
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		f.Lacking, f.Found = true, "not all transactional ids may be described: nothing is said of transactions that are not listed"
	case err != nil && !errors.Is(err, kerr.TransactionalIDNotFound) && !errors.Is(err, kerr.NotCoordinator):
		f.Lacking, f.Found = true, fmt.Sprintf("it could not be asked: %v", err)
	}
	return f
}

// shareFindings are about the share groups; none when there are none.
func (c *Cluster) shareFindings(ctx context.Context, s *Snapshot) []Finding {
	ctx, cancel := context.WithTimeout(ctx, defaultTime)
	defer cancel()
	c.readShares(ctx, s)
	var positions, levels tally
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Share == nil || errors.Is(g.Share.Err, errUnsupported) {
			continue
		}
		positions.add(g.Name, g.Share.Err)
		levels.add(g.Name, g.Share.IsolationErr)
	}
	if positions.all == 0 {
		return nil
	}
	return []Finding{
		positions.finding("positions of share groups", "Describe on Group, Describe on Topic", saying{
			one: "share group", more: "share groups", does: "tells its start offsets", do: "tell their start offsets",
			doesNot: "does not tell its start offsets", doNot: "do not tell their start offsets"}),
		levels.finding("isolation of share groups", "DescribeConfigs on Group", saying{
			one: "share group", more: "share groups", does: "tells its share.isolation.level", do: "tell their share.isolation.level",
			doesNot: "does not tell its share.isolation.level", doNot: "do not tell their share.isolation.level"}),
	}
}
