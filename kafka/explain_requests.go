package kafka

import (
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Request is one request of an Explanation.
type Request struct {
	API     string
	Version int16 // -1 without an answer
	Broker  int32 // negative: a seed whose id is not known
	At      time.Time
	Took    time.Duration
	About   string // what was asked for, and what came
	Err     error  // of the request, or of the one row that it asked for
}

// told notes a request and keeps what a Fetch brought.
func (q *inquiry) told(broker int32, req kmsg.Request, resp kmsg.Response, began time.Time, err error) {
	r := Request{
		API: kmsg.NameForKey(req.Key()), Version: -1, Broker: broker,
		At: began, Took: time.Since(began), About: about(req), Err: err,
	}
	if err == nil {
		r.Version = resp.GetVersion()
		r.Err = kerr.ErrorForCode(codeOf(resp))
	}
	if f, ok := resp.(*kmsg.FetchResponse); ok && err == nil && len(f.Topics) == 1 && len(f.Topics[0].Partitions) == 1 {
		a := fetched{req.(*kmsg.FetchRequest).Topics[0].Partitions[0].FetchOffset, f.Topics[0].Partitions[0].RecordBatches}
		r.About += fmt.Sprintf(": %d bytes", len(a.log))
		q.mu.Lock()
		q.answers = append(q.answers, a)
		q.mu.Unlock()
	}
	q.note(r)
}

func (q *inquiry) note(r Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.requests = append(q.requests, r)
}

// sent are the requests so far, in the order in which they were sent.
func (q *inquiry) sent() []Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := slices.Clone(q.requests)
	slices.SortStableFunc(all, func(a, b Request) int { return a.At.Compare(b.At) })
	return all
}

// about says what a request asks for.
func about(req kmsg.Request) string {
	switch r := req.(type) {
	case *kmsg.FindCoordinatorRequest:
		return "coordinator of the group"
	case *kmsg.OffsetFetchRequest:
		return "committed offset"
	case *kmsg.ListOffsetsRequest:
		switch {
		case r.Topics[0].Partitions[0].Timestamp == logStart.timestamp:
			return "log start offset"
		case r.IsolationLevel == lastStable.isolation:
			return "last stable offset"
		}
		return "high watermark"
	case *kmsg.FetchRequest:
		isolation := ReadUncommitted
		if r.IsolationLevel == 1 {
			isolation = ReadCommitted
		}
		return fmt.Sprintf("log from offset %d, %s", r.Topics[0].Partitions[0].FetchOffset, isolation)
	case *kmsg.DescribeProducersRequest:
		return "producer of the open transaction"
	case *kmsg.ListTransactionsRequest:
		return "transactional id of the producer"
	case *kmsg.DescribeTransactionsRequest:
		if slices.Equal(r.TransactionalIDs, []string{nobody}) {
			return "whether all transactional ids may be described"
		}
		return "state of the transactional id"
	}
	return ""
}

// codeOf is the error code of an answer about one group or partition.
func codeOf(resp kmsg.Response) int16 {
	switch r := resp.(type) {
	case *kmsg.FindCoordinatorResponse:
		_, code := coordinatorOf(r)
		return code
	case *kmsg.OffsetFetchResponse:
		g := single(r)
		if r.Version >= 8 && len(r.Groups) > 0 {
			g = &r.Groups[0]
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				return p.ErrorCode
			}
		}
		return g.ErrorCode
	case *kmsg.ListOffsetsResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				return p.ErrorCode
			}
		}
	case *kmsg.FetchResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				return p.ErrorCode
			}
		}
		return r.ErrorCode
	case *kmsg.DescribeProducersResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				return p.ErrorCode
			}
		}
	case *kmsg.ListTransactionsResponse:
		return r.ErrorCode
	case *kmsg.DescribeTransactionsResponse:
		for _, t := range r.TransactionStates {
			if t.TransactionalID == nobody && t.ErrorCode != kerr.TransactionalIDAuthorizationFailed.Code {
				continue // as it should be
			}
			return t.ErrorCode
		}
	}
	return 0
}
