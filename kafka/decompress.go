package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// decompressedBytes is the most that one batch may decompress to. Kafka's default for a batch is 1 MiB compressed, and
// brokers pass on batches of any ratio: 60 KiB of zstd may hold 2 GiB.
const decompressedBytes = 64 << 20

// errBomb is the error of a batch that would decompress to more than decompressedBytes.
var errBomb = fmt.Errorf("decompresses to more than 64 MiB: %w", errLarge)

// decompressor is kgo's, but bounded: kgo.DefaultDecompressor gives up at 2 GiB only. What a batch claims is not believed
// beyond the bound, and nothing is allocated for it.
type decompressor struct{}

// Decompressor is what reads batches in this package, for those who read records of a cluster that anybody may write to.
func Decompressor() kgo.Decompressor { return decompressor{} }

// Decompress implements kgo.Decompressor.
func (decompressor) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	switch codec {
	case kgo.CodecNone:
		return src, nil
	case kgo.CodecGzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return readBounded(r)
	case kgo.CodecSnappy:
		return unsnap(src)
	case kgo.CodecLz4:
		return readBounded(lz4.NewReader(bytes.NewReader(src)))
	case kgo.CodecZstd:
		return unzstd(src)
	}
	return nil, fmt.Errorf("unknown compression codec %d", codec)
}

func readBounded(r io.Reader) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(r, decompressedBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("decompress: %w", err)
	case len(out) > decompressedBytes:
		return nil, errBomb
	}
	return out, nil
}

// unzstd takes all frames of src together, and none that claims to be larger than the bound.
func unzstd(src []byte) ([]byte, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(decompressedBytes))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	defer r.Close()
	out, err := r.DecodeAll(src, nil)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, errBomb
	case err != nil:
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return out, nil
}

// xerial is what the snappy of Java clients begins with; two version numbers and then blocks with their lengths follow.
// Others write one block alone.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

const xerialHead = 16

func unsnap(src []byte) ([]byte, error) {
	if len(src) < xerialHead || !bytes.HasPrefix(src, xerial) {
		return unsnapBlock(nil, src)
	}
	var out []byte
	for src = src[xerialHead:]; len(src) > 0; {
		if len(src) < 4 {
			return nil, fmt.Errorf("snappy: %w", io.ErrUnexpectedEOF)
		}
		size := binary.BigEndian.Uint32(src)
		src = src[4:]
		if uint64(size) > uint64(len(src)) {
			return nil, fmt.Errorf("snappy: %w", io.ErrUnexpectedEOF)
		}
		var err error
		if out, err = unsnapBlock(out, src[:size]); err != nil {
			return nil, err
		}
		src = src[size:]
	}
	return out, nil
}

// unsnapBlock appends a block to what came before it. A block says at its beginning how long it will be.
func unsnapBlock(out, block []byte) ([]byte, error) {
	n, err := s2.DecodedLen(block)
	switch {
	case err != nil:
		return nil, fmt.Errorf("snappy: %w", err)
	case n > decompressedBytes-len(out):
		return nil, errBomb
	}
	decoded, err := s2.Decode(nil, block)
	if err != nil {
		return nil, fmt.Errorf("snappy: %w", err)
	}
	if len(out) == 0 {
		return decoded, nil
	}
	return append(out, decoded...), nil
}
