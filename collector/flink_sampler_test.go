package collector

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"truelag/flink"
)

// slowFlink answers after some time, or with what it has when it is cut off; a deaf one takes no notice of that.
type slowFlink struct {
	takes time.Duration
	deaf  bool
	heard atomic.Int64
}

func (f *slowFlink) Name() string { return "" }

func (f *slowFlink) Read(ctx context.Context) *flink.View {
	n := f.heard.Add(1)
	var cut error
	if f.deaf {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		cut = ctx.Err()
	}
	return &flink.View{Reaches: []flink.Reach{{Requests: n, Err: cut}}}
}

// What a Flink cluster that is slow, or does not even notice that nobody waits, costs the others is their time, up to the
// bound of it, and nothing else.
func TestASlowFlinkClusterCostsItsOwnViewAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		slow     *slowFlink
		deadline time.Duration
		most     time.Duration
		cut      bool // it is heard as far as it came
	}{
		"cut off":          {slow: &slowFlink{takes: time.Hour}, deadline: 4 * time.Second, most: time.Second, cut: true},
		"without deadline": {slow: &slowFlink{takes: time.Hour}, most: flinkTime, cut: true},
		"deaf":             {slow: &slowFlink{takes: time.Minute, deaf: true}, deadline: 4 * time.Second, most: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFlinkSampler([]FlinkReader{tc.slow, &slowFlink{}})
				for round := range int64(3) {
					ctx := t.Context()
					if tc.deadline > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, tc.deadline)
						defer cancel()
					}
					began := time.Now()
					views := s.sample(ctx)
					if took := time.Since(began); took > tc.most {
						t.Errorf("it took %s", took)
					}
					if views[1] == nil || views[1].Reaches[0].Requests != round+1 {
						t.Errorf("round %d of the quick one: %+v", round, views[1])
					}
					if tc.cut && (views[0] == nil || views[0].Reaches[0].Requests != round+1 || !errors.Is(views[0].Reaches[0].Err, context.DeadlineExceeded)) {
						t.Errorf("round %d of the slow one: %+v", round, views[0])
					}
				}
				<-time.After(2 * time.Minute) // the deaf one too answers in the end
				synctest.Wait()
			})
		})
	}
}

// A scrape that its client gives up says nothing of Flink.
func TestAScrapeThatIsGivenUpIsNotWhatFlinkSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &slowFlink{}
		s := newFlinkSampler([]FlinkReader{slow})
		before := s.sample(t.Context())
		slow.takes = time.Minute
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if views := s.sample(ctx); views[0] != before[0] {
			t.Errorf("got %+v", views[0])
		}
		synctest.Wait()
		if views := s.latest(); views[0] != before[0] {
			t.Errorf("then %+v", views[0])
		}
	})
}
