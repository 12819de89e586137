package scenarios

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// form is how a log is put into Fetch answers: a broker may do it in several ways that mean the same.
type form struct {
	// hard serves what real brokers serve now and then: few batches an answer and the last one cut, data for two
	// partitions of an answer only, compressed batches, the aborted transactions in no order, an emptied batch of data
	// kept without a record and an emptied marker not at all. Otherwise it is the other way round.
	hard bool
}

// Attributes of a record batch, message format 2.
const (
	attrGzip          = 0x01
	attrTransactional = 0x10
	attrControl       = 0x20
)

// recordTime is the time of each record; cases have no notion of time.
const recordTime = 1_700_000_000_000

// appendTo writes a batch as it is on the wire.
func (b *batch) appendTo(dst []byte, f form) []byte {
	if b.magic < 2 {
		return b.appendOld(dst)
	}
	rb := kmsg.RecordBatch{
		FirstOffset:          b.base,
		PartitionLeaderEpoch: b.epoch,
		Magic:                2,
		LastOffsetDelta:      int32(b.last - b.base),
		FirstTimestamp:       recordTime,
		MaxTimestamp:         recordTime,
		ProducerID:           b.producer,
		ProducerEpoch:        b.producerEpoch,
		FirstSequence:        -1,
		Records:              b.records(),
	}
	for _, s := range b.kept {
		rb.NumRecords += int32(s.to - s.from + 1)
	}
	switch {
	case b.producer == noProducer:
		rb.ProducerEpoch = -1
	case !b.control:
		rb.FirstSequence = 0
	}
	if rb.NumRecords == 0 {
		rb.FirstTimestamp, rb.MaxTimestamp = -1, -1
	}
	if b.transactional {
		rb.Attributes |= attrTransactional
	}
	if b.control {
		rb.Attributes |= attrControl
	} else if f.hard && rb.NumRecords > 0 && !b.claimed {
		rb.Attributes |= attrGzip
		rb.Records = zip(rb.Records)
	}
	return seal(dst, &rb)
}

// seal sets a batch's length and checksum.
func seal(dst []byte, rb *kmsg.RecordBatch) []byte {
	const lengthAt, crcAt, summedAt = 8, 17, 21
	from := len(dst)
	dst = rb.AppendTo(dst)
	raw := dst[from:]
	binary.BigEndian.PutUint32(raw[lengthAt:], uint32(len(raw)-lengthAt-4))
	binary.BigEndian.PutUint32(raw[crcAt:], crc32.Checksum(raw[summedAt:], crc32.MakeTable(crc32.Castagnoli)))
	return dst
}

func (b *batch) records() []byte {
	if b.claimed {
		return []byte("nobody reads the records of a batch that has one at each offset")
	}
	var dst []byte
	for _, s := range b.kept {
		for offset := s.from; offset <= s.to; offset++ {
			r := kmsg.Record{OffsetDelta: int32(offset - b.base), Value: []byte{'x'}}
			if b.control {
				r.Key, r.Value = []byte{0, 0, 0, 0}, []byte{0, 0, 0, 0, 0, 0} // versions 0, type abort, coordinator epoch 0
				if b.commit {
					r.Key[3] = 1
				}
			}
			r.Length = int32(len(r.AppendTo(nil)) - 1) // the length itself, 0 for now, takes one byte
			dst = r.AppendTo(dst)
		}
	}
	return dst
}

// appendOld writes the messages of formats 0 and 1. The inner offsets of a compressed one are relative since format 1,
// and its own offset is that of the last message inside.
func (b *batch) appendOld(dst []byte) []byte {
	if !b.wrapped {
		return message(dst, b.base, b.magic, 0, []byte{'x'})
	}
	var inner []byte
	for _, s := range b.kept {
		for offset := s.from; offset <= s.to; offset++ {
			at := offset
			if b.magic == 1 {
				at -= b.base
			}
			inner = message(inner, at, b.magic, 0, []byte{'x'})
		}
	}
	return message(dst, b.kept[len(b.kept)-1].to, b.magic, attrGzip, zip(inner))
}

func message(dst []byte, offset int64, magic int8, attributes byte, value []byte) []byte {
	const sizeAt, crcAt, summedAt = 8, 12, 16
	from := len(dst)
	dst = binary.BigEndian.AppendUint64(dst, uint64(offset))
	dst = append(dst, make([]byte, 8)...) // size and checksum
	dst = append(dst, byte(magic), attributes)
	if magic == 1 {
		dst = binary.BigEndian.AppendUint64(dst, recordTime)
	}
	dst = append(dst, 0xff, 0xff, 0xff, 0xff) // no key
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(value)))
	dst = append(dst, value...)
	raw := dst[from:]
	binary.BigEndian.PutUint32(raw[sizeAt:], uint32(len(raw)-sizeAt-4))
	binary.BigEndian.PutUint32(raw[crcAt:], crc32.ChecksumIEEE(raw[summedAt:]))
	return dst
}

func zip(raw []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write(raw)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a bytes.Buffer takes all
	}
	return buf.Bytes()
}

// fetched is what a Fetch answer holds for one partition.
type fetched struct {
	records []byte
	aborted []abortedTxn
}

// fetch reads from an offset on: up to the last stable offset for read_committed, else to the end. At most maxBytes; the
// first batch is whole all the same where whole says so, a later one is cut. The caller has seen to it that the offset is in
// the log.
func (l *partitionLog) fetch(offset int64, maxBytes int, committed, whole bool, f form) fetched {
	upper := l.end
	if committed {
		upper = l.lastStable()
	}
	var out fetched
	first := 0 // bytes of the first batch
	for i, n := 0, 0; i < len(l.batches)+1; i++ {
		b := l.served(i, f)
		if b == nil || b.last < offset {
			continue
		}
		if b.base >= upper {
			break
		}
		before := len(out.records)
		out.records = b.appendTo(out.records, f)
		if n++; n == 1 {
			first = len(out.records)
		}
		limit := maxBytes
		if enough := 2 + int(offset%3); f.hard && n == enough { // this batch is cut in the middle
			limit = min(limit, (before+len(out.records))/2)
		}
		if whole {
			limit = max(limit, first)
		}
		if len(out.records) > limit {
			out.records = out.records[:limit]
			if n == 1 {
				out.records = nil // nothing, rather than a piece
			}
			break
		}
	}
	if committed && len(out.records) > 0 {
		out.aborted = l.aborted(offset, upper)
		if f.hard {
			slices.Reverse(out.aborted)
		}
	}
	return out
}

// served is batch i as clients see it; nil: not at all. The one after the last stands for what the log's end lost to
// compaction: a real log keeps at least an empty batch there.
func (l *partitionLog) served(i int, f form) *batch {
	if i == len(l.batches) {
		from := l.start
		for _, b := range l.batches {
			if l.keeps(&b, f) {
				from = max(from, b.last+1)
			}
		}
		if from >= l.end {
			return nil
		}
		from = max(from, l.end-claimLimit)
		return &batch{base: from, last: l.end - 1, epoch: l.epoch, producer: noProducer, magic: 2}
	}
	if b := &l.batches[i]; l.keeps(b, f) {
		return b
	}
	return nil
}

// keeps says whether a batch is still there: those without an entry are kept or not, as the form wants.
func (l *partitionLog) keeps(b *batch, f form) bool {
	if len(b.kept) > 0 {
		return true
	}
	return b.magic == 2 && b.control != f.hard
}
