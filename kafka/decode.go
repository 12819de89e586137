package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// record is what is read of a record: where it is, and when it was created or appended.
type record struct{ offset, millis int64 }

const (
	// decodedRecords is how many records a batch may have to be decoded. All that is known of it is kept one by one, and
	// a batch of a few KiB may hold millions.
	decodedRecords = 1 << 17

	// decodedBytes is what the batches that a scrape decodes may decompress to, together: a second's work or so. What
	// they take in an answer does not tell.
	decodedBytes = 8 * decompressedBytes
)

// decoder decodes a scrape's batches, and counts those that it meets and that cannot be read.
type decoder struct {
	spent  atomic.Int64 // bytes that they were decompressed to
	faults [batchFaults]atomic.Int64
}

// met counts a batch with an error, unless it is one that says nothing of the batch, and returns the error.
func (d *decoder) met(err error) error {
	if f, ok := faultOf(err); ok {
		d.faults[f].Add(1)
	}
	return err
}

// decode reads where the records of a batch are. Keys and values are passed over: nothing is made for them. It fails with
// errLater, and for a batch that does not hold what its header says or holds more than is read of one.
func (d *decoder) decode(b *batch) ([]record, error) {
	records, err := d.records(b)
	if err != nil {
		return nil, fmt.Errorf("decode batch at offset %d: %w", b.base, d.met(err))
	}
	return records, nil
}

func (d *decoder) records(b *batch) ([]record, error) {
	switch {
	case b.old():
		return nil, errOld
	case b.count > decodedRecords:
		return nil, fmt.Errorf("%d records, more than %d: %w", b.count, decodedRecords, errLarge)
	case d.spent.Load() >= decodedBytes:
		return nil, errLater
	}
	const crcAt, summedAt, codecBits = 17, 21, 0x07
	if sum := crc32.Checksum(b.raw[summedAt:], crc32.MakeTable(crc32.Castagnoli)); sum != binary.BigEndian.Uint32(b.raw[crcAt:]) {
		return nil, fmt.Errorf("%w: the checksum is wrong", errCorrupt)
	}
	body, err := decompressor{}.Decompress(b.raw[batchHead:], kgo.CompressionCodecType(b.attributes&codecBits))
	if errors.Is(err, errBomb) {
		d.spent.Add(decompressedBytes)
	}
	d.spent.Add(int64(len(body)))
	if err != nil {
		return nil, err
	}
	records := make([]record, 0, min(b.count, int64(len(body))))
	for next := b.base; int64(len(records)) < b.count; {
		r, rest, ok := b.record(body)
		if !ok || r.offset < next || r.offset > b.last {
			return nil, fmt.Errorf("%w: record %d of %d makes no sense", errCorrupt, len(records), b.count)
		}
		records, body, next = append(records, r), rest, r.offset+1
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("%w: %d bytes follow its %d records", errCorrupt, len(body), b.count)
	}
	return records, nil
}

// record reads the first record of a decompressed batch: its length, attributes, and time and offset as distances from
// the batch's.
func (b *batch) record(body []byte) (r record, rest []byte, ok bool) {
	length, n := binary.Varint(body)
	if n <= 0 || length < 1 || length > int64(len(body)-n) {
		return r, nil, false
	}
	body, rest = body[n+1:n+int(length)], body[n+int(length):]
	millis, n := binary.Varint(body)
	if n <= 0 {
		return r, nil, false
	}
	offset, m := binary.Varint(body[n:])
	if m <= 0 {
		return r, nil, false
	}
	r = record{offset: b.base + offset, millis: b.baseTime + millis}
	if b.attributes&attrLogAppendTime != 0 {
		r.millis = b.maxTime
	}
	return r, rest, true
}
