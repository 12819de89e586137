package scenarios

import (
	"cmp"
	"fmt"
	"slices"
)

// partitionLog is one partition's log as a real broker keeps it, which the fake cluster cannot: with holes inside and
// between batches, with emptied batches, cut back by an unclean election, in old message formats.
type partitionLog struct {
	leader  int32 // -1: none
	epoch   int32 // leader epoch
	start   int64 // log start offset
	end     int64 // high watermark
	batches []batch
	txns    []*txn
	epochs  []epochStart // by epoch

	// aliases replace a producer's id after an abort marker was compacted away before its data: the id would stay
	// aborted for ever. Each is used once.
	aliases map[int64]int64
	renamed int // how many have been given
}

type epochStart struct {
	epoch int32
	start int64
}

// span is the offsets from..to, both inclusive.
type span struct{ from, to int64 }

// batch is one batch of a log.
type batch struct {
	base, last    int64
	kept          []span // offsets that hold an entry, in order
	epoch         int32  // leader epoch
	producer      int64  // -1: none
	producerEpoch int16
	transactional bool
	control       bool
	commit        bool // of a control batch
	magic         int8
	wrapped       bool // of an old format: one compressed entry
	claimed       bool // too many records to write out: the header alone says how many
}

// txn is a transaction on one partition.
type txn struct {
	producer    int64
	first, last int64 // last is the marker's offset
	open        bool
	aborted     bool
}

const (
	fillBatch  = 500     // records of a batch of SkipTo
	fillLimit  = 20_000  // offsets that SkipTo writes out; those before them are claimed
	claimLimit = 1 << 30 // offsets of a claimed batch
	noProducer = -1
	firstAlias = 1 << 20 // no producer's id: begin's are lower, and the cluster's are hashes
	endless    = 1 << 62 // no offset is as high
)

func newPartitionLog(leader int32) *partitionLog {
	return &partitionLog{leader: leader, epochs: []epochStart{{0, 0}}, aliases: map[int64]int64{}}
}

// push appends a batch of n offsets.
func (l *partitionLog) push(n int64, b batch) {
	b.base, b.last, b.epoch = l.end, l.end+n-1, l.epoch
	b.kept = []span{{b.base, b.last}}
	l.batches = append(l.batches, b)
	l.end += n
}

func (l *partitionLog) append(records int, producer int64, producerEpoch int16) {
	b := batch{producer: producer, magic: 2}
	if producer != noProducer {
		b.producer, b.producerEpoch, b.transactional = l.alias(producer), producerEpoch, true
		if l.openTxn(b.producer) == nil {
			l.txns = append(l.txns, &txn{producer: b.producer, first: l.end, open: true})
		}
	}
	l.push(int64(records), b)
}

// mark writes a transaction's marker. A transaction whose data an election has cut away leaves nothing but the marker.
func (l *partitionLog) mark(producer int64, producerEpoch int16, commit bool) {
	producer = l.alias(producer)
	if t := l.openTxn(producer); t != nil {
		t.open, t.aborted, t.last = false, !commit, l.end
	}
	l.push(1, batch{producer: producer, producerEpoch: producerEpoch, magic: 2, transactional: true, control: true, commit: commit})
}

func (l *partitionLog) appendOld(a OldFormat) {
	b := batch{producer: noProducer, magic: a.Magic, wrapped: a.Compressed}
	if a.Compressed {
		l.push(int64(a.Records), b)
		return
	}
	for range a.Records {
		l.push(1, b)
	}
}

func (l *partitionLog) skipTo(offset int64) {
	for left := offset - l.end; left > 0; left = offset - l.end {
		b := batch{producer: noProducer, magic: 2}
		n := min(left, fillBatch)
		if left > fillLimit {
			b.claimed = true
			n = min(left-fillLimit, claimLimit)
		}
		l.push(n, b)
	}
}

func (l *partitionLog) deleteBefore(offset int64) error {
	if offset > l.end {
		return fmt.Errorf("the log ends at %d, before %d", l.end, offset)
	}
	l.start = max(l.start, offset)
	l.batches = slices.DeleteFunc(l.batches, func(b batch) bool { return b.last < offset })
	return nil
}

// truncate is an unclean election: transactions whose marker is cut are open again.
func (l *partitionLog) truncate(to int64) error {
	if to > l.end {
		return fmt.Errorf("the log ends at %d, before %d", l.end, to)
	}
	l.end, l.start = to, min(l.start, to)
	l.batches = slices.DeleteFunc(l.batches, func(b batch) bool { return b.base >= to })
	if n := len(l.batches); n > 0 && l.batches[n-1].last >= to {
		b := &l.batches[n-1]
		b.last, b.kept = to-1, without(b.kept, span{to, endless})
	}
	l.txns = slices.DeleteFunc(l.txns, func(t *txn) bool { return t.first >= to })
	for _, t := range l.txns {
		if t.last >= to {
			t.open, t.aborted, t.last = true, false, 0
		}
	}
	l.epochs = slices.DeleteFunc(l.epochs, func(e epochStart) bool { return e.start >= to && e.epoch > 0 })
	l.epoch++
	l.epochs = append(l.epochs, epochStart{l.epoch, to})
	return nil
}

func (l *partitionLog) openTxn(producer int64) *txn {
	for _, t := range l.txns {
		if t.open && t.producer == producer {
			return t
		}
	}
	return nil
}

// lastStable is the first offset of the oldest open transaction, else the high watermark. After a DeleteRecords it may be
// below the log start.
func (l *partitionLog) lastStable() int64 {
	lso := l.end
	for _, t := range l.txns {
		if t.open {
			lso = min(lso, t.first)
		}
	}
	return lso
}

// epochEnd is what OffsetForLeaderEpoch answers: the highest epoch up to one, and where it ends. Both are -1 for an
// epoch that is not known yet.
func (l *partitionLog) epochEnd(epoch int32) (int32, int64) {
	if epoch > l.epoch {
		return -1, -1
	}
	if epoch == l.epoch {
		return epoch, l.end
	}
	i := slices.IndexFunc(l.epochs, func(e epochStart) bool { return e.epoch > epoch })
	if i <= 0 {
		return epoch, l.start
	}
	return l.epochs[i-1].epoch, l.epochs[i].start
}

// abortedTxn is one row of a Fetch answer's list.
type abortedTxn struct{ producer, first int64 }

// aborted lists the aborted transactions that reach into [from, upper), in the order in which they ended.
func (l *partitionLog) aborted(from, upper int64) []abortedTxn {
	var ended []*txn
	for _, t := range l.txns {
		if t.aborted && t.last >= from && t.first < upper {
			ended = append(ended, t)
		}
	}
	slices.SortFunc(ended, func(a, b *txn) int { return cmp.Compare(a.last, b.last) })
	var rows []abortedTxn
	for _, t := range ended {
		rows = append(rows, abortedTxn{t.producer, t.first})
	}
	return rows
}
