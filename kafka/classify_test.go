package kafka

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// entry describes one entry of a crafted log.
type entry struct {
	base, last int64
	offsets    []int64 // of the records that are still there; nil: all
	producer   int64
	attributes int16
	magic      int8 // 0: 2
	cut        int  // bytes missing at the end
}

const (
	txn    = attrTransactional
	marker = attrTransactional | attrControl
)

func (e entry) bytes() []byte {
	if e.magic == 1 {
		b := make([]byte, 34)
		binary.BigEndian.PutUint64(b, uint64(e.base))
		binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
		b[16] = 1
		return b[:len(b)-e.cut]
	}
	offsets := e.offsets
	if offsets == nil {
		for o := e.base; o <= e.last; o++ {
			offsets = append(offsets, o)
		}
	}
	var records []byte
	for _, o := range offsets {
		r := kmsg.Record{OffsetDelta: int32(o - e.base), Value: []byte("v")}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		records = r.AppendTo(records)
	}
	b := kmsg.RecordBatch{
		FirstOffset: e.base, Length: int32(49 + len(records)), Magic: 2, Attributes: e.attributes,
		LastOffsetDelta: int32(e.last - e.base), ProducerID: e.producer, NumRecords: int32(len(offsets)), Records: records,
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw[:len(raw)-e.cut]
}

func logOf(entries []entry) (log []byte) {
	for _, e := range entries {
		log = append(log, e.bytes()...)
	}
	return log
}

func TestClassify(t *testing.T) {
	type aborted = kmsg.FetchResponseTopicPartitionAbortedTransaction
	for _, c := range []struct {
		name    string
		log     []entry
		aborted []aborted
		at      int64
		cuts    []int64
		next    int64
		want    Composition
	}{
		{name: "nothing"},
		{name: "plain records", log: []entry{{base: 0, last: 4}}, next: 5, want: Composition{Record: 5}},
		{name: "the first batch begins before", log: []entry{{base: 0, last: 4}}, at: 3, next: 5, want: Composition{Record: 2}},
		{name: "batches before the offset are passed over", log: []entry{{base: 0, last: 4}, {base: 5, last: 6}}, at: 5, next: 7, want: Composition{Record: 2}},
		{name: "a cut last batch is left for the next answer", log: []entry{{base: 0, last: 4}, {base: 5, last: 6, cut: 1}}, next: 5, want: Composition{Record: 5}},
		{name: "a cut header", log: []entry{{base: 0, last: 4, cut: 60}}},
		{name: "marker", log: []entry{{base: 0, last: 0, attributes: txn}, {base: 1, last: 1, attributes: marker}}, next: 2, want: Composition{Record: 1, Control: 1}},
		{name: "emptied marker batch", log: []entry{{base: 1, last: 1, attributes: marker, offsets: []int64{}}}, at: 1, next: 2, want: Composition{Gap: 1}},
		{name: "empty data batch", log: []entry{{base: 3, last: 7, offsets: []int64{}}}, at: 3, next: 8, want: Composition{Gap: 5}},
		{name: "hole between batches", log: []entry{{base: 0, last: 1}, {base: 7, last: 8}}, next: 9, want: Composition{Record: 4, Gap: 5}},
		{name: "hole before the first batch", log: []entry{{base: 7, last: 8}}, at: 2, next: 9, want: Composition{Record: 2, Gap: 5}},
		{name: "holes inside a batch", log: []entry{{base: 0, last: 9, offsets: []int64{0, 9}}}, next: 10, want: Composition{Record: 2, Gap: 8}},
		{name: "holes inside the batch of the offset", log: []entry{{base: 0, last: 9, offsets: []int64{0, 4, 9}}}, at: 4, next: 10, want: Composition{Record: 2, Gap: 4}},
		{name: "holes inside the batch of a commit above", log: []entry{{base: 0, last: 9, offsets: []int64{0, 4, 9}}}, cuts: []int64{4, 5, 9}, next: 10, want: Composition{Record: 3, Gap: 7}},
		{name: "holes inside an aborted batch of the offset", log: []entry{{base: 0, last: 9, offsets: []int64{0, 4, 9}, producer: 7, attributes: txn}},
			aborted: []aborted{{ProducerID: 7}}, at: 5, next: 10, want: Composition{Aborted: 1, Gap: 4}},
		{name: "aborted, by an unsorted list", log: []entry{
			{base: 0, last: 1, producer: 1, attributes: txn}, {base: 2, last: 2, producer: 2, attributes: txn},
			{base: 3, last: 3, producer: 1, attributes: marker}, {base: 4, last: 4, producer: 1, attributes: txn},
			{base: 5, last: 5, producer: 2, attributes: marker}, {base: 6, last: 6, producer: 1, attributes: marker},
		}, aborted: []aborted{{ProducerID: 2, FirstOffset: 2}, {ProducerID: 1, FirstOffset: 0}}, next: 7, want: Composition{Record: 1, Aborted: 3, Control: 3}},
		{name: "aborted since before the offset", log: []entry{{base: 10, last: 11, producer: 1, attributes: txn}, {base: 12, last: 12, producer: 1, attributes: marker}, {base: 13, last: 13, producer: 1, attributes: txn}},
			aborted: []aborted{{ProducerID: 1, FirstOffset: 3}}, at: 10, next: 14, want: Composition{Aborted: 2, Control: 1, Record: 1}},
		{name: "plain records of a producer in the list", log: []entry{{base: 0, last: 1, producer: 1}}, aborted: []aborted{{ProducerID: 1}}, next: 2, want: Composition{Record: 2}},
		{name: "an emptied marker ends no transaction", log: []entry{
			{base: 0, last: 0, producer: 1, attributes: txn}, {base: 1, last: 1, producer: 1, attributes: marker, offsets: []int64{}},
			{base: 2, last: 2, producer: 1, attributes: txn}, {base: 3, last: 3, producer: 1, attributes: marker},
		}, aborted: []aborted{{ProducerID: 1}}, next: 4, want: Composition{Aborted: 2, Gap: 1, Control: 1}},
		{name: "old messages have no count", log: []entry{{base: 4, magic: 1}, {base: 5, last: 6}}, at: 1, next: 7, want: Composition{Unscanned: 4, Record: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, next, err := classify(logOf(c.log), c.aborted, c.at, c.cuts, new(decoder))
			if err != nil {
				t.Fatal(err)
			}
			var got Composition
			m.count(c.at, next, &got)
			for _, cut := range c.cuts {
				var upper Composition
				if m.count(cut, next, &upper); upper[Unscanned] > 0 {
					t.Errorf("from the cut at %d on: %v", cut, upper)
				}
			}
			if want := max(c.next, c.at); next != want || got != c.want {
				t.Errorf("classified up to %d as %v, want up to %d as %v", next, got, want, c.want)
			}
		})
	}
}

func TestClassifyKeepsWhatCameBeforeCorruption(t *testing.T) {
	log := append(logOf([]entry{{base: 0, last: 4}}), make([]byte, 100)...)
	m, next, err := classify(log, nil, 0, nil, new(decoder))
	if !errors.Is(err, errCorrupt) || next != 5 || m.end != 5 {
		t.Errorf("got %v up to %d, error %v; want the first batch and errCorrupt", m.list, next, err)
	}
}

// A list of aborted transactions may be as long as an answer, and must not take the square of its length.
func TestClassifyLongListOfAborted(t *testing.T) {
	aborted := make([]kmsg.FetchResponseTopicPartitionAbortedTransaction, 1<<20)
	for i := range aborted {
		aborted[i].ProducerID = int64(i)
	}
	m, next, err := classify(logOf([]entry{{base: 0, last: 4, producer: 7, attributes: txn}}), aborted, 0, nil, new(decoder))
	if err != nil {
		t.Fatal(err)
	}
	var got Composition
	if m.count(0, next, &got); got != (Composition{Aborted: 5}) {
		t.Errorf("got %v, want 5 aborted records", got)
	}
}

// FuzzClassify holds that no bytes make the walk panic, stand still or go back, and that what it maps adds up.
func FuzzClassify(f *testing.F) {
	f.Add(logOf([]entry{{base: 0, last: 4}, {base: 5, last: 5, attributes: marker}}), int64(0), int64(-1))
	f.Add(logOf([]entry{{base: 0, last: 9, offsets: []int64{0, 4, 9}, attributes: txn, producer: 1}}), int64(4), int64(1))
	f.Add(logOf([]entry{{base: 4, magic: 1}, {base: 5, last: 6, cut: 3}}), int64(1), int64(0))
	f.Fuzz(func(t *testing.T, log []byte, at, producer int64) {
		if at < 0 {
			at = -(at + 1)
		}
		aborted := []kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: producer}}
		m, next, err := classify(log, aborted, at, []int64{at + 3}, new(decoder))
		if next < at {
			t.Fatalf("went back from %d to %d", at, next)
		}
		if err != nil && !errors.Is(err, errCorrupt) {
			t.Fatalf("an error that is not errCorrupt: %v", err)
		}
		var got Composition
		m.count(at, next, &got)
		if got.Offsets() != next-at {
			t.Fatalf("%v does not sum to %d offsets", got, next-at)
		}
		for k, n := range got {
			if n < 0 {
				t.Fatalf("%d offsets are %v", n, Kind(k))
			}
		}
	})
}

// BenchmarkWalk walks the headers of 16 KiB batches, each with its marker, beside a plain copy of the same bytes: compare
// their bytes per second. `make bench` prints both.
func BenchmarkWalk(b *testing.B) {
	data := entry{last: 99, attributes: txn, producer: 1}.bytes()
	data = append(data, make([]byte, 16<<10-len(data))...)
	binary.BigEndian.PutUint32(data[8:], uint32(len(data)-12))
	end := entry{attributes: marker, producer: 1}.bytes()
	var log []byte
	for offset := uint64(0); len(log) < 64<<20; offset += 101 {
		binary.BigEndian.PutUint64(data, offset)
		binary.BigEndian.PutUint64(end, offset+100)
		log = append(append(log, data...), end...)
	}
	b.Run("walk", func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		for b.Loop() {
			if _, next, err := classify(log, nil, 0, nil, new(decoder)); err != nil || next == 0 {
				b.Fatalf("walked to %d: %v", next, err)
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		into := make([]byte, len(log))
		for b.Loop() {
			copy(into, log)
		}
	})
}
