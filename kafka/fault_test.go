package kafka

import (
	"bytes"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A batch that cannot be read leaves its offsets unscanned, and why is counted: once where the offsets stay as they are,
// and with each scrape where they are tried again.
func TestUnreadableBatchesAreCountedByReason(t *testing.T) {
	holes := func(body []byte, count int32, attributes int16) []byte {
		return sealed(entry{base: 0, last: decodedRecords + 9, attributes: attributes}, count, body)
	}
	wrong := holes(nil, 3, 0)
	wrong[17]++ // in the checksum
	for _, c := range []struct {
		name  string
		log   []byte
		want  BatchFault
		again bool
	}{
		{"a message of format 1", entry{base: 5, magic: 1}.bytes(), OldFormat, false},
		{"a header that makes no sense", bytes.Repeat([]byte{0xff}, 100), Corrupt, true},
		{"a wrong checksum", wrong, Corrupt, false},
		{"fewer records than it says", holes(nil, 3, 0), Corrupt, false},
		{"an unknown codec", holes(nil, 3, 7), BadCompression, false},
		{"bytes that are not of the codec", holes([]byte("no zstd"), 3, 4), BadCompression, false},
		{"too many records among holes", holes(nil, decodedRecords+1, 0), TooLarge, false},
		{"a bomb", holes(compressed(t, zstded, make([]byte, decompressedBytes+1)), 3, 4), TooLarge, false},
		{"above 64 MiB", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0, 0, 0}, TooLarge, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, Config{})
			f.plain(0, 6)
			f.commit("g", 0, 3)
			f.cluster.ControlKey(kmsg.Fetch.Int16(), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
				f.cluster.KeepControl()
				req := kreq.(*kmsg.FetchRequest)
				resp := req.ResponseKind().(*kmsg.FetchResponse)
				rt := kmsg.NewFetchResponseTopic()
				rt.Topic, rt.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
				rp := kmsg.NewFetchResponseTopicPartition()
				rp.HighWatermark, rp.RecordBatches = 6, c.log
				rt.Partitions = append(rt.Partitions, rp)
				resp.Topics = append(resp.Topics, rt)
				return resp, nil, true
			})
			var want [batchFaults]int64
			first := f.read()
			want[c.want] = 1
			if first.Ledger.Faults != want {
				t.Errorf("counted %v, want %v (%v)", first.Ledger.Faults, want, BatchFaults())
			}
			if l := first.lag(t, "g", "t"); l.Composition != (Composition{Unscanned: 3}) {
				t.Errorf("got %v, want that it is not known", l.Composition)
			}
			if c.again {
				want[c.want] = 2
			}
			if again := f.read(); again.Ledger.Faults != want {
				t.Errorf("the next scrape has counted %v, want %v", again.Ledger.Faults, want)
			}
		})
	}
}
