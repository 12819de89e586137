package mysql

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Statement is something that was sent in a round: to the server, or to where a consumer notes down its place.
type Statement struct {
	Consumer string // whom it is for; empty: it is for all
	Text     string // without secrets
	At       time.Time
	Took     time.Duration
	Err      error
}

// Sent notes a statement that has been answered, or given up, in the round that ctx is of. Outside a round it does nothing.
func Sent(ctx context.Context, text string, at time.Time, err error) {
	t, ok := ctx.Value(traceKey{}).(trace)
	if ok {
		t.note(Statement{t.consumer, text, at, time.Since(at), err})
	}
}

// mostStatements is how many a round notes: enough for hundreds of consumers, each of which needs a few.
const mostStatements = 2000

// sent are the statements of a round, or of a part of it that outlives the round.
type sent struct {
	mu  sync.Mutex
	all []Statement
}

// trace is how statements get there.
type trace struct {
	*sent
	consumer string
}

type traceKey struct{}

// traced is a context whose statements are noted in s, for one consumer or, with an empty name, for all.
func (s *sent) traced(ctx context.Context, consumer string) context.Context {
	return context.WithValue(ctx, traceKey{}, trace{s, consumer})
}

// tracedFor is ctx for one consumer.
func tracedFor(ctx context.Context, consumer string) context.Context {
	if t, ok := ctx.Value(traceKey{}).(trace); ok {
		return t.traced(ctx, consumer)
	}
	return ctx
}

func (s *sent) note(more ...Statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, more[:min(len(more), mostStatements-len(s.all))]...)
}

// list is what was noted up to now, in the order in which it was sent.
func (s *sent) list() []Statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.all)
	slices.SortStableFunc(all, func(a, b Statement) int { return a.At.Compare(b.At) })
	return all
}
