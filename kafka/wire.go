package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var (
	// errUnsupported is the error of a request that the broker's version does not know. It was not sent.
	errUnsupported = errors.New("the broker does not know this request")

	// errTooLarge is the error of an answer of more than 100 MiB. The client has closed the connection instead of reading.
	errTooLarge = errors.New("the broker's answer is too large to be read")

	// errUnanswered is the error of a row that was asked for and is missing from the answer.
	errUnanswered = errors.New("the broker's answer leaves this out")

	// errInvalidOffset is the error of a row whose offset is negative though it has no error code.
	errInvalidOffset = errors.New("the broker answered a negative offset")
)

// wire sends requests to brokers and counts them and their errors. Nothing is spread, merged or repeated behind its
// caller's back, so that each broker's rows stand or fall by themselves.
type wire struct {
	client *kgo.Client
	books  *books

	// told, unless nil, is told of each request that ask has sent, with the response or the error.
	told func(broker int32, req kmsg.Request, resp kmsg.Response, began time.Time, err error)
}

// ask sends a request to one broker. A connection that the broker closed while it was idle is opened again; everything
// else that goes wrong is the answer. Codes inside the response are the caller's to read.
func (w *wire) ask(ctx context.Context, broker int32, req kmsg.Request) (kmsg.Response, error) {
	api := kmsg.NameForKey(req.Key())
	b := w.client.Broker(int(broker))
	w.books.sent(api)
	began := time.Now()
	resp, err := b.Request(ctx, req)
	if err != nil && ctx.Err() == nil && kgo.IsRetryableBrokerErr(err) {
		w.books.sent(api)
		resp, err = b.Request(ctx, req)
	}
	if w.told != nil {
		w.told(broker, req, resp, began, err)
	}
	if err == nil {
		return resp, nil
	}
	switch {
	case tooOld(err):
		err = errUnsupported
	case tooLarge(err):
		err = errTooLarge
	}
	if !errors.Is(err, context.Canceled) { // nobody waits for the answer any more, which says nothing of the broker
		w.books.failed(api, err)
	}
	return nil, fmt.Errorf("%s at broker %d: %w", api, broker, err)
}

// metadata asks any broker about topics: nil for all, and never creates one. It also tells the client which brokers
// there are. A broker that is slow to answer gets company after a quarter of the time, since one that hangs is as
// likely to be chosen as another. The node is the broker that answered; negative if it is known as a seed only.
func (w *wire) metadata(ctx context.Context, topics []kmsg.MetadataRequestTopic) (*kmsg.MetadataResponse, kgo.BrokerMetadata, error) {
	patience := time.Second
	if deadline, ok := ctx.Deadline(); ok {
		patience = max(time.Until(deadline)/4, time.Millisecond)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // those that lost the race

	// The client goes round its known brokers and takes one seed after each round.
	left := (len(w.client.DiscoveredBrokers()) + 1) * len(w.client.SeedBrokers())
	shards := make(chan kgo.ResponseShard, left)
	running := 0
	start := func() {
		if left == 0 || running == maxCompany {
			return
		}
		left--
		running++
		w.books.sent("Metadata")
		go func() {
			req := kmsg.NewPtrMetadataRequest()
			req.Topics = topics
			req.AllowAutoTopicCreation = false
			shards <- w.client.RequestSharded(ctx, req)[0]
		}()
	}
	tick := time.NewTicker(patience)
	defer tick.Stop()
	var err error
	for start(); running > 0; {
		select {
		case s := <-shards:
			running--
			if s.Err == nil {
				for range running {
					w.books.failed("Metadata", context.DeadlineExceeded)
				}
				return s.Resp.(*kmsg.MetadataResponse), s.Meta, nil
			}
			if err == nil || !timedOut(s.Err) { // a refusal says more than the end of the time
				err = s.Err
			}
			if !errors.Is(s.Err, context.Canceled) {
				w.books.failed("Metadata", s.Err)
			}
			if ctx.Err() == nil {
				start()
			}
		case <-tick.C:
			start()
		}
	}
	return nil, kgo.BrokerMetadata{}, fmt.Errorf("metadata at any broker: %w", err)
}

// maxCompany is how many brokers are asked for the same metadata at a time.
const maxCompany = 3

// tooOld recognises the two errors by which kgo says that a broker's ApiVersions do not name a request. They are not
// exported.
func tooOld(err error) bool {
	s := err.Error()
	return strings.HasPrefix(s, "broker is too old") || strings.HasPrefix(s, "request key is unknown")
}

// tooLarge recognises the error by which kgo says that an answer is larger than BrokerMaxReadBytes. It is not exported.
func tooLarge(err error) bool {
	return strings.Contains(err.Error(), "response exceeds BrokerMaxReadBytes")
}

// maxAnswer is how many bytes an answer may have to be read.
func (w *wire) maxAnswer() int {
	most, _ := w.client.OptValue(kgo.BrokerMaxReadBytes).(int32)
	return int(most)
}

// timedOut says whether an error means that time ran out while a broker was waited for.
func timedOut(err error) bool {
	ne, ok := errors.AsType[net.Error](err) // context.DeadlineExceeded is one
	return ok && ne.Timeout()
}

// failureName is the name under which an error is counted.
func failureName(err error) string {
	if ke, ok := errors.AsType[*kerr.Error](err); ok {
		return ke.Message
	}
	switch {
	case errors.Is(err, errInvalidOffset):
		return "INVALID_OFFSET"
	case errors.Is(err, errTooLarge):
		return "too_large"
	case errors.Is(err, errUnanswered):
		return "unanswered"
	case errors.Is(err, errUnsupported):
		return "unsupported"
	case timedOut(err):
		return "timeout"
	}
	return "connection"
}
