package mysql

import "errors"

// trials are what the scans of a round tell of whether scans work.
type trials struct {
	denied, broken error // the first of each kind
	proven         bool  // a server has sent events
}

// note takes in the scan for a consumer. One that the round's end has ended tells nothing.
func (t *trials) note(c *ConsumerReading, over bool) {
	switch {
	case c.Scan != nil:
		t.proven = t.proven || c.Scan.made() && !c.Scan.Cached
	case errors.Is(c.ScanErr, ErrDenied):
		if t.denied == nil {
			t.denied = c.ScanErr
		}
	case t.broken == nil && !over:
		t.broken = c.ScanErr
	}
}

// verdict is why scans do not work, and before what it was in the last round. A privilege is missing until a server has sent events:
// what is remembered, or cannot be scanned, tells nothing of it. Another failure is that of its round.
func (t *trials) verdict(before error) error {
	switch {
	case t.denied != nil:
		return t.denied
	case t.proven:
		return nil
	case errors.Is(before, ErrDenied):
		return before
	}
	return t.broken
}
