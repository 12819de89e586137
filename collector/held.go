package collector

import (
	"slices"
	"time"
)

// held remembers which offsets a group has had committed on one partition. No commit is offset 0.
//
// Of polled commits only some are seen: whatever lies between two polls in a row may have been committed between them.
// Of followed ones each is seen.
type held struct {
	begun bool
	now   int64  // the last commit in the order of their making, as far as it is known
	past  []span // what was replaced, oldest first

	// polled stands for the commit of a poll that the follower has not come to yet; now is older.
	polled int64
	ahead  bool
}

// span holds the offsets [low, high], last held at the latest in the reading that showed them replaced.
type span struct {
	low, high int64
	replaced  time.Time
}

func between(a, b int64, at time.Time) span { return span{min(a, b), max(a, b), at} }

// maxHeld bounds what is remembered of a partition. Beyond it the oldest spans become one.
const maxHeld = 128

// poll takes the commit that a poll read.
func (h *held) poll(at time.Time, offset int64) {
	offset = max(offset, 0)
	if h.begun && h.now != offset {
		h.add(between(h.now, offset, at))
	}
	h.begun, h.now, h.ahead = true, offset, false
}

// follow takes the commits made since the last call, and the one that a poll read meanwhile. The follower may be behind
// the poll, or past it.
func (h *held) follow(at time.Time, commits []int64, polled int64) {
	polled = max(polled, 0)
	if !h.begun {
		h.begun, h.now = true, polled
		if len(commits) > 0 {
			h.now = max(commits[0], 0)
		}
	}
	seen := h.now == polled
	for _, c := range commits {
		if c = max(c, 0); c != h.now {
			h.add(between(h.now, h.now, at))
			h.now = c
		}
		seen = seen || c == polled
	}
	h.polled, h.ahead = polled, !seen
}

func (h *held) add(s span) {
	if h.past = append(h.past, s); len(h.past) > maxHeld {
		h.past[1].low, h.past[1].high = min(h.past[0].low, h.past[1].low), max(h.past[0].high, h.past[1].high)
		h.past = slices.Delete(h.past, 0, 1)
	}
}

// forget drops what was replaced before a time.
func (h *held) forget(before time.Time) {
	n := 0
	for n < len(h.past) && h.past[n].replaced.Before(before) {
		n++
	}
	h.past = slices.Delete(h.past, 0, n)
}

// admits says that an offset was committed at a time or later, or may have been.
func (h *held) admits(offset int64, since time.Time) bool {
	if !h.begun {
		return false
	}
	if offset == h.now || h.ahead && offset >= min(h.now, h.polled) && offset <= max(h.now, h.polled) {
		return true
	}
	for _, s := range slices.Backward(h.past) {
		if s.replaced.Before(since) {
			return false
		}
		if offset >= s.low && offset <= s.high {
			return true
		}
	}
	return false
}

// saw says that an offset was itself seen to be committed at a time or later.
func (h *held) saw(offset int64, since time.Time) bool {
	if h.begun && offset == h.now {
		return true
	}
	return slices.ContainsFunc(h.past, func(s span) bool {
		return !s.replaced.Before(since) && (offset == s.low || offset == s.high)
	})
}
