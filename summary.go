package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/collector"
	"truelag/kafka"
	"truelag/web"
)

// summary passes a cluster's readings on and keeps of the last one what the landing page shows.
type summary struct {
	collector.KafkaReader

	mu     sync.Mutex
	at     time.Time // zero: no reading yet
	groups web.Ranking
	off    []web.Off
}

// ReadFor implements collector.KafkaReader.
func (s *summary) ReadFor(ctx context.Context, in kafka.Interest) (*kafka.Reading, error) {
	r, err := s.KafkaReader.ReadFor(ctx, in)
	if err == nil {
		groups, off := rank(s.Name(), r), lacking(s.Name(), r)
		s.mu.Lock()
		s.at, s.groups, s.off = r.At, groups, off
		s.mu.Unlock()
	}
	return r, err
}

// summarize joins what is known of several clusters: as old as the oldest.
func summarize(clusters []*cluster) (at time.Time, groups web.Ranking, off []web.Off) {
	for _, s := range clusters {
		s.mu.Lock()
		if !s.at.IsZero() && (at.IsZero() || s.at.Before(at)) {
			at = s.at
		}
		groups.Merge(&s.groups)
		off = append(off, s.off...)
		s.mu.Unlock()
	}
	return at, groups, off
}

// reviewOf is what was found last about Flink sources; nil: none is heard.
func reviewOf(f *collector.Flink) *web.FlinkReview {
	if f == nil {
		return nil
	}
	from := f.Review()
	r := &web.FlinkReview{Read: from.At, Sources: from.Sources, Unheard: from.Unheard}
	for i := range from.Troubled {
		t := &from.Troubled[i]
		to := web.FlinkTrouble{
			FlinkCluster: t.FlinkCluster, Job: t.Job, Operator: t.Operator,
			Place: web.Place{Cluster: t.KafkaCluster, Group: t.Group, Topic: t.Topic, Partition: t.Partition},
			Ended: t.Ended, Skip: t.Skip, Ahead: t.Ahead, Behind: t.Behind, Uncommitted: t.Uncommitted,
			Conditions: namesOf(t.Conditions),
		}
		if t.How != "" && t.Topic != "" {
			to.Place.Scope = web.OnePartition
		}
		r.Troubled = append(r.Troubled, to)
	}
	return r
}

func rank(cluster string, r *kafka.Reading) web.Ranking {
	var groups web.Ranking
	for i := range r.Lags {
		groups.Add(groupOf(cluster, &r.Lags[i]))
	}
	return groups
}

func onlyUncommitted(l *kafka.TopicLag) bool {
	for _, c := range kafka.Conditions() {
		if c != kafka.Uncommitted && l.Conditions[c] > 0 {
			return false
		}
	}
	return l.Conditions[kafka.Uncommitted] > 0
}

// lacking says what the broker does not allow.
func lacking(cluster string, r *kafka.Reading) []web.Off {
	count := func(c kafka.Condition) (n int) {
		for i := range r.Lags {
			if r.Lags[i].Conditions[c] > 0 {
				n++
			}
		}
		return n
	}
	var off []web.Off
	if n := count(kafka.Denied); n > 0 {
		off = append(off, web.Off{
			What: fmt.Sprintf("Lag on %d pairs of group and topic%s", n, of(cluster)),
			Why:  "The broker refuses to describe the topics.",
			How:  "Allow DESCRIBE on them.",
		})
	}
	if n := count(kafka.Unreadable); n > 0 {
		off = append(off, web.Off{
			What: fmt.Sprintf("True lag on %d pairs of group and topic%s", n, of(cluster)),
			Why:  "The broker refuses to let the topics be read: every offset counts as a record.",
			How:  "Allow READ on them.",
		})
	}
	if r.Follower != nil && r.Follower.State == kafka.FollowerDenied {
		off = append(off, web.Off{
			What: "Rewinds between two scrapes" + of(cluster),
			Why:  "The broker refuses to let __consumer_offsets be read: commits are compared from scrape to scrape.",
			How:  "Allow READ and DESCRIBE on it.",
		})
	}
	refused := 0
	for i := range r.Transactions {
		err := r.Transactions[i].Err
		if errors.Is(err, kerr.TopicAuthorizationFailed) || errors.Is(err, kerr.TransactionalIDAuthorizationFailed) {
			refused++
		}
	}
	if refused > 0 {
		off = append(off, web.Off{
			What: fmt.Sprintf("Whose transactions hold %d partitions back%s", refused, of(cluster)),
			Why:  "The broker refuses to describe their producers or transactional ids.",
			How:  "Allow READ on the topics and DESCRIBE on transactional ids.",
		})
	}
	return off
}
