package fake

import (
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// frame is an answer on its way out. Its memory serves one connection's answers one after the other.
type frame struct {
	buf     []byte
	sealed  int      // how much of buf is in pieces
	heads   []byte   // batch headers of a Fetch answer
	batches [][]byte // one partition's
	pieces  [][]byte // what to write, in order
}

func (f *frame) reset() {
	*f = frame{buf: f.buf[:0], heads: f.heads[:0], batches: f.batches[:0], pieces: f.pieces[:0]}
}

// seal puts into pieces what was appended to buf since the last time.
func (f *frame) seal() {
	f.pieces = append(f.pieces, f.buf[f.sealed:len(f.buf):len(f.buf)])
	f.sealed = len(f.buf)
}

// fetch appends the body of a Fetch answer (version 13 or later), and returns how many bytes of records it holds. The
// batches are not copied.
func (c *Cluster) fetch(broker int, req *kmsg.FetchRequest, f *frame) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	left, first := int64(req.MaxBytes), true
	f.buf = append(f.buf, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // throttle, error, session
	f.buf = kbin.AppendCompactArrayLen(f.buf, len(req.Topics))
	for i := range req.Topics {
		rt := &req.Topics[i]
		f.buf = append(f.buf, rt.TopicID[:]...)
		f.buf = kbin.AppendCompactArrayLen(f.buf, len(rt.Partitions))
		for j := range rt.Partitions {
			rp := &rt.Partitions[j]
			t, start, end, code := c.partition(broker, rt.TopicID, rp)
			var size int64
			var aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction
			f.batches = f.batches[:0]
			if code == 0 && left > 0 {
				p := c.topics[t].pattern
				limit := min(left, int64(rp.PartitionMaxBytes))
				f.batches, f.heads, size = p.read(f.batches, f.heads, rp.FetchOffset, end, limit, first)
				if req.IsolationLevel == 1 {
					aborted = p.abortions(rp.FetchOffset, end, size)
				}
				left, first = left-size, first && size == 0
			}
			f.buf = kbin.AppendInt32(f.buf, rp.Partition)
			f.buf = kbin.AppendInt16(f.buf, code)
			f.buf = kbin.AppendInt64(f.buf, end) // high watermark
			f.buf = kbin.AppendInt64(f.buf, end) // last stable offset
			f.buf = kbin.AppendInt64(f.buf, start)
			f.buf = kbin.AppendCompactNullableArrayLen(f.buf, len(aborted), req.IsolationLevel == 0)
			for _, a := range aborted {
				f.buf = kbin.AppendInt64(f.buf, a.ProducerID)
				f.buf = kbin.AppendInt64(f.buf, a.FirstOffset)
				f.buf = append(f.buf, 0)
			}
			f.buf = kbin.AppendInt32(f.buf, -1) // preferred read replica
			f.buf = kbin.AppendUvarint(f.buf, uint32(size+1))
			f.seal()
			f.pieces = append(f.pieces, f.batches...)
			f.buf = append(f.buf, 0)
		}
		f.buf = append(f.buf, 0)
	}
	f.buf = append(f.buf, 0)
	f.seal()
	return int64(req.MaxBytes) - left
}

func (c *Cluster) partition(broker int, id [16]byte, rp *kmsg.FetchRequestTopicPartition) (
	t int, start, end int64, code int16,
) {
	t, known := c.byID[id]
	switch {
	case !known:
		return 0, -1, -1, kerr.UnknownTopicID.Code
	case rp.Partition < 0 || int(rp.Partition) >= c.layout.Partitions:
		return t, -1, -1, kerr.UnknownTopicOrPartition.Code
	case c.leader(t, int(rp.Partition)) != broker:
		return t, -1, -1, kerr.NotLeaderForPartition.Code
	}
	start, end = c.topics[t].starts[rp.Partition], c.topics[t].ends[rp.Partition]
	if rp.FetchOffset < start || rp.FetchOffset > end {
		code = kerr.OffsetOutOfRange.Code
	}
	return t, start, end, code
}
