package kafka

import (
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Commits are told before the time that is told for them, and the ends of logs are asked for after it.
func TestTimeOfCommits(t *testing.T) {
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
	commits, ends := asked[kmsg.OffsetFetch.Int16()], asked[kmsg.ListOffsets.Int16()]
	if len(commits) == 0 || len(ends) == 0 {
		t.Errorf("%d requests for commits, %d for ends", len(commits), len(ends))
	}
	for _, at := range commits {
		if at.Before(s.At) || at.After(s.CommitsTold) {
			t.Errorf("commits: asked at %v, not between %v and %v", at, s.At, s.CommitsTold)
		}
	}
	for _, at := range ends {
		if at.Before(s.CommitsTold) {
			t.Errorf("ends: asked at %v, not after %v", at, s.CommitsTold)
		}
	}
}
