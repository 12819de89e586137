package kafka

import (
	"errors"
	"maps"

	"github.com/twmb/franz-go/pkg/kerr"
)

// absorb takes what a follower saw since the last scrape. Where it may have missed something, histories begin anew.
func (t *tracker) absorb(c collected) {
	t.live = c.live
	for log, anew := range c.anew {
		if anew {
			t.trails.drop(log)
		}
	}
	for group, topics := range t.groups {
		if c.logs == 0 || !c.anew[logPartition(group, c.logs)] {
			continue
		}
		for _, h := range topics {
			for i := range h.parts {
				h.parts[i].known = false
			}
		}
	}
	t.trails.join(c.trails)
}

// sees says whether the follower keeps up with a group.
func (t *tracker) sees(group string) bool {
	return len(t.live) > 0 && t.live[logPartition(group, len(t.live))]
}

// follow enters the trails of a group on a topic, but for those of partitions whose ends are unknown: they wait.
func (h *history) follow(t *tracker, group string, topic *Topic, anew bool) (lower []*rewind) {
	g := t.trails[group]
	if g == nil {
		return nil
	}
	waits := func(number int32) bool {
		return int(number) < len(topic.Partitions) && topic.Partitions[number].Err != nil
	}
	parts, waiting := g.topics[topic.Name], false
	for number, tr := range parts {
		switch {
		case waits(number):
			waiting = true
			continue
		case int(number) >= len(topic.Partitions):
			continue
		}
		h.commits += tr.commits
		if tr.differs(topic.ID) { // commits on a topic that another of the same name has replaced
			continue
		}
		was, p := &h.parts[number], &topic.Partitions[number]
		was.cut(p)
		r := rewind{Rewind: Rewind{Group: group, Topic: topic.Name, Partition: number}, topic: topic, history: h, epoch: was.epoch}
		if was.at == 0 {
			r.epoch = p.LeaderEpoch
		}
		lower = append(lower, was.declines(tr, &r, p, anew)...)
		if tr.lastAt >= was.mark {
			was.enter(tr, p, t.scrape)
		}
	}
	if waiting {
		maps.DeleteFunc(parts, func(number int32, _ *trail) bool { return !waits(number) })
		return lower
	}
	delete(g.topics, topic.Name)
	if len(g.topics) == 0 {
		delete(t.trails, group)
	}
	return lower
}

// declines lists the steps back of a trail that are not in the history yet. Where the topic is not the one of the last
// scrape, and the records do not tell which one they are about, they cannot be told from the beginning of a new one.
func (p *past) declines(tr *trail, of *rewind, now *Partition, anew bool) (lower []*rewind) {
	end := int64(noFence) // where the log was cut since the last scrape
	if p.at != 0 && now.HighWatermark < p.high {
		end = now.HighWatermark
	}
	add := func(from, to, time int64) {
		if from = min(from, end); to < from {
			r := *of
			r.From, r.To, r.Time = from, to, time
			lower = append(lower, &r)
		}
	}
	if p.known && tr.begun && tr.firstAt >= p.mark {
		add(p.floor, tr.first, tr.firstTime)
	}
	if anew && tr.id == (TopicID{}) {
		return lower
	}
	for _, s := range tr.steps {
		if s.at >= p.mark && (tr.id != (TopicID{}) || !p.stays(s.from, now)) {
			add(s.from, s.to, s.time)
		}
	}
	if n := len(lower); n > 0 && end == noFence { // so steps that came later count, too
		lower[n-1].More, lower[n-1].more = tr.more.times, tr.more.offsets
	}
	return lower
}

// enter moves a history on to the end of a trail.
func (p *past) enter(tr *trail, now *Partition, scrape uint32) {
	p.mark, p.entered = tr.lastAt+1, scrape
	p.known, p.lapsed = true, false
	if tr.gone {
		p.floor = noCommit
		return
	}
	p.floor, p.time = tr.last, tr.time
	if p.leftover = tr.id == (TopicID{}) && p.stays(tr.last, now); p.leftover {
		p.floor = noCommit
	}
	if p.at == 0 {
		p.offset, p.high, p.epoch = tr.last, now.HighWatermark, now.LeaderEpoch
	}
	p.at = scrape
}

// endTrails drops trails that no later scrape will use: those of groups that are gone, and of partitions on which the
// group has no commit or whose topic is gone. Those of partitions whose ends are unknown wait.
func (t *tracker) endTrails(s *Snapshot) {
	for name, g := range t.trails {
		group := s.Group(name)
		switch {
		case group == nil:
			if s.GroupsComplete {
				t.missing(name, s.At)
			}
			continue
		case group.CommitsErr != nil:
			continue
		}
		for topicName, parts := range g.topics {
			topic := s.Topic(topicName)
			for number := range parts {
				switch {
				case topic == nil, errors.Is(topic.Err, kerr.UnknownTopicOrPartition):
				case topic.Err != nil, int(number) < len(topic.Partitions) && topic.Partitions[number].Err != nil:
					continue
				}
				delete(parts, number)
			}
			if len(parts) == 0 {
				delete(g.topics, topicName)
			}
		}
		if len(g.topics) == 0 {
			delete(t.trails, name)
		}
	}
}
