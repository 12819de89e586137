package kafka

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Reads that are given up and those that begin at once, for two callers with interests of their own as while a
// configuration is reloaded, go on beside explanations, the follower and who looks at what was found. Nothing that was
// handed out is changed.
func TestReadsThatAreGivenUpBesideOthers(t *testing.T) {
	b := newFollowed(t, Config{}, 30)
	b.transact("a", 1, 5, kgo.TryAbort)
	b.open(b.producer("hung"), "t", 1)
	groups := []string{"g", "h"}
	for _, g := range groups {
		b.committed(g, 1)
		b.commit(g, 1, 0)
	}
	told := &tellings{}
	done := make(chan struct{})
	var readers, others sync.WaitGroup
	for caller, watched := range groups {
		in := Interest{Watch: []string{watched}, Ask: func(r *Reading) []Question {
			return []Question{{Group: watched, Topic: "t", To: r.Topic("t").Partitions[0].HighWatermark}}
		}}
		readers.Go(func() {
			for i := range 60 {
				ctx, cancel := context.WithTimeout(t.Context(), unhurried)
				if i%3 < 2 { // some before they began, some in the middle
					time.AfterFunc(time.Duration(i*(caller+1))*100*time.Microsecond, cancel)
				}
				r, err := b.reader.ReadFor(ctx, in)
				cancel()
				switch {
				case err == nil:
					told.note(t, r)
				case !errors.Is(err, context.Canceled):
					t.Errorf("read %d for %s: %v", i, watched, err)
				}
			}
		})
	}
	beside := func(do func(i int64)) {
		others.Go(func() {
			for i := int64(0); ; i++ {
				select {
				case <-done:
					return
				default:
					do(i)
				}
			}
		})
	}
	beside(func(i int64) { b.committed(groups[i%2], (7*i)%30) }) // some back
	beside(func(i int64) { b.explain(groups[i%2], "t", int32(i/2%2)) })
	beside(func(i int64) {
		if i%50 == 0 {
			if _, err := b.reader.Probe(t.Context()); err != nil {
				t.Error(err)
			}
		}
		_, _ = b.reader.Events(), b.reader.CaughtUp()
		told.note(t, b.reader.Last())
	})
	readers.Wait()
	close(done)
	others.Wait()
	told.hold(t)
}

// tellings are readings with what they told when they were new.
type tellings struct {
	mu   sync.Mutex
	list []telling
}

type telling struct {
	of   *Reading
	text []byte
}

func (o *tellings) note(t *testing.T, r *Reading) {
	if r == nil {
		return
	}
	text := tell(t, r)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.list) < 200 {
		o.list = append(o.list, telling{r, text})
	}
}

func (o *tellings) hold(t *testing.T) {
	if len(o.list) == 0 {
		t.Fatal("no read has come to its end")
	}
	for _, was := range o.list {
		if now := tell(t, was.of); !bytes.Equal(now, was.text) {
			t.Errorf("a reading was changed: %s\nbefore: %s", now, was.text)
		}
	}
}

// tell is all that a reading holds.
func tell(t *testing.T, r *Reading) []byte {
	text, err := json.Marshal([]any{r.Snapshot, r.Lags, r.Transactions, r.Answers, r.Trails, r.Follower, r.Ledger.Requests, fmt.Sprint(r.Ledger.Errors)})
	if err != nil {
		t.Error(err)
	}
	return text
}
