package consumer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
)

// A topic that is compacted under a reader tells it the same as one that comes new, and what the last records are.
func TestTopicThatIsCompacted(t *testing.T) {
	const none = "which the topic has no offset of a connector c"
	w := newWorker(t)
	_, err := kadm.NewClient(w.maker).AlterTopicConfigs(t.Context(), []kadm.AlterConfig{
		{Name: "cleanup.policy", Value: kadm.StringPtr("compact")}, {Name: "delete.retention.ms", Value: kadm.StringPtr("0")},
		{Name: "min.cleanable.dirty.ratio", Value: kadm.StringPtr("0")},
	}, offsetsTopic)
	w.ok(err)
	w.maker = w.client()
	c := w.consumer("c", "")
	r := rand.New(rand.NewPCG(1, 2))
	last, others := "", map[string]bool{}
	for i := range 60 {
		for range r.IntN(8) {
			pos := r.IntN(1000)
			switch r.IntN(4) {
			case 0:
				w.note("c", "s", "")
				last = none
			case 1:
				w.note("c", "s", at(pos))
				last = fmt.Sprint("place b.000001:", pos)
			default:
				other := fmt.Sprint("other", r.IntN(3))
				w.note(other, "s", at(pos))
				others[other] = true
			}
		}
		if last == "" || r.IntN(3) == 0 {
			continue
		}
		if r.IntN(2) == 0 {
			w.Compact()
		}
		now := last
		if last == none && len(others) > 0 {
			now += ", only of " + strings.Join(slices.Sorted(maps.Keys(others)), ", ")
		}
		want(t, c, now)
		if i%10 == 0 {
			want(t, w.consumer("c", ""), now)
		}
	}
}
