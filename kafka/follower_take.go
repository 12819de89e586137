package kafka

import (
	"time"

	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kgo"
)

// record enters one record. Its error is errUnfit.
func (f *follower) record(p *logPart, r *kgo.Record) error {
	if r.Attrs.IsControl() {
		f.records[OtherRecord]++
		return f.marker(p, r)
	}
	var c seenCommit
	kind, err := readCommitKey(r.Key, &c)
	wanted := kind == CommitRecord && f.groups.lets(c.group) && f.topics.lets(c.topic)
	switch {
	case wanted:
		kind, err = readCommitValue(r.Value, &c)
	case kind == CommitRecord && r.Value == nil:
		kind = TombstoneRecord
	}
	f.records[kind]++
	if kind == UndecodableRecord {
		f.oddity(p, r, err)
		f.watched.lose(func(group string) bool { return group == c.group })
		return nil
	}
	if !wanted {
		return nil
	}
	c.at = r.Offset
	if r.Attrs.IsTransactional() {
		p.held.hold(r.ProducerID, &c)
		return nil
	}
	return f.commit(p, &c, 1)
}

// marker ends a transaction. What it has committed takes its place by the offsets of its records, as in the broker.
func (f *follower) marker(p *logPart, r *kgo.Record) error {
	v := readMarker(r.Key)
	if v == noVerdict {
		return nil
	}
	for _, c := range p.held.end(r.ProducerID) {
		if v == isAborted {
			continue
		}
		if err := f.commit(p, &c.seenCommit, c.count); err != nil {
			return err
		}
	}
	return nil
}

// maxDead bounds the trails that are kept only to tell the next pass that a commit is gone. Where nobody scrapes, they
// would pile up.
const maxDead = 1 << 16

// commit enters a commit, or several on one partition of which it is the last, or a tombstone.
func (f *follower) commit(p *logPart, c *seenCommit, count int64) error {
	g := f.trails.of(c, int(p.number), len(f.parts))
	if g == nil {
		return errUnfit
	}
	t := g.on(c)
	was := t.gone
	t.add(c)
	t.commits += count - 1
	f.watched.see(c)
	switch {
	case t.gone && !was:
		f.dead++
	case was && !t.gone:
		f.dead--
	}
	if f.dead > maxDead {
		f.forget()
	}
	return nil
}

// forget drops all that was seen and not handed over yet, and says so.
func (f *follower) forget() {
	f.trails, f.dead = trails{}, 0
	for _, p := range f.parts {
		p.anew = true
	}
}

// oddKinds bounds the lines about undecodable records.
const oddKinds = 20

// oddity tells the log of a new way in which a record cannot be decoded, once.
func (f *follower) oddity(p *logPart, r *kgo.Record, err error) {
	if why := err.Error(); !f.odd[why] && len(f.odd) < oddKinds {
		f.odd[why] = true
		level.Warn(f.logger).Log("msg", "A record of "+commitTopic+" cannot be decoded; more of this kind are only counted",
			"partition", p.number, "offset", r.Offset, "err", err)
	}
}

// collected is what a follower hands over to a pass: all that it saw since the last one.
type collected struct {
	trails trails
	logs   int    // partitions of __consumer_offsets; 0: not known
	live   []bool // by partition: commits are seen soon after they were made
	anew   []bool // by partition: something may have been missed, so histories begin anew
}

// collect hands over what was seen.
func (f *follower) collect(now time.Time) collected {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := collected{trails: f.trails, logs: len(f.parts), live: make([]bool, len(f.parts)), anew: make([]bool, len(f.parts))}
	f.trails, f.dead = trails{}, 0
	for i, p := range f.parts {
		c.live[i] = f.state() == following && p.live(now, f.pace.overdue)
		c.anew[i], p.anew = p.anew, false
	}
	return c
}

// expect takes the ends of __consumer_offsets that a pass has read; -1 for those that are not known.
func (f *follower) expect(ends []int64, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.off == FollowerMissing && len(ends) > 0 {
		select {
		case f.created <- struct{}{}:
		default:
		}
	}
	if len(ends) != len(f.parts) {
		return
	}
	for i, p := range f.parts {
		if ends[i] >= 0 && p.position >= 0 {
			p.expect(ends[i], now)
		}
	}
}
