package fake

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	producers       = 4 // how many producers take turns in a log
	firstProducer   = 7000
	timestamp       = int64(1_700_000_000_000)
	attrTransaction = 0x10
	attrControl     = 0x20
)

// pattern is what a partition's log repeats from offset 0 on: a segment of one batch of records and, in a transactional
// log, the marker that ends its transaction. Batches are encoded once; what differs between segments (the base offset)
// lies outside the batch's checksum.
type pattern struct {
	records    int64
	abortEvery int64 // every so many transactions one is aborted; 0: none

	data    [producers][]byte
	markers [producers][2][]byte // abort, commit; nil in a log without transactions
}

func newPattern(records, recordBytes int, transactional bool, abortEvery int64) *pattern {
	p := &pattern{records: int64(records), abortEvery: abortEvery}
	for i := range p.data {
		id := int64(-1)
		if transactional {
			id = firstProducer + int64(i)
			p.markers[i] = [2][]byte{encodeMarker(id, 0), encodeMarker(id, 1)}
		}
		p.data[i] = encodeRecords(id, records, recordBytes)
	}
	return p
}

func encodeRecords(producer int64, n, recordBytes int) []byte {
	value := make([]byte, recordBytes)
	for i := range value {
		value[i] = byte('a' + i%26)
	}
	var records []byte
	for i := range n {
		records = appendRecord(records, int32(i), nil, value)
	}
	var attributes int16
	if producer >= 0 {
		attributes = attrTransaction
	}
	return encodeBatch(attributes, producer, n, records)
}

// encodeMarker makes the control batch that ends a transaction: kind 0 aborts, 1 commits.
func encodeMarker(producer int64, kind byte) []byte {
	return encodeBatch(attrTransaction|attrControl, producer, 1, appendRecord(nil, 0, []byte{0, 0, 0, kind}, make([]byte, 6)))
}

func appendRecord(dst []byte, delta int32, key, value []byte) []byte {
	r := kmsg.NewRecord()
	r.OffsetDelta, r.Key, r.Value = delta, key, value
	r.Length = int32(len(r.AppendTo(nil)) - 1) // a Length of 0 takes one byte
	return r.AppendTo(dst)
}

func encodeBatch(attributes int16, producer int64, n int, records []byte) []byte {
	b := kmsg.RecordBatch{
		Length:          int32(49 + len(records)), // what follows the length in a header, and the records
		Magic:           2,
		Attributes:      attributes,
		LastOffsetDelta: int32(n - 1),
		FirstTimestamp:  timestamp,
		MaxTimestamp:    timestamp,
		ProducerID:      producer,
		FirstSequence:   -1,
		NumRecords:      int32(n),
		Records:         records,
	}
	if producer < 0 {
		b.ProducerEpoch = -1
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

func (p *pattern) transactional() bool { return p.markers[0][0] != nil }

// segment is how many offsets one turn of the pattern takes.
func (p *pattern) segment() int64 {
	if p.transactional() {
		return p.records + 1
	}
	return p.records
}

// bytes is the encoded size of one turn of the pattern.
func (p *pattern) bytes() int64 { return int64(len(p.data[0]) + len(p.markers[0][0])) }

func (p *pattern) aborted(segment int64) bool {
	return p.abortEvery > 0 && segment%p.abortEvery == p.abortEvery-1
}

// deliverable counts the offsets of [from, to) that a read_committed consumer is handed.
func (p *pattern) deliverable(from, to int64) int64 {
	var n int64
	size := p.segment()
	for s := from / size; s*size < to; s++ {
		if !p.aborted(s) {
			n += max(0, min(to, s*size+p.records)-max(from, s*size))
		}
	}
	return n
}

// read appends to pieces the log from the batch that holds the offset from up to the offset end, at most limit bytes.
// As a broker does, it cuts the last batch, but never the first when whole is set. Pieces are headers of their own, made
// in the arena, followed by the shared rest of the batch.
func (p *pattern) read(pieces [][]byte, arena []byte, from, end, limit int64, whole bool) (_ [][]byte, _ []byte, size int64) {
	emit := func(base int64, batch []byte) {
		n := int64(len(batch))
		if size+n > limit && !(whole && size == 0) {
			n = limit - size
		}
		head := min(n, 61)
		start := len(arena)
		arena = append(arena, batch[:head]...)
		if head >= 8 {
			binary.BigEndian.PutUint64(arena[start:], uint64(base))
			pieces = append(pieces, arena[start:len(arena):len(arena)], batch[head:n])
			size += n
		} else {
			arena, size = arena[:start], limit // too little for an offset: end here
		}
	}
	for s := from / p.segment(); s*p.segment() < end && size < limit; s++ {
		base := s * p.segment()
		turn := s % producers
		if from < base+p.records {
			emit(base, p.data[turn])
		}
		if p.transactional() && size < limit {
			kind := 1
			if p.aborted(s) {
				kind = 0
			}
			emit(base+p.records, p.markers[turn][kind])
		}
	}
	return pieces, arena, size
}

// abortions lists the aborted transactions of the offsets [from, from + what size bytes hold).
func (p *pattern) abortions(from, end, size int64) []kmsg.FetchResponseTopicPartitionAbortedTransaction {
	var list []kmsg.FetchResponseTopicPartitionAbortedTransaction
	if p.abortEvery == 0 {
		return list
	}
	last := from/p.segment() + size/p.bytes() + 1
	for s := from / p.segment(); s <= last && s*p.segment() < end; s++ {
		if p.aborted(s) {
			list = append(list, kmsg.FetchResponseTopicPartitionAbortedTransaction{
				ProducerID:  firstProducer + s%producers,
				FirstOffset: s * p.segment(),
			})
		}
	}
	return list
}
