package consumer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/guard"
)

const (
	// staleAfter is how long ago the last whole reading may be for the next one to go on from it. A record that was deleted meanwhile,
	// and its tombstone with it (delete.retention.ms, a day), would be kept for ever.
	staleAfter = time.Hour

	// maxRecord is the longest value that is kept.
	maxRecord = 2 << 20
)

// offsetLog is a topic with Kafka Connect's offsets, as far as it was read. One reading runs at a time.
type offsetLog struct {
	client       KafkaClient
	topic        string
	decompressor kgo.Decompressor

	wanted map[string]bool // connectors

	id   [16]byte // of the topic that was read
	done time.Time
	logs map[int32]*partitionLog
}

// partitionLog is one partition of the topic.
type partitionLog struct {
	id   int32
	next int64 // the offset to read next; negative: where the log starts
	end  int64 // where this reading ends
	kept map[offsetKey]keptOffset

	others map[offsetKey]bool // some that are noted down of connectors that are not wanted
}

// mostOthers is how many are told apart, to whoever has misspelt one that is wanted.
const mostOthers = 100

type offsetKey struct{ connector, server string }

// keptOffset is the last record with a key. A record without a value is the end of what was kept.
type keptOffset struct {
	value []byte
	err   error
	at    time.Time
}

func newOffsetLog(cfg TopicConfig) *offsetLog {
	l := &offsetLog{
		client: cfg.Client, topic: cfg.Topic, decompressor: cfg.Decompressor, wanted: map[string]bool{}, logs: map[int32]*partitionLog{},
	}
	if l.decompressor == nil {
		l.decompressor = kgo.DefaultDecompressor()
	}
	return l
}

// want names a connector whose records are kept. It must not be called during a reading.
func (l *offsetLog) want(connector string) {
	if !l.wanted[connector] {
		l.wanted[connector] = true
		clear(l.logs)
	}
}

// read reads all partitions to where they end now. What was read stays read when an error comes, and is of no use before all is: a
// newer record may be in what was not.
func (l *offsetLog) read(ctx context.Context, now time.Time) error {
	meta, err := l.metadata(ctx)
	if err != nil {
		return err
	}
	if l.id != meta.id || now.Sub(l.done) > staleAfter && !l.done.IsZero() {
		clear(l.logs)
		l.id, l.done = meta.id, time.Time{}
	}
	maps.DeleteFunc(l.logs, func(id int32, _ *partitionLog) bool { return !meta.has(id) })
	var legs []*topicLeg
	for leader, ids := range meta.leaders {
		leg := &topicLeg{offsetLog: l, leader: leader}
		for _, id := range ids {
			if l.logs[id] == nil {
				l.logs[id] = &partitionLog{id: id, next: -1, kept: map[offsetKey]keptOffset{}, others: map[offsetKey]bool{}}
			}
			leg.logs = append(leg.logs, l.logs[id])
		}
		legs = append(legs, leg)
	}
	errs := make([]error, len(legs))
	var wait guard.Crew
	for i, leg := range legs {
		wait.Go(func() { errs[i] = leg.read(ctx) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %s", context.Cause(ctx), l.progress())
		}
		return err
	}
	l.done = now
	return nil
}

// progress says how far the reading came.
func (l *offsetLog) progress() string {
	var left int64
	for _, log := range l.logs {
		left += max(log.end-max(log.next, 0), 0)
	}
	if left == 0 { // else it would have been read
		return "where the topic ends was not answered"
	}
	return fmt.Sprintf("%d offsets are left to read, the next reading goes on there", left)
}

// partitions are what is kept of a connector. Where a key was written to several partitions of the topic, since these became
// more, the last record holds.
func (l *offsetLog) partitions(connector string) []partition {
	last := map[string]keptOffset{}
	for _, log := range l.logs {
		for key, kept := range log.kept {
			if key.connector == connector && !kept.at.Before(last[key.server].at) {
				last[key.server] = kept
			}
		}
	}
	var all []partition
	for server, kept := range last {
		if kept.value == nil && kept.err == nil {
			continue
		}
		p := partition{server: server, at: kept.at, err: kept.err}
		if p.err == nil {
			p.offset, p.err = parseOffset(kept.value)
		}
		all = append(all, p)
	}
	return all
}

// connectors are the names of those that have noted something down.
func (l *offsetLog) connectors() []string {
	names := map[string]bool{}
	for _, log := range l.logs {
		for key := range log.others {
			names[shown(key.connector)] = true
		}
		for key, kept := range log.kept {
			if kept.value != nil || kept.err != nil {
				names[shown(key.connector)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// keep keeps a record if it is of a connector that is wanted. Others have keys of any kind.
func (log *partitionLog) keep(r *kgo.Record, wanted map[string]bool) {
	key, ok := parseOffsetKey(r.Key)
	if !ok {
		return
	}
	none := len(r.Value) == 0 || string(r.Value) == "null" // the JSON converter may write the word
	if !wanted[key.connector] {
		if none {
			delete(log.others, key)
		} else if len(log.others) < mostOthers {
			log.others[key] = true
		}
		return
	}
	kept := keptOffset{at: r.Timestamp}
	switch {
	case len(r.Value) > maxRecord:
		kept.err = fmt.Errorf("a record of more than %d MiB is not read", maxRecord>>20)
	case !none:
		kept.value = bytes.Clone(r.Value) // what it is part of can be large
	}
	log.kept[key] = kept
}

// parseOffsetKey reads a key ["CONNECTOR",{"server":"PREFIX"}].
func parseOffsetKey(raw []byte) (offsetKey, bool) {
	var parts []json.RawMessage
	if parseJSON(raw, &parts) != nil || len(parts) != 2 {
		return offsetKey{}, false
	}
	var key offsetKey
	if parseJSON(parts[0], &key.connector) != nil {
		return offsetKey{}, false
	}
	server, err := parseServer(parts[1])
	key.server = server
	return key, err == nil
}

// refused names the partition or topic of an error code.
func refused(code int16, what string) error {
	err := kerr.ErrorForCode(code)
	switch {
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return fmt.Errorf("%s: %w: grant DESCRIBE and READ on the topic", what, err)
	case errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID):
		return fmt.Errorf("%s: %w: is it the worker's offset.storage.topic, and this its cluster?", what, err)
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
