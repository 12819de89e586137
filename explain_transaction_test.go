package main

import (
	"encoding/json"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// heldBack is a cluster where group g waits at offset 0 of orders for the transaction of pay.
func heldBack(t *testing.T) *kfake.Cluster {
	t.Helper()
	c := broker(t)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.TransactionalID("pay"), kgo.TransactionTimeout(5*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "orders", Value: []byte("v")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	plain, err := kadm.NewOptClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	var o kadm.Offsets
	o.AddOffset("orders", 0, 0, -1)
	if err := plain.CommitAllOffsets(t.Context(), "g", o); err != nil {
		t.Fatal(err)
	}
	return c
}

// told is what the JSON of an explanation says of a transaction.
type told struct {
	Verdict     struct{ State, Sentence string }
	Transaction struct {
		ID       string  `json:"transactional_id"`
		Producer *int64  `json:"producer_id"`
		State    string  `json:"state"`
		Timeout  float64 `json:"timeout_seconds"`
		Since    *time.Time
		Age      *float64 `json:"age_seconds"`
		Hanging  *bool
		Doubt    string
		Why      string `json:"hanging_unknown_because"`
	} `json:"open_transaction"`
}

func toldBy(t *testing.T, body string) told {
	t.Helper()
	var v told
	if err := json.Unmarshal([]byte(body), &v); err != nil || v.Verdict.State != "blocked" {
		t.Fatalf("%v\n%s", err, body)
	}
	return v
}

// The page, its JSON and the command name the open transaction that holds a group back, how old it is, and whether it
// hangs.
func TestExplainNamesTheOpenTransaction(t *testing.T) {
	for _, c := range []struct {
		name       string
		craft      func(c *kfake.Cluster)
		hangs      string
		known      bool
		hanging    bool
		say, words string
	}{
		{
			"in hand", func(*kfake.Cluster) {}, "no", true, false,
			`for an open transaction of "pay", producer `, "; its coordinator has it in hand (Ongoing, with a timeout of 5 min).",
		},
		{
			"hanging", func(c *kfake.Cluster) {
				c.ControlKey(int16(kmsg.DescribeTransactions), func(req kmsg.Request) (kmsg.Response, error, bool) {
					c.KeepControl()
					resp := req.ResponseKind().(*kmsg.DescribeTransactionsResponse)
					for _, id := range req.(*kmsg.DescribeTransactionsRequest).TransactionalIDs {
						st := kmsg.NewDescribeTransactionsResponseTransactionState()
						st.TransactionalID, st.State = id, "CompleteAbort"
						resp.TransactionStates = append(resp.TransactionStates, st)
					}
					return resp, nil, true
				})
			}, "yes", true, true,
			`for a hanging transaction of "pay", producer `, ": its coordinator is in state CompleteAbort and has no transaction on the partition.",
		},
		{
			"not to be described", func(c *kfake.Cluster) {
				c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeTransactions}, Err: kerr.TransactionalIDAuthorizationFailed, Count: -1})
			}, "unknown", false, false,
			`for an open transaction of "pay", producer `, "; whether it hangs is not known: allow Describe on TransactionalId.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := heldBack(t)
			c.craft(cluster)
			check := func(who string, v told) {
				t.Helper()
				tx := v.Transaction
				if tx.ID != "pay" || tx.Producer == nil || tx.Since == nil || tx.Age == nil || *tx.Age < 0 || *tx.Age > patience.Seconds() ||
					(tx.Hanging != nil) != c.known || c.known && *tx.Hanging != c.hanging || (tx.Doubt != "") != c.hanging || (tx.Why == "") != c.known {
					t.Errorf("%s: %+v", who, tx)
				}
				if s := v.Verdict.Sentence; !strings.Contains(s, c.say) || !strings.Contains(s, "open since ") || !strings.HasSuffix(s, c.words) {
					t.Errorf("%s: %s", who, s)
				}
			}
			args := []string{"explain", "--kafka.brokers=" + cluster.ListenAddrs()[0], "--group=g", "--topic=orders", "--partition=0"}
			code, text, _ := runs(t, args...)
			flat := strings.Join(strings.Fields(text), " ")
			for _, want := range []string{c.say, c.words, `transactional id "pay"`, "open for ", "hanging: " + c.hangs, "DescribeTransactions"} {
				if code != 1 || !strings.Contains(flat, want) {
					t.Errorf("command: %d, it does not say %q:\n%s", code, want, text)
				}
			}
			_, body, _ := runs(t, append(args, "-o", "json")...)
			check("command", toldBy(t, body))

			p := serving(t, args[1])
			const page = "/explain?group=g&topic=orders&partition=0"
			_, body = p.explained(page + "&format=json")
			check("page before a scrape", toldBy(t, body))
			await(t, "the transaction", func() bool {
				_, ok := p.scrape().families["truelag_partition_open_transaction_info"]
				return ok
			})
			p.scrape() // it takes two to call it hanging
			_, body = p.explained(page + "&format=json")
			check("page after scrapes", toldBy(t, body))
			if strings.Contains(body, "ListTransactions") {
				t.Errorf("the page asks for what the scrapes know:\n%s", body)
			}
			code, body = p.explained(page)
			body = html.UnescapeString(body)
			for _, want := range []string{c.say, c.words, "<dt>transactional id</dt><dd><bdi>pay</bdi></dd>", "<dt>hanging</dt><dd>" + c.hangs + "</dd>"} {
				if code != http.StatusOK || !strings.Contains(body, want) {
					t.Errorf("page: %d, it does not say %q:\n%s", code, want, body)
				}
			}
		})
	}
}
