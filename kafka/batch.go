package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Attributes of a record batch, message format 2.
const (
	attrLogAppendTime = 0x08
	attrTransactional = 0x10
	attrControl       = 0x20
	attrDeleteHorizon = 0x40
)

const (
	entryHead  = 17 // offset, length, crc or leader epoch, magic: enough to tell the format
	batchHead  = 61 // the whole header of a format 2 batch
	messageMin = 14 // what follows the length in the smallest format 0 message
)

// errCut says that the bytes end inside an entry: brokers cut the last one of an answer.
var errCut = errors.New("entry is cut")

// batch is the header of one entry of a log: a record batch, or one message of the formats 0 and 1.
type batch struct {
	base, last int64 // first and last offset that the entry takes; an old message tells only its last, which is then both
	count      int64 // records that are still there; meaningless for old formats
	producer   int64
	baseTime   int64 // milliseconds since 1970
	maxTime    int64
	attributes int16
	magic      int8
	raw        []byte // the whole entry
}

// nextBatch reads the header of the first entry of log and returns what follows the entry. Nothing is decompressed.
// It returns errCut when the entry is not whole, and an error that wraps errCorrupt when it cannot be an entry.
func nextBatch(log []byte) (b batch, rest []byte, err error) {
	if len(log) < entryHead {
		return b, log, errCut
	}
	length := int64(int32(binary.BigEndian.Uint32(log[8:])))
	b.base, b.magic = int64(binary.BigEndian.Uint64(log)), int8(log[16])
	if length < messageMin || b.base < 0 {
		return b, log, fmt.Errorf("%w: offset %d, length %d", errCorrupt, b.base, length)
	}
	size := 12 + length
	if b.magic < 2 { // look at the magic first: these can be shorter than a batch's header
		if b.magic < 0 {
			return b, log, fmt.Errorf("%w: magic %d", errCorrupt, b.magic)
		}
		if size > int64(len(log)) {
			return b, log, errCut
		}
		b.last, b.raw = b.base, log[:size]
		return b, log[size:], nil
	}
	if b.magic > 2 || size < batchHead {
		return b, log, fmt.Errorf("%w: magic %d, length %d", errCorrupt, b.magic, length)
	}
	if size > int64(len(log)) {
		return b, log, errCut
	}
	delta := int64(int32(binary.BigEndian.Uint32(log[23:])))
	b.attributes = int16(binary.BigEndian.Uint16(log[21:]))
	b.baseTime, b.maxTime = int64(binary.BigEndian.Uint64(log[27:])), int64(binary.BigEndian.Uint64(log[35:]))
	b.producer = int64(binary.BigEndian.Uint64(log[43:]))
	b.count = int64(int32(binary.BigEndian.Uint32(log[57:])))
	if delta < 0 || b.base > math.MaxInt64-1-delta || b.count < 0 || b.count > delta+1 {
		return b, log, fmt.Errorf("%w: offset %d, last offset delta %d, %d records", errCorrupt, b.base, delta, b.count)
	}
	b.last, b.raw = b.base+delta, log[:size]
	return b, log[size:], nil
}

func (b *batch) old() bool           { return b.magic < 2 }
func (b *batch) control() bool       { return b.attributes&attrControl != 0 }
func (b *batch) transactional() bool { return b.attributes&attrTransactional != 0 }

// dense says that the entry has a record at each of its offsets.
func (b *batch) dense() bool { return b.count == b.last-b.base+1 }
