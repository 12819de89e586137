package kafka

import (
	"cmp"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// abortions tells aborted batches from others while the batches of one read_committed Fetch answer pass by in order.
// The answer's list names producer and first offset of each aborted transaction that reaches into it, and may be
// unsorted. Producers are matched by id alone: since KIP-890 a marker carries another epoch than its data.
type abortions struct {
	list   []kmsg.FetchResponseTopicPartitionAbortedTransaction // what is still to come, by first offset
	active map[int64]bool                                       // producers in an aborted transaction
}

func newAbortions(list []kmsg.FetchResponseTopicPartitionAbortedTransaction) *abortions {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b kmsg.FetchResponseTopicPartitionAbortedTransaction) int {
		return cmp.Compare(a.FirstOffset, b.FirstOffset)
	})
	return &abortions{list: list, active: map[int64]bool{}}
}

// next takes the next batch of the log and says whether its records are aborted.
func (a *abortions) next(b *batch) bool {
	for len(a.list) > 0 && a.list[0].FirstOffset <= b.last {
		a.active[a.list[0].ProducerID] = true
		a.list = a.list[1:]
	}
	if !b.transactional() || !a.active[b.producer] {
		return false
	}
	if b.control() {
		if b.count > 0 { // the cleaner keeps emptied control batches, which end nothing
			delete(a.active, b.producer)
		}
		return false
	}
	return true
}
