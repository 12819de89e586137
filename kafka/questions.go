package kafka

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Question asks what the offsets [From, To) of a partition are for the consumers of a group. The group need not exist.
type Question struct {
	Group, Topic string
	Partition    int32
	From         int64
	To           int64 // math.MaxInt64: the high watermark

	// ID is the topic that the question is about. Of another one that has taken its name, nothing is known. Zero:
	// whichever has the name.
	ID TopicID
}

// Answer is what a pass knows to a Question. An empty stretch, and one that ends before it begins, holds nothing.
type Answer struct {
	// Err is why nothing is known: ErrOtherTopic, ErrNotRead, or what the broker said of the topic or the partition. The
	// rest means nothing then.
	Err error

	From int64 // of the question, or 0 if that is lower
	To   int64 // of the question, or the high watermark if that is lower

	Isolation Isolation
	Source    IsolationSource

	// Composition counts [From, To) by kind. Records that a consumer will be, or was, handed are its Records: never less
	// than the truth. What lies below the log start offset is Lost, and what the budget did not reach Unscanned.
	Composition
}

// The errors of an Answer whose question has no answer on this cluster, or in this pass.
var (
	ErrOtherTopic = errors.New("a topic of another identity has the name")
	ErrNotRead    = errors.New("left out by the filters or the shard")
)

// asked is a question on its way to its answer.
type asked struct {
	answer *Answer
	topic  *Topic // nil: there is no answer, or nothing to look at
	tails  *topicTails
	number int32
}

// examine finds what the questions are about, and answers those that need no look at a log.
func (c *Cluster) examine(s *Snapshot, standings []standing, questions []Question) (answers []Answer, open []asked) {
	answers = make([]Answer, len(questions))
	for i := range questions {
		q, a := &questions[i], &answers[i]
		a.Isolation, a.Source = c.judgedBy(q, find(standings, q))
		var topic *Topic
		if topic, a.Err = c.topicOf(s, q); a.Err != nil {
			continue
		}
		a.From, a.To = max(q.From, 0), min(q.To, topic.Partitions[q.Partition].HighWatermark)
		if a.From < a.To {
			open = append(open, asked{a, topic, nil, q.Partition})
		}
	}
	return answers, open
}

// find is the standing of a question's group on its topic; nil if it has none.
func find(standings []standing, q *Question) *standing {
	i, ok := slices.BinarySearchFunc(standings, q, func(st standing, q *Question) int {
		return cmp.Or(strings.Compare(st.group.Name, q.Group), strings.Compare(st.topic.Name, q.Topic))
	})
	if !ok {
		return nil
	}
	return &standings[i]
}

// judgedBy is the isolation by which a question's group is judged: without commits on the topic, as the configuration
// says, or as was settled while it had some.
func (c *Cluster) judgedBy(q *Question, st *standing) (Isolation, IsolationSource) {
	if st != nil {
		return st.isolation, st.source
	}
	isolation, source := c.isolation(&standing{group: &Group{Name: q.Group}})
	if h := c.tracker.groups[q.Group][q.Topic]; source == Assumed && h != nil && h.settled && (q.ID == TopicID{} || q.ID == h.id) {
		return ReadUncommitted, Observed
	}
	return isolation, source
}

// topicOf is the topic of a question that has its partition, whose ends are known.
func (c *Cluster) topicOf(s *Snapshot, q *Question) (*Topic, error) {
	t := s.Topic(q.Topic)
	switch {
	case t == nil && (!c.config.Shard.Whole() || !c.config.Topics.Match(q.Topic)):
		return nil, ErrNotRead
	case t == nil:
		return nil, kerr.UnknownTopicOrPartition
	case t.Err != nil:
		return nil, t.Err
	case q.ID != t.ID && q.ID != TopicID{} && t.ID != TopicID{}:
		return nil, ErrOtherTopic
	case q.Partition < 0 || int(q.Partition) >= len(t.Partitions):
		return nil, kerr.UnknownTopicOrPartition
	}
	return t, t.Partitions[q.Partition].Err
}

func (a *asked) partition() *Partition { return &a.topic.Partitions[a.number] }

// want tells the index what the question is about. A stretch above the lowest commit is known, or wanted, anyway.
func (a *asked) want(x *index) {
	p := a.partition()
	from := max(a.answer.From, p.LogStart)
	if from >= a.answer.To {
		return
	}
	a.tails = x.topic(a.topic)
	t := &a.tails.parts[a.number]
	t.wants = append(t.wants, want{from: from, to: a.answer.To, isolation: a.answer.Isolation})
}

// count counts what is known now.
func (a *asked) count() {
	p, r := a.partition(), a.answer
	from := min(max(r.From, p.LogStart), r.To)
	r.Composition[Lost] = from - r.From
	a.tails.known(a.number).count(p, r.Isolation, from, r.To, &r.Composition)
}
