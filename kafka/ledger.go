package kafka

import (
	"maps"
	"sync"
)

// Ledger counts what reading a cluster has cost and met since the start.
type Ledger struct {
	Requests    map[string]int64  // by API name, as the protocol spells it ("ListOffsets")
	Errors      map[Failure]int64 // by API and error; the usual ones exist at 0 from the start
	ScanBytes   int64             // record bytes that the tail index fetched
	ScanFetches int64             // Fetch requests that the tail index sent
}

// Failure names one kind of error of one API: the protocol's name of an error code ("TOPIC_AUTHORIZATION_FAILED"), or
// "timeout", "connection", "unsupported" for a request without an answer.
type Failure struct {
	API, Error string
}

// books is a Ledger that is being written.
type books struct {
	mu     sync.Mutex
	ledger Ledger
}

func (b *books) snapshot() Ledger {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.ledger
	l.Requests, l.Errors = maps.Clone(l.Requests), maps.Clone(l.Errors)
	return l
}
