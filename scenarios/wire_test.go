package scenarios

import (
	"bytes"
	"testing"
)

// An answer may end in a cut batch, but where a client must get on it begins with a whole one, however little was asked for.
func TestFetchAnswersBeginWithAWholeBatch(t *testing.T) {
	l := newPartitionLog(0)
	for n := range 4 {
		l.append(1+3*n, noProducer, -1)
	}
	for _, hard := range worlds {
		f := form{hard: hard}
		for from := range l.batches {
			var all []byte
			var ends []int // of the batches, in bytes
			for _, b := range l.batches[from:] {
				all = b.appendTo(all, f)
				ends = append(ends, len(all))
			}
			whole := ends[0]
			for _, offset := range []int64{l.batches[from].base, l.batches[from].last} {
				for _, end := range append(ends, 1, whole/2) {
					for most := end - 1; most <= end+1; most++ {
						got := l.fetch(offset, most, true, true, f).records
						if len(got) < whole || len(got) > max(most, whole) || !bytes.HasPrefix(all, got) {
							t.Errorf("hard %v, %d bytes from offset %d: got %d, want the first %d at least", hard, most, offset, len(got), whole)
						}
						got = l.fetch(offset, most, true, false, f).records
						if len(got) > 0 && len(got) < whole || len(got) > most || !bytes.HasPrefix(all, got) {
							t.Errorf("hard %v, %d bytes from offset %d: got %d, want none or the first %d", hard, most, offset, len(got), whole)
						}
					}
				}
			}
		}
	}
}
