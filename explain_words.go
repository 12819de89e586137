package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/kafka"
	"truelag/web"
)

// elsewhere says which exporter has a group that belongs to another shard; nil: this one.
func elsewhere(shard kafka.Shard, p web.Place) error {
	if p.Scope < web.OneGroup || shard.Owns(p.Group) {
		return nil
	}
	of := shard.Of(p.Group)
	return fmt.Errorf("group %q belongs to shard %d of %d, and this exporter has shard %d: ask the one that runs with --shard=%s",
		p.Group, of.Index, of.Count, shard.Index, of)
}

// binlogsElsewhere says which shard reads the MySQL servers, for those that do not.
func binlogsElsewhere(shard kafka.Shard) error {
	if shard.Index == 0 {
		return nil
	}
	first := shard
	first.Index = 0
	return fmt.Errorf("shard 0 reads the MySQL servers, and this exporter has shard %d: ask the one that runs with --shard=%s: %w",
		shard.Index, first, web.ErrNoSuch)
}

// whyNot says in words why there is no lag.
func whyNot(e *kafka.Explanation) string {
	switch {
	case e.Type == kafka.Share:
		return "A share group has no committed offsets to be judged by"
	case errors.Is(e.Err, kerr.UnknownTopicOrPartition) && e.Partitions > 0:
		return fmt.Sprintf("The topic has no such partition: its last one is %d", e.Partitions-1)
	}
	return why(e.Err)
}

// why puts an error into words.
func why(err error) string {
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID):
		return "The topic does not exist"
	case errors.Is(err, kerr.InvalidTopicException):
		return "No topic can have this name"
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return "The broker refuses to describe the topic"
	case errors.Is(err, kerr.GroupAuthorizationFailed):
		return "The broker refuses to tell the group's commits"
	case errors.Is(err, kerr.LeaderNotAvailable):
		return "The partition has no leader"
	}
	return "Not everything could be read: " + strings.TrimRight(err.Error(), ".") // brokers end their sentences
}

// lower lets a sentence go on.
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// unjudged says what is missing where nobody tells whether a transaction hangs.
func unjudged(err error) string {
	switch {
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return "allow Read on Topic"
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return "allow Describe on TransactionalId"
	}
	return err.Error()
}
