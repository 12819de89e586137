//go:build e2e

package scenarios

import (
	"bytes"
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/lab"
)

// Compact writes each record of the span once more, so that the first is not the last of its key, and has the cleaner
// go over the log: more than once, since markers outlive the pass that removes their data. It removes what it will:
// aborted records always, say. So what it has left is looked at, and must be what the case wants.
func (w *real) Compact(ctx context.Context, a Compact) error {
	const most = 2000
	p := &w.parts[a.Partition]
	ends := w.cluster.Ends(w.t, w.Topic())[a.Partition]
	if w.lastStable(a.Partition) < p.end {
		return cannot("the cleaner leaves what an open transaction is beside")
	}
	for group, commits := range w.commits {
		if commits[a.Partition] > p.end {
			return cannot("group %s has committed beyond the end, where records have to go", group)
		}
	}
	from, to := max(a.From, ends.LogStart), min(a.To, p.end-1)
	if to-from > most {
		return cannot("%d records take too long", to-from+1)
	}
	by := w.plainProducer()
	for _, s := range withoutAll([]span{{from, to}}, p.gone) {
		for offset := s.from; offset <= s.to; offset++ {
			by.Batch(w.t, w.Topic(), a.Partition, lab.Record{Key: key(offset), Value: []byte{'v'}})
		}
	}
	p.gone = append(p.gone, span{from, to})
	want := withoutAll([]span{{ends.LogStart, p.end - 1}}, p.gone)
	var have []span
	for range 3 {
		for range 2 { // the first may still go into the segment before, the second closes that
			end := w.cluster.Ends(w.t, w.Topic())[a.Partition].HighWatermark
			by.Batch(w.t, w.Topic(), a.Partition, lab.Record{Key: key(end), Value: bytes.Repeat([]byte("x"), 3000)})
		}
		w.cluster.AwaitCleaned(w.t, w.Topic())
		now := w.cluster.Ends(w.t, w.Topic())[a.Partition]
		p.surplus = now.HighWatermark - p.end
		var err error
		if have, err = w.entries(ctx, a.Partition, now.HighWatermark, p.end); err != nil {
			return err
		}
		if slices.Equal(have, want) {
			return nil
		}
	}
	return cannot("the cleaner leaves the offsets %v, the case wants %v", have, want)
}

func withoutAll(spans, gone []span) []span {
	for _, s := range gone {
		spans = without(spans, s)
	}
	return spans
}

// entries lists the offsets below limit that hold a record or a marker.
func (w *real) entries(ctx context.Context, partition int32, end, limit int64) ([]span, error) {
	client := w.cluster.Client(w.t, kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		w.Topic(): {partition: kgo.NewOffset().AtStart()},
	}))
	defer client.Close()
	var spans []span
	for {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		for _, r := range fetches.Records() {
			switch n := len(spans); {
			case r.Offset >= limit:
			case n > 0 && spans[n-1].to == r.Offset-1:
				spans[n-1].to = r.Offset
			default:
				spans = append(spans, span{r.Offset, r.Offset})
			}
			if r.Offset == end-1 { // the cleaner never reaches the last ones
				return spans, nil
			}
		}
	}
}
