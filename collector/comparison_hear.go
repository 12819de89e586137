package collector

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"truelag/flink"
	"truelag/kafka"
)

// topicSpellings keeps the spellings of a cluster's topics while those stay the same.
type topicSpellings struct {
	*flink.TopicNames
	topics []string
}

func (n *topicSpellings) update(topics []kafka.Topic) {
	same := slices.EqualFunc(n.topics, topics, func(name string, t kafka.Topic) bool { return name == t.Name })
	if same && n.TopicNames != nil {
		return
	}
	n.topics = make([]string, len(topics))
	for i := range topics {
		n.topics[i] = topics[i].Name
	}
	n.TopicNames = flink.NewTopicNames(n.topics)
}

// heardSource is what a source has said of the broker's partitions, each over the interface that heard it last.
type heardSource struct {
	partitions []heardPartition // in the order of topic and partition
	unmatched  [unmatchedReasons]int
}

// heardPartition is what was said of one partition, and who said it.
type heardPartition struct {
	partitionKey
	said    flink.Partition
	sample  *flink.Sample
	subtask *flink.Subtask // nil: not heard
}

func comparePlaces(a, b partitionKey) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}

// staleAfter is how old what a source of a running job has said may be before it says nothing of now.
const staleAfter = 2 * time.Minute

// hear finds the broker's topics by what the interfaces call them. Of a source that says how many records it has read in
// all, it is REST's sample that this goes with, though a reporter's may be later.
func hear(source *flink.Source, names *flink.TopicNames, live bool) *heardSource {
	samples := source.Samples
	if !live && source.ReadRecords >= 0 {
		samples = slices.Clone(samples)
		slices.SortStableFunc(samples, func(a, b flink.Sample) int {
			return cmp.Compare(truth(a.Interface != flink.REST), truth(b.Interface != flink.REST))
		})
	}
	byKey := map[partitionKey]heardPartition{}
	known := map[string]bool{}
	colliding := map[string][]string{} // spelling to topics
	unknown := map[string]bool{}
	for i := range samples {
		sample := &samples[i]
		for _, said := range sample.Partitions {
			topics := names.Topics(sample.Interface, said.Topic)
			switch len(topics) {
			case 0:
				unknown[said.Topic] = true
				continue
			case 1:
			default:
				colliding[said.Topic] = topics
				continue
			}
			known[topics[0]] = true
			key := partitionKey{topics[0], said.Partition}
			if _, ok := byKey[key]; !ok { // else a later sample has it
				byKey[key] = heardPartition{key, said, sample, subtaskOf(sample, said.Subtask)}
			}
		}
	}
	heard := &heardSource{partitions: slices.SortedFunc(maps.Values(byKey), func(a, b heardPartition) int {
		return comparePlaces(a.partitionKey, b.partitionKey)
	})}
	for _, topics := range colliding {
		if !slices.ContainsFunc(topics, func(t string) bool { return known[t] }) { // else another interface tells them apart
			heard.unmatched[topicColliding]++
		}
	}
	heard.unmatched[topicUnknown] = len(unknown)
	return heard
}

func subtaskOf(sample *flink.Sample, index int32) *flink.Subtask {
	i := slices.IndexFunc(sample.Subtasks, func(s flink.Subtask) bool { return s.Index == index })
	if i < 0 {
		return nil
	}
	return &sample.Subtasks[i]
}

func (s *heardSource) has(key partitionKey) bool {
	_, ok := slices.BinarySearchFunc(s.partitions, key, func(h heardPartition, k partitionKey) int { return comparePlaces(h.partitionKey, k) })
	return ok
}

// current says that a sample is of an attempt that runs, and not of long ago.
func current(s *flink.Sample, now time.Time) bool { return s.Running && now.Sub(s.Before) < staleAfter }

func (h *heardPartition) commits() int64 {
	if h.subtask == nil {
		return -1
	}
	return h.subtask.Succeeded
}

func (h *heardPartition) attempt() int64 {
	if h.subtask == nil {
		return -1
	}
	return h.subtask.Attempt
}
