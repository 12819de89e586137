package kafka

import (
	"cmp"
	"slices"
	"time"
)

// tail is what is known of one partition's log between the lowest commit of interest and the high watermark.
type tail struct {
	stable runs // below the last stable offset; what these offsets are is settled
	open   runs // from the last stable offset on, for read_uncommitted: what is aborted later still counts as Record

	renewal *runs     // takes the place of stable once it reaches as far: the cleaner changes compacted topics
	begun   time.Time // when the reading of stable began
	calm    uint8     // how often in a row reading it again was for nothing

	epoch  int32     // the leader epoch under which the maps hold
	high   int64     // the greatest high watermark that was seen while they were extended
	floor  int64     // what lies below is not read: the index has no room for it
	denied time.Time // when Fetch was last refused for want of READ; zero when it was not
	wants  []want    // this scrape's

	doubted bool // an election may have cut the log, and its leader does not tell: the maps do not count in this scrape

	// times are those of records inside batches, by offset, where a commit stands before one. They hold as long as the maps: the
	// first record of a batch with holes is another one when the cleaner has been there.
	times map[int64]int64
}

// want is a commit from which on a scrape wants to know what the offsets are, or the stretch that a question is about.
type want struct {
	from      int64
	to        int64 // 0: the log's end
	isolation Isolation
	moved     bool // the commit is not where it was at the last scrape
}

// deniedFor is how long a refusal of Fetch is believed.
const deniedFor = time.Minute

// forget drops the maps.
func (t *tail) forget() { *t = tail{wants: t.wants, denied: t.denied} }

func (t *tail) mapped() bool { return t.len() > 0 }

// len is how many runs the maps hold.
func (t *tail) len() int {
	n := t.stable.len() + t.open.len()
	if t.renewal != nil {
		n += t.renewal.len()
	}
	return n
}

// truncate forgets what an election may have cut off. A transaction whose marker was cut is open again and may end the
// other way, so that none of its records is what it was, also those below the cut. The marker may have been anywhere
// below the high watermark of that time, also far above what is mapped.
func (t *tail) truncate(end int64) {
	if end < t.high {
		t.stable, t.times = runs{}, nil
	}
	t.open.trimFrom(end)
	t.renewal = nil
}

// count adds what [from, to) is for a group of an isolation level. t may be nil: nothing is known then.
func (t *tail) count(p *Partition, isolation Isolation, from, to int64, c *Composition) {
	if to <= from {
		return
	}
	border := min(max(p.LastStable, from), to)
	var below Composition
	if t == nil {
		below[Unscanned] = border - from
	} else {
		t.stable.count(from, border, &below)
	}
	switch {
	case isolation == ReadCommitted:
		below[Blocked] += to - border
	case t == nil:
		below[Unscanned] += to - border
	default:
		below[Record] += below[Aborted]
		below[Aborted] = 0
		t.open.count(border, to, &below)
	}
	c.add(&below)
}

// shed makes the maps forget their lowest offsets until no more than about n runs are left.
func (t *tail) shed(n int, now time.Time) {
	if t.len() > n && t.renewal != nil {
		t.renewal, t.begun = nil, now // the map that it was to replace is older, and claims no less
		t.calm = min(t.calm+1, calmest)
	}
	for _, m := range []*runs{&t.stable, &t.open} {
		if over := t.len() - n; over > 0 {
			t.floor = max(t.floor, m.after(over))
			m.trimBelow(t.floor)
		}
	}
}

// plan says what must be read for the wants to be answered, in the order in which it helps: the offsets next to the end
// come first, since a group far behind must not keep one that is nearly there from its answer. It also forgets what no
// want reaches, unless others may come back.
func (t *tail) plan(p *Partition, partial bool) (stable, open, renewal []span) {
	lowest := max(slices.MinFunc(t.wants, func(a, b want) int { return cmp.Compare(a.from, b.from) }).from, p.LogStart)
	if t.floor <= lowest {
		t.floor = 0
	}
	low := max(lowest, t.floor)
	keep := low
	if partial {
		keep = max(t.floor, p.LogStart)
	}
	t.stable.trimBelow(keep)
	t.open.trimBelow(max(keep, p.LastStable))
	for _, s := range covered(t.wants, ReadCommitted, low, p.LastStable) {
		stable = t.stable.unread(stable, s)
		if t.renewal != nil {
			renewal = t.renewal.unread(renewal, s)
		}
	}
	for _, s := range covered(t.wants, ReadUncommitted, max(low, p.LastStable), p.HighWatermark) {
		open = t.open.unread(open, s)
	}
	return stable, open, renewal
}

// calmest bounds how far apart a map is read again: 2^calmest times as far as one that compaction changes.
const calmest = 4

// due says that the stable map is older than it may be. Each time that reading it again was for nothing, it may be twice
// as old: an abandoned backlog would cost as much for ever.
func (t *tail) due(now time.Time, age time.Duration) bool {
	return t.stable.len() > 0 && now.Sub(t.begun) >= age<<t.calm
}

// renew begins to read the stable map again when it is due, and puts the new one in its place when nothing is left to read
// for it. It says whether it did either.
func (t *tail) renew(now time.Time, age time.Duration, left []span) bool {
	switch {
	case t.renewal != nil && len(left) == 0:
		if t.calm = min(t.calm+1, calmest); !t.stable.agrees(t.renewal) {
			t.calm, t.times = 0, nil
		}
		t.stable, t.renewal, t.begun = *t.renewal, nil, now
	case t.renewal == nil && t.due(now, age):
		t.renewal = &runs{}
	default:
		return false
	}
	return true
}

// cuts are the offsets of interest: what lies on both sides of each must be countable.
func (t *tail) cuts() []int64 {
	cuts := make([]int64, len(t.wants))
	for i, w := range t.wants {
		cuts[i] = w.from
		if w.to != 0 {
			cuts = append(cuts, w.to)
		}
	}
	return cuts
}

// moved says whether any commit of interest has moved.
func (t *tail) moved() bool {
	return slices.ContainsFunc(t.wants, func(w want) bool { return w.moved })
}
