package collector

import (
	"context"
	"errors"
	"strings"
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

// No two readings of one Flink cluster are made at a time, whoever gave the first one up.
func TestReadingsOfAFlinkClusterDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := &busyFlink{t: t}
		s := newFlinkSampler([]FlinkReader{busy, &slowFlink{}})
		for round := range int64(4) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(round+1)*10*time.Millisecond)
			s.sample(ctx)
			cancel()
		}
		if views := s.sample(t.Context()); views[0] == nil || views[0].Reaches[0].Requests != busy.made.Load() {
			t.Errorf("after readings that were given up: %+v", views[0])
		}
	})
}

// busyFlink takes a second, whatever its context says.
type busyFlink struct {
	t          *testing.T
	made, busy atomic.Int64
}

func (*busyFlink) Name() string { return "" }

func (f *busyFlink) Read(context.Context) *flink.View {
	defer f.busy.Add(-1)
	if f.busy.Add(1) > 1 {
		f.t.Error("two readings at a time")
	}
	<-time.After(time.Second)
	return &flink.View{Reaches: []flink.Reach{{Requests: f.made.Add(1)}}}
}

// A reading that breaks down costs neither the process nor what was heard before, and is told.
func TestAReadingOfFlinkThatBreaksDown(t *testing.T) {
	broken := &brokenFlink{}
	s := newFlinkSampler([]FlinkReader{broken, &slowFlink{}})
	if err := unheard(s.sample(t.Context())[0]); err == nil || !strings.Contains(err.Error(), "odd bytes") {
		t.Errorf("the first one: got %v", err)
	}
	broken.says = &flink.View{Jobs: []flink.Job{{ID: "1"}}, Reaches: []flink.Reach{{Interface: flink.REST, Target: "there", At: time.Unix(1, 0)}}}
	if err := unheard(s.sample(t.Context())[0]); err != nil {
		t.Error(err)
	}
	before := broken.says
	broken.says = nil
	views := s.sample(t.Context())
	if err := unheard(views[0]); err == nil || !strings.Contains(err.Error(), "odd bytes") || !strings.Contains(err.Error(), "rest there") {
		t.Errorf("a later one: got %v", err)
	}
	if len(views[0].Jobs) != 1 || views[0] == before || before.Reaches[0].Err != nil || views[1].Reaches[0].Requests != 3 {
		t.Errorf("got %+v, %+v, and before %+v", views[0], views[1], before)
	}
}

// brokenFlink panics while it has nothing to say.
type brokenFlink struct{ says *flink.View }

func (*brokenFlink) Name() string { return "" }

func (f *brokenFlink) Read(context.Context) *flink.View {
	if f.says == nil {
		panic("odd bytes")
	}
	return f.says
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
