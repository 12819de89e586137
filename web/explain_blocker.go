package web

import (
	"fmt"
	"time"
)

// Blocker is the transaction that the last stable offset waits for.
type Blocker struct {
	Producer        int64 // -1: not known
	Epoch           int32
	TransactionalID string        // empty: not known, or none
	State           string        // of the transactional id, as its coordinator spells it; empty: not told
	Timeout         time.Duration // 0: not told
	Since           time.Time     // zero: not known

	Judged  bool   // Hanging and Doubt mean something
	Hanging bool   // nobody seems to be going to end it
	Doubt   string // why nobody may be going to end it
	Why     string // it is not judged: what is missing
}

// blocker names the open transaction.
func (e *Explanation) blocker() string {
	b := e.Blocker
	if b == nil {
		return "an open transaction"
	}
	s := "an open transaction"
	if b.Hanging {
		s = "a hanging transaction"
	}
	if b.TransactionalID != "" {
		s += fmt.Sprintf(" of %q", name(b.TransactionalID))
	}
	if b.Producer >= 0 {
		if b.TransactionalID != "" {
			s += ","
		} else {
			s += " of"
		}
		s += fmt.Sprintf(" producer %d (epoch %d)", b.Producer, b.Epoch)
	}
	if !b.Since.IsZero() {
		s += fmt.Sprintf(", open since %s (%s)", stamp(b.Since), age(e.At, b.Since))
	}
	switch {
	case b.Doubt != "":
		s += ": " + b.Doubt
	case b.Judged && b.Timeout > 0:
		s += fmt.Sprintf("; its coordinator has it in hand (%s, with a timeout of %s)", name(b.State), lasted(b.Timeout))
	case b.Judged:
		s += fmt.Sprintf("; its coordinator has it in hand (%s)", name(b.State))
	case b.Why != "":
		s += "; whether it hangs is not known: " + b.Why
	}
	return s
}

// OpenFor is how long the transaction has been open, in words.
func (e *Explanation) OpenFor() string {
	if e.Blocker == nil || e.Blocker.Since.IsZero() {
		return "unknown"
	}
	return lasted(max(e.At.Sub(e.Blocker.Since), 0))
}

// Hangs says in a word or two whether nobody is going to end the transaction.
func (b *Blocker) Hangs() string {
	switch {
	case !b.Judged:
		return "unknown"
	case b.Hanging:
		return "yes"
	case b.Doubt != "":
		return "perhaps"
	}
	return "no"
}
