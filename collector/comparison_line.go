package collector

import (
	"time"

	"truelag/kafka"
)

// comparedLine is what is remembered of a partition of a source.
type comparedLine struct {
	CommitLine
	id    kafka.TopicID
	heard time.Time // when the source was last heard to say something of it
	first int64     // the first emitted offset that was heard; flink.Unset: none
}

// forgetAfter is for how long a partition may not be heard of before its history is forgotten: a reporter may be silent at
// times, and a partition may go to another instance of its source.
const forgetAfter = 10 * time.Minute

// miss goes on with the history of a partition of which nothing was heard in a pass. It returns false where that is of no
// use any more.
func (l *comparedLine) miss(p *comparisonPass, s CommitSample) bool {
	if p.reading.At.Sub(l.heard) > forgetAfter {
		l.CommitLine = CommitLine{}
		return false
	}
	l.Miss(s)
	return true
}

// old says that the line is of a topic of another identity, as far as the topic's is known.
func (l *comparedLine) old(topic *kafka.Topic) bool {
	return topic != nil && topic.Err == nil && topic.ID != l.id
}
