package kafka

import (
	"maps"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Ledger counts what reading a cluster has cost and met since the start.
type Ledger struct {
	Requests    map[string]int64   // by API name, as the protocol spells it ("ListOffsets")
	Errors      map[Failure]int64  // by API and error; the usual ones exist at 0 from the start
	ScanBytes   int64              // record bytes that the tail index fetched
	ScanFetches int64              // Fetch requests that the tail index sent
	Faults      [batchFaults]int64 // of batches that the tail index met, each time that it did
	Events      [eventKinds]int64  // findings by kind, also those that Events does not keep

	TLSFiles    bool  // there are TLS files, and TLSFailures means something
	TLSFailures int64 // looks at them, one for each new connection, that found none to use
}

// Failure names one kind of error of one API. It counts once for a request, and once for each row of an answer (a
// group, a topic, a partition) that has the error. Error is
//
//   - the protocol's name of an error code ("TOPIC_AUTHORIZATION_FAILED"),
//   - "timeout", "connection", "unsupported" or "too_large" for a request without a readable answer,
//   - "unanswered" for a row that was asked for and is missing from the answer,
//   - "INVALID_OFFSET" for a row whose offset is negative though it has no error code.
type Failure struct {
	API, Error string
}

// usual are the errors that a cluster in trouble is known to answer with. They are counted from 0, since increase()
// misses the first of a counter that was not there before.
var usual = map[string][]*kerr.Error{
	"Metadata":                  {kerr.LeaderNotAvailable, kerr.UnknownTopicOrPartition, kerr.TopicAuthorizationFailed},
	"ListGroups":                {kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.ClusterAuthorizationFailed},
	"FindCoordinator":           {kerr.CoordinatorNotAvailable, kerr.CoordinatorLoadInProgress, kerr.GroupAuthorizationFailed},
	"ListOffsets":               {kerr.NotLeaderForPartition, kerr.UnknownTopicOrPartition, kerr.TopicAuthorizationFailed, kerr.LeaderNotAvailable, kerr.KafkaStorageError},
	"OffsetFetch":               {kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.GroupAuthorizationFailed, kerr.UnknownTopicID},
	"DescribeGroups":            describing,
	"ConsumerGroupDescribe":     append([]*kerr.Error{kerr.TopicAuthorizationFailed}, describing...),
	"StreamsGroupDescribe":      append([]*kerr.Error{kerr.TopicAuthorizationFailed}, describing...),
	"ShareGroupDescribe":        append([]*kerr.Error{kerr.TopicAuthorizationFailed}, describing...),
	"DescribeProducers":         {kerr.TopicAuthorizationFailed, kerr.NotLeaderForPartition, kerr.UnknownTopicOrPartition},
	"ListTransactions":          {kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable},
	"DescribeTransactions":      {kerr.TransactionalIDAuthorizationFailed, kerr.TransactionalIDNotFound, kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator},
	"DescribeShareGroupOffsets": append([]*kerr.Error{kerr.TopicAuthorizationFailed}, describing...),
	"OffsetForLeaderEpoch":      {kerr.FencedLeaderEpoch, kerr.UnknownLeaderEpoch, kerr.NotLeaderForPartition, kerr.UnknownTopicOrPartition, kerr.TopicAuthorizationFailed},
	"DescribeConfigs":           {kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.UnknownTopicOrPartition},
	"Fetch":                     {kerr.TopicAuthorizationFailed, kerr.NotLeaderForPartition, kerr.OffsetOutOfRange, kerr.UnknownTopicOrPartition, kerr.UnknownTopicID, kerr.FencedLeaderEpoch, kerr.KafkaStorageError},
}

var describing = []*kerr.Error{kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.GroupAuthorizationFailed, kerr.GroupIDNotFound}

// books is a Ledger that is being written.
type books struct {
	mu     sync.Mutex
	ledger Ledger
}

func newBooks() *books {
	l := Ledger{Requests: map[string]int64{}, Errors: map[Failure]int64{}}
	for api, errs := range usual {
		l.Requests[api] = 0
		for _, name := range []string{"timeout", "connection", "unsupported"} {
			l.Errors[Failure{api, name}] = 0
		}
		for _, err := range errs {
			l.Errors[Failure{api, err.Message}] = 0
		}
	}
	for _, api := range []string{"OffsetFetch", "ListOffsets"} {
		l.Errors[Failure{api, failureName(errInvalidOffset)}] = 0
	}
	for _, api := range []string{"OffsetFetch", "Fetch"} {
		l.Errors[Failure{api, failureName(errTooLarge)}] = 0
	}
	return &books{ledger: l}
}

// sent counts a request.
func (b *books) sent(api string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger.Requests[api]++
}

// failed counts an error of a request or of one row of its answer.
func (b *books) failed(api string, err error) {
	f := Failure{api, failureName(err)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger.Errors[f]++
}

// scanned counts Fetch requests of the tail index and the record bytes that they brought.
func (b *books) scanned(fetches, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger.ScanFetches += fetches
	b.ledger.ScanBytes += bytes
}

// unreadable counts the batches that a scrape's scan could not read.
func (b *books) unreadable(d *decoder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for f := range d.faults {
		b.ledger.Faults[f] += d.faults[f].Load()
	}
}

// usesTLSFiles notes that TLS files are looked at for each connection.
func (b *books) usesTLSFiles() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger.TLSFiles = true
}

// failedTLSFiles counts a look at TLS files that cannot be used.
func (b *books) failedTLSFiles() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ledger.TLSFailures++
}

func (b *books) snapshot() Ledger {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.ledger
	l.Requests, l.Errors = maps.Clone(l.Requests), maps.Clone(l.Errors)
	return l
}
