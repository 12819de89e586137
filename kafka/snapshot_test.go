package kafka

import (
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Commits and ends are of between the times that are told, and commits come first.
func TestTimesOfASnapshot(t *testing.T) {
	f := newFake(t, Config{})
	f.plain(0, 2)
	for _, g := range []string{"a", "b", "c", "d"} {
		f.commit(g, 0, 1)
	}
	var mu sync.Mutex
	asked := map[int16][]time.Time{}
	for _, key := range []int16{kmsg.OffsetFetch.Int16(), kmsg.ListOffsets.Int16()} {
		f.cluster.ControlKey(key, func(req kmsg.Request) (kmsg.Response, error, bool) {
			f.cluster.KeepControl()
			mu.Lock()
			defer mu.Unlock()
			if l, ok := req.(*kmsg.ListOffsetsRequest); !ok || l.Topics[0].Partitions[0].Timestamp != logStart.timestamp {
				asked[key] = append(asked[key], time.Now())
			}
			return nil, nil, false
		})
	}
	s := f.read()
	for _, c := range []struct {
		name        string
		key         kmsg.Key
		asked, told time.Time
	}{{"commits", kmsg.OffsetFetch, s.CommitsAsked, s.CommitsTold}, {"ends", kmsg.ListOffsets, s.EndsAsked, s.EndsTold}} {
		times := asked[c.key.Int16()]
		if len(times) == 0 {
			t.Errorf("%s: nothing was asked", c.name)
		}
		for _, at := range times {
			if at.Before(c.asked) || at.After(c.told) {
				t.Errorf("%s: asked at %v, not between %v and %v", c.name, at, c.asked, c.told)
			}
		}
	}
	if s.CommitsAsked.Before(s.At) || s.EndsAsked.Before(s.CommitsTold) {
		t.Errorf("the pass began %v, commits are of %v to %v, ends of %v to %v", s.At, s.CommitsAsked, s.CommitsTold, s.EndsAsked, s.EndsTold)
	}
}
