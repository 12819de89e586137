package kafka

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A batch that no answer can hold breaks the connection when it is first in the request. The other partitions of its
// leader are read all the same, and one that breaks each connection is not asked for ever.
func TestBatchThatNoAnswerHolds(t *testing.T) {
	for _, c := range []struct {
		name    string
		breaks  func(first string) bool
		want    Composition
		fetches int64 // at the most
	}{
		{"one partition's", func(first string) bool { return first == "large" }, Composition{Record: 4, Control: 4}, 6},
		{"each connection", func(string) bool { return true }, Composition{Unscanned: 8}, failuresBorne + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, Config{})
			names := map[TopicID]string{}
			at := map[string]int64{"large": 1, "small": 0} // the shorter span is asked for first
			for topic, partitions := range map[string]int32{"large": 1, "small": 4} {
				if err := f.cluster.CreateTopic(topic, partitions, nil); err != nil {
					t.Fatal(err)
				}
				f.transactions(topic, partitions, 1)
				for p := range partitions {
					f.commitOn(topic, "g", p, at[topic])
					if err := f.cluster.MoveTopicPartition(topic, p, 0); err != nil {
						t.Fatal(err)
					}
				}
				names[f.cluster.TopicInfo(topic).TopicID] = topic
			}
			f.cluster.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
				f.cluster.KeepControl()
				broken := c.breaks(names[req.(*kmsg.FetchRequest).Topics[0].TopicID])
				return nil, errors.New("closed"), broken
			})
			r := f.read()
			if l := r.lag(t, "g", "small"); l.Composition != c.want {
				t.Errorf("small: %v, want %v", l.Composition, c.want)
			}
			if l := r.lag(t, "g", "large"); l.Composition != (Composition{Unscanned: 1}) {
				t.Errorf("large: %v, want that it is not known", l.Composition)
			}
			if n := r.Ledger.Requests["Fetch"]; n > 2*c.fetches { // each is tried on a new connection, too
				t.Errorf("%d Fetch requests, want %d at the most", n, 2*c.fetches)
			}
		})
	}
}
