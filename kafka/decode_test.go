package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fetchLog is what a broker holds of a partition.
func (f *fake) fetchLog(topic string) []byte {
	f.t.Helper()
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes = 8 << 20
	rt := kmsg.NewFetchRequestTopic()
	info := f.cluster.TopicInfo(topic)
	rt.Topic, rt.TopicID = topic, info.TopicID
	rp := kmsg.NewFetchRequestTopicPartition()
	rp.PartitionMaxBytes, rp.CurrentLeaderEpoch = 8<<20, -1
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	resp, err := f.client.Broker(int(f.cluster.LeaderFor(topic, 0))).Request(f.t.Context(), req)
	if err != nil {
		f.t.Fatal(err)
	}
	return resp.(*kmsg.FetchResponse).Topics[0].Partitions[0].RecordBatches
}

func TestDecodeEveryCodec(t *testing.T) {
	const codecBits = 0x07
	began := time.Now().Add(-time.Hour).UnixMilli()
	for _, c := range []struct {
		name  string
		codec kgo.CompressionCodec
		bits  int16
	}{
		{"none", kgo.NoCompression(), 0},
		{"gzip", kgo.GzipCompression(), 1},
		{"snappy", kgo.SnappyCompression(), 2},
		{"lz4", kgo.Lz4Compression(), 3},
		{"zstd", kgo.ZstdCompression(), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, Config{})
			p, err := kgo.NewClient(kgo.SeedBrokers(f.cluster.ListenAddrs()...), kgo.ProducerBatchCompression(c.codec), kgo.ManualFlushing(),
				kgo.RecordPartitioner(kgo.ManualPartitioner()))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			var want []record
			for i := range int64(2000) {
				r := kgo.Record{Topic: "t", Key: bytes.Repeat([]byte("k"), int(i%7)), Value: bytes.Repeat([]byte("value"), int(i%200)), Timestamp: time.UnixMilli(began + i*i)}
				if i%3 == 0 {
					r.Headers = []kgo.RecordHeader{{Key: "h", Value: []byte("v")}}
				}
				p.Produce(t.Context(), &r, nil)
				want = append(want, record{i, began + i*i})
			}
			if err := p.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []record
			for log := f.fetchLog("t"); len(log) > 0; {
				var b batch
				if b, log, err = nextBatch(log); err != nil {
					t.Fatal(err)
				}
				if b.attributes&codecBits != c.bits {
					t.Fatalf("batch with the attributes %#x, want codec %d", b.attributes, c.bits)
				}
				records, err := new(decoder).decode(&b)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, records...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d records are not the %d that were written", len(got), len(want))
			}
		})
	}
}

// compressed puts what write writes through a codec.
func compressed(t *testing.T, codec func(io.Writer) io.WriteCloser, data ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, d := range data {
		w := codec(&out)
		if _, err := w.Write(d); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
func lz4ed(w io.Writer) io.WriteCloser   { return lz4.NewWriter(w) }

func zstded(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // no option is wrong
	}
	return z
}

// xerialOf is the framing of Java's clients.
func xerialOf(blocks ...[]byte) []byte {
	out := append([]byte("\x82SNAPPY\x00"), 0, 0, 0, 1, 0, 0, 0, 1)
	for _, b := range blocks {
		block := s2.EncodeSnappy(nil, b)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(block))), block...)
	}
	return out
}

func TestDecompress(t *testing.T) {
	small := bytes.Repeat([]byte("record "), 5000)
	over := make([]byte, decompressedBytes+1)
	most, half := over[:decompressedBytes], over[:decompressedBytes/2+1]
	for _, c := range []struct {
		name  string
		codec kgo.CompressionCodecType
		src   []byte
		want  []byte
		bomb  bool
	}{
		{name: "gzip", codec: kgo.CodecGzip, src: compressed(t, gzipped, small), want: small},
		{name: "lz4", codec: kgo.CodecLz4, src: compressed(t, lz4ed, small), want: small},
		{name: "zstd", codec: kgo.CodecZstd, src: compressed(t, zstded, small), want: small},
		{name: "snappy", codec: kgo.CodecSnappy, src: s2.EncodeSnappy(nil, small), want: small},
		{name: "snappy of Java", codec: kgo.CodecSnappy, src: xerialOf(small[:100], small[100:]), want: small},
		{name: "as much as may be", codec: kgo.CodecZstd, src: compressed(t, zstded, most), want: most},

		{name: "gzip bomb", codec: kgo.CodecGzip, src: bytes.Repeat(compressed(t, gzipped, most[:1<<20]), decompressedBytes>>20+1), bomb: true},
		{name: "lz4 bomb", codec: kgo.CodecLz4, src: compressed(t, lz4ed, over), bomb: true},
		{name: "zstd bomb", codec: kgo.CodecZstd, src: compressed(t, zstded, over), bomb: true},
		{name: "zstd bomb of several frames", codec: kgo.CodecZstd, src: compressed(t, zstded, half, half), bomb: true},
		{name: "snappy bomb", codec: kgo.CodecSnappy, src: s2.EncodeSnappy(nil, over), bomb: true},
		{name: "snappy that only claims to be long", codec: kgo.CodecSnappy, src: binary.AppendUvarint(nil, 1<<31), bomb: true},
		{name: "snappy bomb of Java", codec: kgo.CodecSnappy, src: xerialOf(half, half), bomb: true},

		{name: "unknown codec", codec: 5, src: small},
		{name: "gzip that is none", codec: kgo.CodecGzip, src: small},
		{name: "lz4 that is none", codec: kgo.CodecLz4, src: small},
		{name: "zstd that is none", codec: kgo.CodecZstd, src: small},
		{name: "snappy that is none", codec: kgo.CodecSnappy, src: []byte{0xff}},
		{name: "snappy of Java, cut", codec: kgo.CodecSnappy, src: xerialOf(small)[:200]},
		{name: "snappy of Java, cut in a length", codec: kgo.CodecSnappy, src: append(xerialOf(), 0, 0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decompressor{}.Decompress(c.src, c.codec)
			switch {
			case c.want != nil && (err != nil || !bytes.Equal(got, c.want)):
				t.Errorf("%d bytes, error %v; want the %d that were compressed", len(got), err, len(c.want))
			case c.bomb && !errors.Is(err, errBomb):
				t.Errorf("%d bytes, error %v; want errBomb", len(got), err)
			case c.want == nil && err == nil:
				t.Errorf("%d bytes without an error", len(got))
			}
			if len(got) > decompressedBytes {
				t.Errorf("%d bytes", len(got))
			}
		})
	}
}

// sealed is a batch with the right checksum.
func sealed(e entry, count int32, body []byte) []byte {
	raw := kmsg.RecordBatch{
		FirstOffset: e.base, Length: int32(49 + len(body)), Magic: 2, Attributes: e.attributes,
		LastOffsetDelta: int32(e.last - e.base), NumRecords: count, Records: body,
	}
	b := raw.AppendTo(nil)
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// What cannot be decoded is unscanned, and the batches around it are what they are.
func TestBatchesThatCannotBeDecodedAreUnscanned(t *testing.T) {
	const gzipBits = 1
	good := entry{base: 0, last: 9, offsets: []int64{1, 5, 9}}
	body := good.bytes()[batchHead:]
	bomb := bytes.Repeat(compressed(t, gzipped, make([]byte, 1<<20)), decompressedBytes>>20)
	bomb = append(bomb, compressed(t, gzipped, body)...)
	broken := good.bytes()
	broken[len(broken)-1]++
	for name, raw := range map[string][]byte{
		"a bomb":                                sealed(entry{last: 9, attributes: gzipBits}, 3, bomb),
		"more records than bytes":               sealed(entry{last: 9}, 9, body),
		"fewer records than bytes":              sealed(entry{last: 9}, 2, body),
		"an offset beyond the last":             sealed(entry{last: 8}, 3, body),
		"more records than are kept one by one": sealed(entry{last: 10 * decodedRecords}, decodedRecords+1, body),
		"a wrong checksum":                      broken,
	} {
		t.Run(name, func(t *testing.T) {
			log := append(raw, entry{base: 10 * (decodedRecords + 1), last: 10*(decodedRecords+1) + 4}.bytes()...)
			m, next, err := classify(log, nil, 0, []int64{4}, new(decoder))
			if err != nil {
				t.Fatal(err)
			}
			b, _, err := nextBatch(raw)
			if err != nil {
				t.Fatal(err)
			}
			var got, after Composition
			m.count(0, b.last+1, &got)
			m.count(b.last+1, next, &after)
			if want := (Composition{Unscanned: b.last + 1}); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
			if after[Record] != 5 || after[Unscanned] != 0 {
				t.Errorf("after it: %v, want 5 records", after)
			}
		})
	}
}

// Bombs must not hold a scrape up: what is decoded in one is bounded, and the rest is left for the next.
func TestDecodingHasABudget(t *testing.T) {
	t.Parallel()
	const snappyBits, zstdBits = 2, 4
	most := compressed(t, zstded, make([]byte, decompressedBytes))
	bomb := binary.AppendUvarint(nil, 1<<31) // says so at once, and counts like one that is noticed at the limit
	var log []byte
	var cuts []int64
	for i := range int64(12) {
		attributes, body := int16(snappyBits), bomb
		if i == 0 {
			attributes, body = zstdBits, most
		}
		log = append(log, sealed(entry{base: 10 * i, last: 10*i + 9, attributes: attributes}, 3, body)...)
		cuts = append(cuts, 10*i+5)
	}
	d := new(decoder)
	m, next, err := classify(log, nil, 0, cuts, d)
	if err != nil || next != 120 {
		t.Fatalf("classified up to %d, error %v", next, err)
	}
	const bombs = decodedBytes / decompressedBytes
	if missing := m.missing(0, 120); len(missing) != 1 || missing[0] != (span{10 * bombs, 120}) {
		t.Errorf("left for later: %v, want what follows the first %d bombs", missing, bombs)
	}
	if limit := int64(decodedBytes + decompressedBytes); d.spent.Load() > limit {
		t.Errorf("decompressed to %d bytes, want %d at the most", d.spent.Load(), limit)
	}
}

// FuzzDecode holds that no records make decoding panic or tell what the batch cannot hold.
func FuzzDecode(f *testing.F) {
	body := entry{base: 0, last: 9, offsets: []int64{1, 5, 9}}.bytes()[batchHead:]
	f.Add(int16(0), int32(3), body)
	f.Add(int16(2), int32(3), s2.EncodeSnappy(nil, body))
	f.Add(int16(2), int32(3), xerialOf(body))
	f.Add(int16(1), int32(3), []byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, attributes int16, count int32, body []byte) {
		b, _, err := nextBatch(sealed(entry{base: 100, last: 109, attributes: attributes}, count, body))
		if err != nil {
			return
		}
		records, err := new(decoder).decode(&b)
		if err != nil {
			return
		}
		if int64(len(records)) != b.count {
			t.Fatalf("%d records of a batch that counts %d", len(records), b.count)
		}
		last := b.base - 1
		for _, r := range records {
			if r.offset <= last || r.offset > b.last {
				t.Fatalf("offset %d after %d in a batch of [%d, %d]", r.offset, last, b.base, b.last)
			}
			last = r.offset
		}
	})
}
