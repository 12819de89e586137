package kafka

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// heldBack is a cluster where group g waits at offset 2 for a transaction of the producer.
func heldBack(t *testing.T, cfg Config, opts ...kfake.Opt) (*fake, *kgo.Client) {
	t.Helper()
	f := newFake(t, cfg, opts...)
	f.plain(0, 2)
	p := f.producer("open")
	f.open(p, "t", 0)
	f.plain(0, 1)
	f.commit("g", 0, 2)
	return f, p
}

// aboutTransactions counts an explanation's requests about transactions.
func aboutTransactions(e *Explanation) (n int) {
	for _, r := range e.Requests {
		if slices.Contains([]string{"DescribeProducers", "ListTransactions", "DescribeTransactions"}, r.API) {
			n++
		}
	}
	return n
}

// What holds a group back is named, by its first batch and by those who know more: asked for where no pass has looked
// into it yet, else as the last one has found.
func TestExplanationNamesWhoHoldsBack(t *testing.T) {
	began := time.Now().Add(-time.Second)
	f, p := heldBack(t, Config{})
	id, epoch, err := p.ProducerID(t.Context())
	f.must(err)
	check := func(when string, requests int) {
		t.Helper()
		e := f.explain("g", "t", 0)
		if got, want := shape(e.Log), "blocked 2, blocked 3"; got != want || e.Records != 0 || e.Composition[Blocked] != 2 {
			t.Errorf("%s: log %q, want %q; %+v", when, got, want, e)
		}
		if b := e.Blocker; b == nil || b.First != 2 || b.Producer != id || b.Since.Before(began) {
			t.Errorf("%s: blocker %+v", when, b)
		}
		tx := e.Transaction
		if tx == nil || tx.StartedAt.Before(began) || tx.StartedAt.After(time.Now()) {
			t.Fatalf("%s: %+v", when, tx)
		}
		got := *tx
		got.StartedAt = time.Time{}
		if want := (OpenTransaction{Topic: "t", FirstOffset: 2, ProducerID: id, Epoch: int32(epoch), TransactionalID: "open", State: "Ongoing", Timeout: transactionTime}); got != want {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
		if n := aboutTransactions(e); n != requests {
			t.Errorf("%s: %d requests about transactions, want %d: %+v", when, n, requests, e.Requests)
		}
		for _, r := range e.Requests {
			if r.Err != nil && !errors.Is(r.Err, kerr.NotCoordinator) || r.Version < 0 || r.About == "" {
				t.Errorf("%s: request %+v", when, r)
			}
		}
	}
	// The leader, three brokers, and those that list the producer: of embedded ones all do, and one is the coordinator.
	check("before any pass", 1+3+3)
	f.read()
	check("after the first pass", 1+3+3)
	f.read() // a transaction is looked into when it has not moved
	check("after a pass that has looked", 0)
	f.commitTransaction(p)
	if e := f.explain("g", "t", 0); e.Transaction != nil || e.Blocker != nil || aboutTransactions(e) > 0 {
		t.Errorf("after its end: %+v", e)
	}
}

// Nobody is asked about a transaction that keeps nothing from the group.
func TestExplanationAsksOnlyAboutWhatHoldsBack(t *testing.T) {
	f, _ := heldBack(t, Config{})
	f.commit("g", 0, 3) // no read_committed consumer gets there
	e := f.explain("g", "t", 0)
	if got, want := shape(e.Log), "record 3"; got != want || e.Isolation != ReadUncommitted || e.Source != Observed || aboutTransactions(e) > 0 || e.Transaction != nil {
		t.Errorf("log %q, want %q; %s (%s); %+v", got, want, e.Isolation, e.Source, e)
	}
	f, _ = heldBack(t, Config{Isolation: []IsolationRule{{regexp.MustCompile("g"), ReadUncommitted}}})
	if e := f.explain("g", "t", 0); aboutTransactions(e) > 0 || e.Transaction != nil {
		t.Errorf("%+v", e)
	}
}

// An explanation that doubts a transaction looks twice before it calls it hanging, as the passes do.
func TestExplanationSaysWhetherATransactionHangs(t *testing.T) {
	ended := func(f *fake, looks int) {
		look := 0
		answer(f.bed(), -1, func(req *kmsg.DescribeTransactionsRequest) kmsg.Response {
			if look++; look > looks {
				return nil
			}
			resp := kmsg.NewPtrDescribeTransactionsResponse()
			for _, id := range req.TransactionalIDs {
				st := kmsg.NewDescribeTransactionsResponseTransactionState()
				st.TransactionalID, st.State = id, "CompleteCommit"
				resp.TransactionStates = append(resp.TransactionStates, st)
			}
			return resp
		})
	}
	for _, c := range []struct {
		name     string
		craft    func(f *fake)
		gone     bool
		hanging  bool
		why      string // empty: there is no doubt
		err      error
		requests int
	}{
		{name: "in hand", craft: func(*fake) {}, requests: 7},
		{name: "its coordinator has ended it", craft: func(f *fake) { ended(f, 10) }, hanging: true, why: "in state CompleteCommit", requests: 14},
		{name: "its coordinator is seen as it ends another one", craft: func(f *fake) { ended(f, 3) }, requests: 14},
		{
			name: "it has ended by the second look", gone: true, requests: 8,
			craft: func(f *fake) {
				ended(f, 10)
				look := 0
				answer(f.bed(), -1, func(*kmsg.DescribeProducersRequest) kmsg.Response {
					if look++; look == 1 {
						return nil
					}
					p := kmsg.NewDescribeProducersResponseTopicPartition()
					topic := kmsg.NewDescribeProducersResponseTopic()
					topic.Topic, topic.Partitions = "t", append(topic.Partitions, p)
					resp := kmsg.NewPtrDescribeProducersResponse()
					resp.Topics = append(resp.Topics, topic)
					return resp
				})
			},
		},
		{
			name:  "nobody knows it",
			craft: listsNone, hanging: true, why: "no coordinator knows its producer", requests: 10,
		},
		{
			name: "not all ids may be described",
			craft: func(f *fake) {
				listsNone(f)
				f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeTransactions}, Err: kerr.TransactionalIDAuthorizationFailed, Count: -1})
			},
			err: kerr.TransactionalIDAuthorizationFailed, requests: 5,
		},
		{
			name: "some ids have no coordinator",
			craft: func(f *fake) {
				listsNone(f)
				f.must(f.cluster.CreateTopic(transactionTopic, 2, nil))
				resp, err := f.client.Request(f.t.Context(), kmsg.NewPtrMetadataRequest())
				f.must(err)
				m := resp.(*kmsg.MetadataResponse)
				for i := range m.Topics {
					if *m.Topics[i].Topic == transactionTopic {
						m.Topics[i].Partitions[1].Leader = -1
					}
				}
				answer(f.bed(), -1, func(*kmsg.MetadataRequest) kmsg.Response { return m })
			},
			err: kerr.CoordinatorNotAvailable, requests: 4,
		},
		{
			name: "its producers may not be described",
			craft: func(f *fake) {
				f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeProducers}, Err: kerr.TopicAuthorizationFailed, Count: -1})
			},
			err: kerr.TopicAuthorizationFailed, requests: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, _ := heldBack(t, Config{})
			c.craft(f)
			e := f.explain("g", "t", 0)
			if n := aboutTransactions(e); n != c.requests {
				t.Errorf("%d requests about transactions, want %d: %+v", n, c.requests, e.Requests)
			}
			tx := e.Transaction
			if tx == nil || c.gone {
				if tx != nil || !c.gone {
					t.Errorf("got %+v, want it gone: %t", tx, c.gone)
				}
				return
			}
			if tx.Hanging != c.hanging || !strings.Contains(tx.Why, c.why) || (tx.Why == "") != (c.why == "") || !errors.Is(tx.Err, c.err) || (tx.Err == nil) != (c.err == nil) {
				t.Errorf("got %+v", tx)
			}
			if c.err == nil && tx.ProducerID < 0 || tx.StartedAt.IsZero() != (tx.ProducerID < 0) {
				t.Errorf("got %+v", tx)
			}
		})
	}
}

// Brokers that do not know the questions are not asked again by the next explanation.
func TestExplanationOfATransactionOnAnOldBroker(t *testing.T) {
	f, _ := heldBack(t, Config{}, kfake.MaxVersions(kversion.V2_6_0()))
	e := f.explain("g", "t", 0)
	if aboutTransactions(e) != 1 || e.Transaction == nil || !errors.Is(e.Transaction.Err, errUnsupported) || e.Blocker == nil || e.Blocker.Producer < 0 {
		t.Errorf("%+v, %+v", e.Transaction, e.Requests)
	}
	if e = f.explain("g", "t", 0); aboutTransactions(e) != 0 || e.Transaction == nil || !errors.Is(e.Transaction.Err, errUnsupported) {
		t.Errorf("%+v, %+v", e.Transaction, e.Requests)
	}
}
