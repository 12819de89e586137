package flink

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// vertexReading makes sources of the values that a vertex' metrics had at one time.
type vertexReading struct {
	vertex      *restVertex
	values      map[string]string // by id
	received    time.Time
	oldest      time.Time // no dump that they are from is older
	parallelism int64
	skipped     int // values that are there and no number
}

// taskTimes are the shares of a task's time, and its age, that all sources in it have in common.
type taskTimes struct {
	busy, backpressured, idle float64
	age                       time.Duration
	parts                     int // of its age that were told
}

type readSource struct {
	Source
	subtasks   map[int32]*Subtask
	partitions map[topicPartition][]Partition // more than one where the store has a former reader's too
}

// rival is an instance that the store has as a partition's reader, though it has another one as well: one of them read
// it before the job was rescaled. What the store has of that one never changes.
type rival struct {
	source    sourceKey
	partition topicPartition
	subtask   int32
}

type rivalry struct {
	emitted, committed int64
	moved              bool
}

func (r *vertexReading) sources() []Source {
	read := make(map[sourceKey]*readSource)
	times := make(map[int32]*taskTimes)
	for name, id := range r.vertex.wanted {
		value, told := r.values[name]
		if !told || int64(id.subtask) >= r.parallelism { // of instances before the job was scaled down
			continue
		}
		if id.source == taskLevel {
			entry(times, id.subtask, noTimes).add(id.kind, value)
			continue
		}
		key := sourceKey{
			vertex: r.vertex.id, operator: operatorName(id.operator), kafkaCluster: commonSpelling(id.kafkaCluster),
			legacy: id.source == legacyConsumer,
		}
		r.add(entry(read, key, func() *readSource { return newReadSource(key) }), id, value)
	}
	sources := make([]Source, 0, len(read))
	for key, s := range read {
		s.Samples = []Sample{r.sample(key, s, times)}
		sources = append(sources, s.Source)
	}
	slices.SortFunc(sources, compareSources)
	return sources
}

func newReadSource(key sourceKey) *readSource {
	return &readSource{
		Source:   key.source(),
		subtasks: make(map[int32]*Subtask), partitions: make(map[topicPartition][]Partition),
	}
}

// add takes one value. One that is no number leaves its field as not told.
func (r *vertexReading) add(s *readSource, id metricID, value string) {
	subtask := entry(s.subtasks, id.subtask, func() *Subtask {
		return &Subtask{Index: id.subtask, Attempt: -1, Succeeded: -1, Failed: -1, Records: -1, Busy: -1, Backpressured: -1, Idle: -1}
	})
	number, ok := wholeNumber(value)
	if !ok || number == math.MaxInt64 {
		r.skipped++
		return
	}
	number = max(number, Unset) // the legacy consumer has numbers below -9e11 for its placeholders
	if id.topic == "" {
		switch id.kind {
		case idSucceeded:
			subtask.Succeeded = number
		case idFailed:
			subtask.Failed = number
		default:
			subtask.Records = number
		}
		return
	}
	of := topicPartition{id.topic, id.partition}
	readers := s.partitions[of]
	i := slices.IndexFunc(readers, func(p Partition) bool { return p.Subtask == id.subtask })
	if i < 0 {
		i = len(readers)
		readers = append(readers, Partition{
			Topic: id.topic, Partition: id.partition, Subtask: id.subtask, Emitted: Unset, Committed: Unset,
		})
		s.partitions[of] = readers
	}
	if id.kind == idEmitted {
		readers[i].Emitted = number
	} else {
		readers[i].Committed = number
	}
}

func (r *vertexReading) sample(key sourceKey, s *readSource, times map[int32]*taskTimes) Sample {
	sample := Sample{Interface: REST, Before: r.received, Running: true}
	for index, subtask := range s.subtasks {
		task := times[index]
		if task == nil {
			task = noTimes()
		}
		subtask.Busy, subtask.Backpressured, subtask.Idle = task.busy, task.backpressured, task.idle
		after, ok := r.oldest, true
		if instance := r.vertex.instances[index]; instance != nil {
			subtask.Attempt = instance.attempt
			after, ok = instance.taken(task.told(), r.received, r.oldest)
		}
		sample.Running = sample.Running && ok
		if sample.After.IsZero() || after.Before(sample.After) {
			sample.After = after
		}
		sample.Subtasks = append(sample.Subtasks, *subtask)
	}
	slices.SortFunc(sample.Subtasks, compareSubtasks)
	for of, readers := range s.partitions {
		if p, known := r.reader(key, of, readers); known {
			sample.Partitions = append(sample.Partitions, p)
		}
	}
	slices.SortFunc(sample.Partitions, comparePartitions)
	return sample
}

// reader is the one of several that reads the partition now: the only one whose numbers move. While none of them did,
// or more than one, the partition is left out and counted as skipped.
func (r *vertexReading) reader(key sourceKey, of topicPartition, readers []Partition) (Partition, bool) {
	if len(readers) == 1 {
		return readers[0], true
	}
	var moved []Partition
	for _, p := range readers {
		state := entry(r.vertex.rivals, rival{key, of, p.Subtask}, func() *rivalry {
			return &rivalry{emitted: p.Emitted, committed: p.Committed}
		})
		state.moved = state.moved || state.emitted != p.Emitted || state.committed != p.Committed
		if state.moved {
			moved = append(moved, p)
		}
	}
	if len(moved) != 1 {
		r.skipped++
		return Partition{}, false
	}
	return moved[0], true
}

func noTimes() *taskTimes { return &taskTimes{busy: -1, backpressured: -1, idle: -1} }

func (t *taskTimes) add(kind metricKind, value string) {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(number) || number < 0 {
		return // busy time is NaN of the legacy consumer's tasks
	}
	share := min(number/1000, 1) // a little over a second in a second is usual
	switch kind {
	case idBusy:
		t.busy = share
	case idBackpressured:
		t.backpressured = share
	case idIdle:
		t.idle = share
	default: // idSpent
		t.parts++
		t.age += time.Duration(min(number, math.MaxInt64/4e6)) * time.Millisecond
	}
}

// told is the age of the task; 0 where a part of it is missing.
func (t *taskTimes) told() time.Duration {
	const parts = 3 // busy, backpressured, idle
	if t.parts < parts {
		return 0
	}
	return t.age
}
