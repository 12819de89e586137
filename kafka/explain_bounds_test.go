package kafka

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// An explanation takes a few requests whatever the log looks like, on brokers of any age, and each is told.
func TestExplanationIsBounded(t *testing.T) {
	for _, v := range brokerVersions {
		t.Run(v.name, func(t *testing.T) {
			f := newFake(t, Config{}, v.opts()...)
			const batches = 450
			f.plain(0, batches)
			f.commit("g", 0, 0)
			observed := f.cluster.Fault(kfake.Fault{Observe: true, Count: -1, Keys: []kmsg.Key{
				kmsg.Metadata, kmsg.FindCoordinator, kmsg.ListOffsets, kmsg.OffsetFetch, kmsg.Fetch}})
			e := f.explain("g", "t", 0)
			if n := observed.Hits(); n != len(e.Requests) || n > 1+3+3+1+explainFetches {
				t.Errorf("%d requests, told %d: %+v", n, len(e.Requests), e.Requests)
			}
			for i, r := range e.Requests {
				if r.Err != nil || r.Version < 0 || r.About == "" || r.At.IsZero() || i > 0 && r.At.Before(e.Requests[i-1].At) {
					t.Errorf("request %d: %+v", i, r)
				}
			}
			if e.Records != batches || !e.Exact || len(e.Log) != stretchRows {
				t.Fatalf("%d records, %d stretches: %+v", e.Records, len(e.Log), e)
			}
			if sum := e.Log[stretchRows/2]; sum.Batches != batches-stretchRows+1 || sum.Composition != (Composition{Record: batches - stretchRows + 1}) {
				t.Errorf("the middle is %+v", sum)
			}
			for i := range e.Log[1:] {
				if e.Log[i].To != e.Log[i+1].From {
					t.Errorf("stretch %d ends at %d, the next begins at %d", i, e.Log[i].To, e.Log[i+1].From)
				}
			}
		})
	}
}

// What does not fit into an explanation's bytes is bounded by what the scrapes have counted.
func TestExplanationTakesTheRestFromTheLastReading(t *testing.T) {
	f := newFake(t, Config{})
	big := make([]byte, 200<<10)
	for i := range big {
		big[i] = byte(rand.Uint32()) // else it would be compressed to nothing
	}
	write := func(n int) {
		for range n {
			f.must(f.client.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Value: big}).FirstErr())
		}
	}
	write(12)
	f.transact("x", 0, 2, kgo.TryAbort) // what follows is no record
	f.commit("g", 0, 2)
	e := f.explain("g", "t", 0)
	if e.Exact || e.Records != 13 || e.Composition[Record] == 0 || e.Composition[Unscanned] == 0 {
		t.Fatalf("without a reading: %+v", e)
	}
	f.read()
	if e = f.explain("g", "t", 0); !e.Exact || e.Records != 10 || e.Scraped == nil || e.Scraped.Records != 10 {
		t.Errorf("as it was read: %d records, exact %t; %+v", e.Records, e.Exact, e.Scraped)
	}
	write(1)
	if e = f.explain("g", "t", 0); e.Exact || e.Records != 11 {
		t.Errorf("one record later: %d records, exact %t", e.Records, e.Exact)
	}
	f.commit("g", 0, 1)
	if e = f.explain("g", "t", 0); e.Exact || e.Records != 12 {
		t.Errorf("one back: %d records, exact %t", e.Records, e.Exact)
	}
}

// A pass that waits for a broker keeps nobody from an explanation.
func TestExplainRunsBesideRead(t *testing.T) {
	f := newFake(t, Config{})
	f.transact("a", 0, 3, kgo.TryCommit)
	f.commit("g", 0, 3)
	f.read()
	third := 3 - f.cluster.LeaderFor("t", 0) - f.cluster.CoordinatorFor("g") // of the brokers 0, 1 and 2
	if f.cluster.LeaderFor("t", 0) == f.cluster.CoordinatorFor("g") {
		third = (f.cluster.LeaderFor("t", 0) + 1) % 3
	}
	held := make(chan struct{}, 1)
	f.cluster.ControlKey(int16(kmsg.ListGroups), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		if f.cluster.CurrentNode() != third {
			return nil, nil, false
		}
		select {
		case held <- struct{}{}:
		default:
		}
		return nil, nil, true // no answer
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _, _ = f.reader.Read(ctx) }()
	<-held
	if e := f.explain("g", "t", 0); e.Err != nil || shape(e.Log) != "control 3 COMMIT" {
		t.Errorf("%+v", e)
	}
	cancel()
	<-done
	if f.reader.Last() == nil {
		t.Error("a read that failed took the last reading away")
	}
}

// A broker that hangs costs no more than the time there is, and what the others say is still told.
func TestExplanationHasADeadline(t *testing.T) {
	t.Parallel()
	f := newFake(t, Config{})
	f.plain(0, 3)
	f.commit("g", 0, 1)
	f.cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		f.cluster.KeepControl()
		return nil, nil, true
	})
	ctx, cancel := context.WithTimeout(t.Context(), hanging)
	defer cancel()
	e, err := f.reader.Explain(ctx, "g", "t", 0)
	if err != nil || e.Err != nil || e.Lag.Offsets != 2 || e.Composition[Unscanned] != 2 {
		t.Fatalf("%v, %+v", err, e)
	}
	last := e.Requests[len(e.Requests)-1]
	if last.API != "Fetch" || last.Err == nil || last.Version != -1 {
		t.Errorf("last request: %+v", last)
	}
}

func TestShortenKeepsTheSum(t *testing.T) {
	for n := range 3 * stretchRows {
		var list []Stretch
		for i := range int64(n) {
			list = append(list, Stretch{From: i, To: i + 1, Batches: 1, Bytes: 1, Composition: Composition{Record: 1}})
		}
		short := shorten(slices.Clone(list))
		var sum Stretch
		for i, s := range short {
			if i > 0 && s.From != short[i-1].To {
				t.Fatalf("%d stretches: %d begins at %d after %d", n, i, s.From, short[i-1].To)
			}
			sum.Batches, sum.Bytes = sum.Batches+s.Batches, sum.Bytes+s.Bytes
			sum.Composition.add(&s.Composition)
		}
		if len(short) > stretchRows || sum.Batches != n || sum.Bytes != int64(n) || sum.Composition[Record] != int64(n) {
			t.Fatalf("%d stretches became %d with the sum %+v", n, len(short), sum)
		}
	}
}
