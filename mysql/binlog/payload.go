package binlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// What an event of a compressed transaction says of itself before what is compressed: MySQL's Transaction_payload.
const (
	payloadEnd         = 0
	payloadCompression = 2

	compressedZstd = 0
	compressedNot  = 255

	// widestWindow is how far back what is compressed may refer: the servers' levels go up to 22.
	widestWindow = 1 << 27
)

// unpack reads the events in a payload one by one: a transaction may be larger than memory.
func (d *decoder) unpack(h header, body io.Reader) (func() (event, error), error) {
	in := bufio.NewReader(io.LimitReader(body, d.bodySize(h)))
	how, err := payloadFields(in)
	if err != nil {
		return nil, err
	}
	inner, err := d.plain()
	if err != nil {
		return nil, err
	}
	var events io.Reader
	switch how {
	case compressedNot:
		events = in
	case compressedZstd:
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(widestWindow))
		if err != nil {
			return nil, err
		}
		events = &bounded{z, d.limit}
	default:
		return nil, fmt.Errorf("it is compressed in a way that is not known, %d", how)
	}
	var last io.Reader
	return func() (event, error) {
		if last != nil {
			if _, err := io.Copy(io.Discard, last); err != nil {
				return event{}, err
			}
		}
		h, err := readHeader(events)
		if err != nil { // io.EOF between two
			return event{}, err
		}
		last = io.LimitReader(events, int64(h.size)-headerSize)
		e, err := inner.event(h, last)
		return e, cut(err)
	}, nil
}

// bounded reads no more than a limit: little that is compressed can hold much.
type bounded struct {
	in   io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLimit
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func payloadFields(in io.ByteReader) (compression uint64, err error) {
	for {
		field, err := packed(in)
		if err != nil {
			return 0, err
		}
		if field == payloadEnd {
			return compression, nil
		}
		length, err := packed(in)
		if err != nil {
			return 0, err
		}
		switch {
		case length > 9:
			return 0, errors.New("a field of its payload is too long")
		case field == payloadCompression:
			if compression, err = packed(in); err != nil {
				return 0, err
			}
		default:
			for range length {
				if _, err := in.ReadByte(); err != nil {
					return 0, err
				}
			}
		}
	}
}

// packed reads an integer of MySQL's protocol, which has as many bytes as it needs.
func packed(in io.ByteReader) (uint64, error) {
	first, err := in.ReadByte()
	if err != nil {
		return 0, err
	}
	var size int
	switch first {
	case 252:
		size = 2
	case 253:
		size = 3
	case 254:
		size = 8
	default:
		return uint64(first), nil
	}
	var n uint64
	for i := range size {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= uint64(b) << (8 * i)
	}
	return n, nil
}
