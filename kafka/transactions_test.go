package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// bed gives the helpers of a bed to a fake.
func (f *fake) bed() *bed { return &bed{Cluster: f.cluster, t: f.t} }

// producer is a transactional producer; what it leaves open stays open.
func (f *fake) producer(id string) *kgo.Client {
	f.t.Helper()
	p, err := kgo.NewClient(kgo.SeedBrokers(f.cluster.ListenAddrs()...), kgo.TransactionalID(id),
		kgo.TransactionTimeout(transactionTime), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(p.Close)
	return p
}

// open begins a transaction and writes a record to some partitions of a topic.
func (f *fake) open(p *kgo.Client, topic string, partitions ...int32) {
	f.t.Helper()
	if err := p.BeginTransaction(); err != nil {
		f.t.Fatal(err)
	}
	for _, partition := range partitions {
		if err := p.ProduceSync(f.t.Context(), &kgo.Record{Topic: topic, Partition: partition, Value: []byte("v")}).FirstErr(); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f *fake) commitTransaction(p *kgo.Client) {
	f.t.Helper()
	if err := p.EndTransaction(f.t.Context(), kgo.TryCommit); err != nil {
		f.t.Fatal(err)
	}
}

// questions counts requests by API, but for those that clients in tests send, and those that read the tails.
func questions(requests []seenRequest) map[string]int {
	n := map[string]int{}
	for _, r := range requests {
		n[kmsg.NameForKey(r.req.Key())]++
	}
	for _, others := range []string{
		"Produce", "Fetch", "InitProducerID", "AddPartitionsToTxn", "EndTxn", "FindCoordinator", "Metadata", "GetTelemetrySubscriptions",
	} {
		delete(n, others)
	}
	return n
}

// Transactions that come and go between two scrapes, and clusters without share groups, cost no request beside the usual.
func TestUsualScrapeCostsNothingMore(t *testing.T) {
	f := newFake(t, Config{})
	p := f.producer("busy")
	f.open(p, "t", 0)
	f.commitTransaction(p)
	f.commit("g", 0, 0)
	f.read() // reads the tail
	saw := f.bed().watch()
	usual := f.read()
	want := questions(saw.take())
	for api := range want {
		if !slices.Contains([]string{"ListGroups", "ListOffsets", "OffsetFetch", "DescribeGroups"}, api) {
			t.Errorf("the usual scrape sends %s", api)
		}
	}
	if len(usual.Transactions) != 0 {
		t.Errorf("open transactions: %+v", usual.Transactions)
	}
	for range 4 {
		f.open(p, "t", 0)
		r := f.read()
		f.commitTransaction(p)
		topic := r.Topic("t").Partitions[0]
		if topic.LastStable >= topic.HighWatermark || len(r.Transactions) != 0 {
			t.Fatalf("no transaction was open, or one was looked for: %+v, %+v", topic, r.Transactions)
		}
		got := questions(saw.take())
		if !maps.Equal(got, want) {
			t.Errorf("a scrape with a transaction in flight sends %v, a usual one %v", got, want)
		}
	}
}

// only is the one open transaction of a reading.
func only(t *testing.T, r *Reading) OpenTransaction {
	t.Helper()
	if len(r.Transactions) != 1 {
		t.Fatalf("open transactions %+v, want one", r.Transactions)
	}
	return r.Transactions[0]
}

func TestOpenTransaction(t *testing.T) {
	f := newFake(t, Config{})
	f.transact("before", 1, 3, kgo.TryCommit)
	p := f.producer("tx")
	began := time.Now().Add(-time.Second)
	f.open(p, "t", 1)
	f.read()
	for range 3 {
		tx := only(t, f.read())
		id, epoch, err := p.ProducerID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if tx.StartedAt.Before(began) || tx.StartedAt.After(time.Now()) {
			t.Errorf("began at %s, want after %s", tx.StartedAt, began)
		}
		tx.StartedAt = time.Time{}
		want := OpenTransaction{
			Topic: "t", Partition: 1, FirstOffset: 4, ProducerID: id, Epoch: int32(epoch),
			TransactionalID: "tx", State: "Ongoing", Timeout: transactionTime,
		}
		if tx != want {
			t.Errorf("got %+v, want %+v", tx, want)
		}
	}
	f.commitTransaction(p)
	if r := f.read(); len(r.Transactions) != 0 {
		t.Errorf("after its end: %+v", r.Transactions)
	}
	f.open(p, "t", 1) // at another offset
	if r := f.read(); len(r.Transactions) != 0 {
		t.Errorf("at the first sight of the next one: %+v", r.Transactions)
	}
	if tx := only(t, f.read()); tx.FirstOffset != 6 || tx.Hanging || tx.Why != "" {
		t.Errorf("the next one: %+v", tx)
	}
}

// describes crafts the answers of coordinators.
func describes(f *fake, state *kmsg.DescribeTransactionsResponseTransactionState) {
	describesAt(f, func() kmsg.DescribeTransactionsResponseTransactionState { return *state })
}

// describesAt crafts them when they are asked for.
func describesAt(f *fake, state func() kmsg.DescribeTransactionsResponseTransactionState) {
	answer(f.bed(), -1, func(req *kmsg.DescribeTransactionsRequest) kmsg.Response {
		resp := kmsg.NewPtrDescribeTransactionsResponse()
		for _, id := range req.TransactionalIDs {
			st := state()
			if st.TransactionalID = id; id == nobody {
				st = kmsg.DescribeTransactionsResponseTransactionState{TransactionalID: id, ErrorCode: kerr.TransactionalIDNotFound.Code}
			}
			resp.TransactionStates = append(resp.TransactionStates, st)
		}
		return resp
	})
}

// listsNone makes no broker list any transaction.
func listsNone(f *fake) {
	answer(f.bed(), -1, func(*kmsg.ListTransactionsRequest) kmsg.Response { return kmsg.NewPtrListTransactionsResponse() })
}

// A transaction hangs when its coordinator will not end it, and two scrapes in a row see that.
func TestHangingTransaction(t *testing.T) {
	on := func(partitions ...int32) []kmsg.DescribeTransactionsResponseTransactionStateTopic {
		return []kmsg.DescribeTransactionsResponseTransactionStateTopic{{Topic: "other", Partitions: []int32{0}}, {Topic: "t", Partitions: partitions}}
	}
	state := func(state string, age, timeout time.Duration, topics []kmsg.DescribeTransactionsResponseTransactionStateTopic) func(*fake, int64) {
		return func(f *fake, producer int64) {
			describesAt(f, func() kmsg.DescribeTransactionsResponseTransactionState { // it has the age at each look, however late that is
				st := kmsg.NewDescribeTransactionsResponseTransactionState()
				st.State, st.ProducerID, st.Topics = state, producer, topics
				st.StartTimestamp, st.TimeoutMillis = time.Now().Add(-age).UnixMilli(), int32(timeout.Milliseconds())
				return st
			})
		}
	}
	const aliveWhy, unknown = "", "unknown"
	for _, c := range []struct {
		name  string
		craft func(f *fake, producer int64)
		why   string // empty: it does not hang; unknown: nothing can be said
		count Failure
	}{
		{name: "open", craft: state("Ongoing", time.Minute, time.Minute, on(0)), why: aliveWhy},
		{name: "its end is being written", craft: state("PrepareCommit", time.Second, time.Minute, on(1, 0)), why: aliveWhy},
		{name: "just past its timeout", craft: state("Ongoing", 80*time.Second, time.Minute, on(0)), why: aliveWhy},
		{name: "past its timeout", craft: state("Ongoing", 5*time.Minute, time.Minute, on(0)), why: "its timeout of 1m0s has passed"},
		{name: "its end is never written", craft: state("PrepareAbort", time.Hour, time.Minute, on(0)), why: "its timeout of 1m0s has passed"},
		{name: "ended", craft: state("CompleteCommit", time.Minute, time.Minute, nil), why: "its coordinator is in state CompleteCommit"},
		{name: "ended long ago", craft: state("Empty", time.Hour, time.Minute, nil), why: "its coordinator is in state Empty"},
		{name: "another one is open elsewhere", craft: state("Ongoing", time.Second, time.Minute, on(1)), why: "in state Ongoing and has no transaction on the partition"},
		{
			name:  "the id has another producer",
			craft: func(f *fake, p int64) { state("Ongoing", time.Second, time.Minute, on(0))(f, p+1) },
			why:   "no transaction on the partition",
		},
		{
			name: "its coordinator has forgotten the id",
			craft: func(f *fake, _ int64) {
				describes(f, &kmsg.DescribeTransactionsResponseTransactionState{ErrorCode: kerr.TransactionalIDNotFound.Code})
			},
			why:   "its coordinator does not know it",
			count: Failure{"DescribeTransactions", "TRANSACTIONAL_ID_NOT_FOUND"},
		},
		{name: "no coordinator lists it", craft: func(f *fake, _ int64) { listsNone(f) }, why: "no coordinator knows its producer"},
		{
			name: "not all ids may be listed",
			craft: func(f *fake, _ int64) {
				listsNone(f) // brokers say nothing of what they leave out
				f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeTransactions}, Err: kerr.TransactionalIDAuthorizationFailed, Count: -1})
			},
			why:   unknown,
			count: Failure{"DescribeTransactions", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"},
		},
		{
			name: "a coordinator is loading",
			craft: func(f *fake, _ int64) {
				answer(f.bed(), -1, func(*kmsg.ListTransactionsRequest) kmsg.Response {
					resp := kmsg.NewPtrListTransactionsResponse()
					if f.cluster.CurrentNode() == 1 {
						resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
					}
					return resp
				})
			},
			why:   unknown,
			count: Failure{"ListTransactions", "COORDINATOR_LOAD_IN_PROGRESS"},
		},
		{
			name: "a coordinator does not answer",
			craft: func(f *fake, _ int64) {
				f.cluster.ControlKey(kmsg.ListTransactions.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
					f.cluster.KeepControl()
					if f.cluster.CurrentNode() == 1 {
						return nil, nil, true
					}
					return req.ResponseKind(), nil, true
				})
			},
			why:   unknown,
			count: Failure{"ListTransactions", "timeout"},
		},
		{
			name: "some ids have no coordinator",
			craft: func(f *fake, _ int64) {
				listsNone(f)
				if err := f.cluster.CreateTopic("__transaction_state", 2, nil); err != nil {
					f.t.Fatal(err)
				}
				resp, err := f.client.Request(f.t.Context(), kmsg.NewPtrMetadataRequest())
				if err != nil {
					f.t.Fatal(err)
				}
				m := resp.(*kmsg.MetadataResponse)
				for i := range m.Topics {
					if *m.Topics[i].Topic == "__transaction_state" {
						m.Topics[i].Partitions[1].Leader = -1
					}
				}
				answer(f.bed(), -1, func(*kmsg.MetadataRequest) kmsg.Response { return m })
			},
			why: unknown,
		},
		{
			name: "its coordinator refuses",
			craft: func(f *fake, _ int64) {
				describes(f, &kmsg.DescribeTransactionsResponseTransactionState{ErrorCode: kerr.CoordinatorNotAvailable.Code})
			},
			why:   unknown,
			count: Failure{"DescribeTransactions", "COORDINATOR_NOT_AVAILABLE"},
		},
		{
			name: "its coordinator leaves it out",
			craft: func(f *fake, _ int64) {
				answer(f.bed(), -1, func(*kmsg.DescribeTransactionsRequest) kmsg.Response {
					return kmsg.NewPtrDescribeTransactionsResponse()
				})
			},
			why:   unknown,
			count: Failure{"DescribeTransactions", "unanswered"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, Config{})
			if err := f.cluster.MoveTopicPartition("t", 0, 0); err != nil { // away from the broker that does not answer
				t.Fatal(err)
			}
			p := f.producer("tx")
			f.open(p, "t", 0)
			producer, _, err := p.ProducerID(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f.read()
			c.craft(f, producer)
			for look := range 3 {
				r := f.readWithin(hanging)
				tx := only(t, r)
				if tx.ProducerID != producer || tx.FirstOffset != 0 {
					t.Errorf("look %d: %+v", look, tx)
				}
				if c.why == unknown {
					if tx.Err == nil || tx.Hanging || tx.Why != "" {
						t.Errorf("look %d: %+v, want that nothing can be said", look, tx)
					}
					continue
				}
				if tx.Err != nil || tx.Hanging != (c.why != "" && look > 0) || !strings.Contains(tx.Why, c.why) || (tx.Why == "") != (c.why == "") {
					t.Errorf("look %d: %+v, want it hanging from the second on because %q", look, tx, c.why)
				}
			}
			if c.count != (Failure{}) && f.readWithin(hanging).Ledger.Errors[c.count] == 0 {
				t.Errorf("not counted: %v", c.count)
			}
		})
	}
}

func (f *fake) readWithin(d time.Duration) *Reading {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), d)
	defer cancel()
	r, err := f.reader.Read(ctx)
	if err != nil || ctx.Err() != nil {
		f.t.Fatal(err, ctx.Err())
	}
	return r
}

// A scrape that meets a transaction as it ends doubts it, and no more: neither when a later one sees it in good order,
// nor when the next transaction is met in the same way. What a scrape could not learn leaves the doubt as it is.
func TestDoubtTakesTwoScrapesInARow(t *testing.T) {
	f := newFake(t, Config{})
	p := f.producer("tx")
	f.open(p, "t", 0)
	look := ""
	answer(f.bed(), -1, func(req *kmsg.DescribeTransactionsRequest) kmsg.Response {
		resp := kmsg.NewPtrDescribeTransactionsResponse()
		for _, id := range req.TransactionalIDs {
			st := kmsg.NewDescribeTransactionsResponseTransactionState()
			st.TransactionalID, st.State = id, "CompleteCommit"
			switch look {
			case "good":
				return nil
			case "error":
				st.ErrorCode = kerr.CoordinatorNotAvailable.Code
			}
			resp.TransactionStates = append(resp.TransactionStates, st)
		}
		return resp
	})
	check := func(how string, hanging bool) {
		t.Helper()
		look = how
		if tx := only(t, f.read()); tx.Hanging != hanging || (tx.Err != nil) != (how == "error") || (tx.Why == "") != (how != "ended") {
			t.Errorf("%s: %+v, want hanging %v", how, tx, hanging)
		}
	}
	f.read()
	check("ended", false)
	check("good", false)
	check("ended", false)
	check("error", false)
	check("ended", true)
	check("error", false)
	check("ended", true)
	check("good", false)
	check("ended", false)
	f.commitTransaction(p)
	f.open(p, "t", 0)
	f.read()
	check("ended", false)
	check("ended", true)
}

// Without READ on a topic the leader tells no producers: the age is that since the first sight, and all else stands.
func TestTransactionsOfATopicThatMayNotBeRead(t *testing.T) {
	f := newFake(t, Config{}, kfake.SeedTopics(2, "denied"))
	f.open(f.producer("a"), "denied", 0)
	f.open(f.producer("b"), "t", 1)
	f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeProducers}, Topic: "denied", Err: kerr.TopicAuthorizationFailed, Count: -1})
	first := f.read()
	f.read()
	r := f.read()
	if len(r.Transactions) != 2 {
		t.Fatalf("got %+v", r.Transactions)
	}
	if tx := r.Transactions[0]; tx.Topic != "denied" || !errors.Is(tx.Err, kerr.TopicAuthorizationFailed) || tx.ProducerID != -1 || !tx.StartedAt.Equal(first.At) {
		t.Errorf("got %+v, want it denied, since %s", tx, first.At)
	}
	if tx := r.Transactions[1]; tx.Topic != "t" || tx.Err != nil || tx.TransactionalID != "b" {
		t.Errorf("got %+v, want that of b", tx)
	}
	if n := r.Ledger.Errors[Failure{"DescribeProducers", "TOPIC_AUTHORIZATION_FAILED"}]; n != 2 {
		t.Errorf("counted %d times, want once for each of two looks", n)
	}
}

// However many partitions are held, the requests are one for each broker and step.
func TestManyHeldPartitions(t *testing.T) {
	const partitions = 240
	f := newFake(t, Config{}, kfake.SeedTopics(partitions, "wide"))
	for i := range 6 {
		var some []int32
		for p := int32(i); p < partitions; p += 6 {
			some = append(some, p)
		}
		f.open(f.producer(fmt.Sprint("tx", i)), "wide", some...)
	}
	f.read()
	saw := f.bed().watch()
	r := f.read()
	if len(r.Transactions) != partitions {
		t.Fatalf("%d open transactions, want %d", len(r.Transactions), partitions)
	}
	for p, tx := range r.Transactions {
		if want := fmt.Sprint("tx", p%6); int(tx.Partition) != p || tx.TransactionalID != want || tx.Err != nil || tx.Why != "" {
			t.Errorf("partition %d: %+v, want that of %s", p, tx, want)
		}
	}
	count := map[string]int{}
	for _, req := range saw.take() {
		count[fmt.Sprint(kmsg.NameForKey(req.req.Key()), " at ", req.node)]++
	}
	for _, api := range []string{"DescribeProducers", "ListTransactions", "DescribeTransactions"} {
		for node := range 3 {
			if n := count[fmt.Sprint(api, " at ", node)]; n != 1 {
				t.Errorf("%d %s at broker %d, want 1", n, api, node)
			}
		}
	}
}

// Brokers before 2.8 do not tell producers, so the age is that since the first sight; those before 3.0 do not tell
// transactional ids. What a broker does not know, it is asked once.
func TestTransactionsOnOldBrokers(t *testing.T) {
	for _, v := range []struct {
		versions *kversion.Versions
		producer bool
		unknown  Failure
		brokers  int64
	}{
		{kversion.V2_7_0(), false, Failure{"DescribeProducers", "unsupported"}, 1},
		{kversion.V2_8_0(), true, Failure{"ListTransactions", "unsupported"}, 3},
	} {
		f := newFake(t, Config{}, kfake.MaxVersions(v.versions))
		f.open(f.producer("tx"), "t", 0)
		first := f.read()
		for range 3 {
			tx := only(t, f.read())
			if !errors.Is(tx.Err, errUnsupported) || tx.Hanging || tx.TransactionalID != "" || (tx.ProducerID >= 0) != v.producer || tx.StartedAt.Equal(first.At) == v.producer {
				t.Errorf("%s: got %+v", v.versions.VersionGuess(), tx)
			}
		}
		if n := f.read().Ledger.Errors[v.unknown]; n != v.brokers {
			t.Errorf("%s: counted %d times %v, want %d", v.versions.VersionGuess(), n, v.unknown, v.brokers)
		}
	}
}

// A broker that lets its answer be waited for costs what it alone can tell.
func TestBrokerThatHangsOverProducers(t *testing.T) {
	t.Parallel()
	f := newFake(t, Config{}, kfake.SeedTopics(6, "wide"))
	for p := range int32(6) {
		if err := f.cluster.MoveTopicPartition("wide", p, p%3); err != nil {
			t.Fatal(err)
		}
	}
	f.open(f.producer("tx"), "wide", 0, 1, 2, 3, 4, 5)
	f.read()
	hangs(f.bed(), 1, func(r kmsg.Request) bool { return r.Key() == kmsg.DescribeProducers.Int16() })
	r := f.readWithin(hanging)
	if len(r.Transactions) != 6 {
		t.Fatalf("got %+v", r.Transactions)
	}
	for _, tx := range r.Transactions {
		if at1 := tx.Partition%3 == 1; at1 != timedOut(tx.Err) || !at1 && tx.TransactionalID != "tx" {
			t.Errorf("got %+v", tx)
		}
	}
}

// A last stable offset is held when it stands where it stood, on the same topic, in the pass before that could read it.
func TestWhereLastStableOffsetsStand(t *testing.T) {
	at := time.Unix(1_000_000, 0)
	snap := func(id byte, lso, hw int64, err error) *Snapshot {
		at = at.Add(time.Minute)
		return &Snapshot{At: at, Topics: []Topic{{Name: "t", ID: TopicID{id}, Partitions: []Partition{{LastStable: lso, HighWatermark: hw, Err: err}}}}}
	}
	gone := func(err error) *Snapshot {
		at = at.Add(time.Minute)
		return &Snapshot{At: at, Topics: []Topic{{Name: "t", Err: err}}}
	}
	for _, c := range []struct {
		name  string
		snaps []*Snapshot
		since int // which snapshot's time the last one's row is since; -1: no row
	}{
		{"first sight", []*Snapshot{snap(1, 5, 9, nil)}, -1},
		{"stands", []*Snapshot{snap(1, 5, 9, nil), snap(1, 5, 12, nil)}, 0},
		{"stands for long", []*Snapshot{snap(1, 5, 9, nil), snap(1, 5, 12, nil), snap(1, 5, 12, nil)}, 0},
		{"moves", []*Snapshot{snap(1, 5, 9, nil), snap(1, 6, 9, nil)}, -1},
		{"moves and stands", []*Snapshot{snap(1, 5, 9, nil), snap(1, 6, 9, nil), snap(1, 6, 9, nil)}, 1},
		{"nothing open", []*Snapshot{snap(1, 9, 9, nil), snap(1, 9, 9, nil)}, -1},
		{"ends in between", []*Snapshot{snap(1, 5, 9, nil), snap(1, 9, 9, nil), snap(1, 5, 9, nil)}, -1},
		{"recreated", []*Snapshot{snap(1, 5, 9, nil), snap(2, 5, 9, nil)}, -1},
		{"not read in between", []*Snapshot{snap(1, 5, 9, nil), snap(1, -1, -1, kerr.LeaderNotAvailable), snap(1, 5, 9, nil)}, 0},
		{"not described in between", []*Snapshot{snap(1, 5, 9, nil), gone(kerr.TopicAuthorizationFailed), snap(1, 5, 9, nil)}, 0},
		{"deleted in between", []*Snapshot{snap(1, 5, 9, nil), gone(kerr.UnknownTopicOrPartition), snap(1, 5, 9, nil)}, -1},
		{"left out in between", []*Snapshot{snap(1, 5, 9, nil), {At: at}, snap(1, 5, 9, nil)}, -1},
		{"below the log start", []*Snapshot{snap(1, 0, 9, nil), snap(1, 0, 9, nil)}, 0},
	} {
		x := newTransactions()
		var rows []*held
		for _, s := range c.snaps {
			rows = x.observe(s)
		}
		switch {
		case c.since < 0 && len(rows) > 0:
			t.Errorf("%s: got %+v, want no row", c.name, rows[0])
		case c.since >= 0 && (len(rows) != 1 || !rows[0].StartedAt.Equal(c.snaps[c.since].At)):
			t.Errorf("%s: got %+v, want a row since %s", c.name, rows, c.snaps[c.since].At)
		}
		if last := c.snaps[len(c.snaps)-1]; last.Topics[0].Partitions[0].LastStable == 9 && len(x.stands) > 0 {
			t.Errorf("%s: remembers %+v", c.name, x.stands)
		}
	}
}

// Which producer holds the last stable offset.
func TestProducerOfTheOldestTransaction(t *testing.T) {
	type producer = kmsg.DescribeProducersResponseTopicPartitionActiveProducer
	seen := time.Unix(1_000_000, 0)
	ms := seen.UnixMilli()
	for _, c := range []struct {
		name      string
		producers []producer
		id        int64 // -1: none
		since     time.Time
	}{
		{"none", nil, -1, seen},
		{"idle ones", []producer{{ProducerID: 1, CurrentTxnStartOffset: -1}}, -1, seen},
		{"one", []producer{{ProducerID: 1, CurrentTxnStartOffset: -1}, {ProducerID: 2, CurrentTxnStartOffset: 5, LastTimestamp: ms - 8000}}, 2, seen.Add(-8 * time.Second)},
		{"the first of several", []producer{{ProducerID: 1, CurrentTxnStartOffset: 7}, {ProducerID: 2, CurrentTxnStartOffset: 5}}, 2, seen},
		{"one that began later", []producer{{ProducerID: 1, CurrentTxnStartOffset: 6}}, -1, seen},
		{"the log start has passed its beginning", []producer{{ProducerID: 1, CurrentTxnStartOffset: 2}}, 1, seen},
		{"still writing", []producer{{ProducerID: 1, CurrentTxnStartOffset: 5, LastTimestamp: ms + 8000}}, 1, seen},
		{"without a time", []producer{{ProducerID: 1, CurrentTxnStartOffset: 5, LastTimestamp: -1}}, 1, seen},
	} {
		r := held{OpenTransaction: OpenTransaction{FirstOffset: 5, ProducerID: -1, StartedAt: seen}}
		r.take(c.producers)
		if r.ProducerID != c.id || r.gone != (c.id < 0) || !r.StartedAt.Equal(c.since) {
			t.Errorf("%s: got %+v", c.name, r)
		}
	}
}
