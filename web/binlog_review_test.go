package web

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestBinlogConsumerVerdict(t *testing.T) {
	known := func(c BinlogConsumer) BinlogConsumer {
		c.Transactions, c.Age, c.Headroom = -1, -1, -1
		return c
	}
	for want, c := range map[string]BinlogConsumer{
		"Behind.":               {State: "ok", Bytes: 9, Effective: 9},
		"Behind. It is paused.": {State: "ok", Bytes: 9, Effective: 9, Told: "paused"},
		"Behind by at most 1,200 bytes: nobody has looked at what they hold.":                                       {State: "ok", Bytes: 1200, Effective: -1},
		"Behind by at most 113 transactions: nobody has looked at what they hold.":                                  {State: "ok", Bytes: -1, Effective: -1},
		"Caught up: nothing follows its place.":                                                                     {State: "caught_up", Told: "running"},
		"Caught up: the 31 bytes after its place hold no transaction that is left to read.":                         {State: "caught_up", Bytes: 31},
		"Lost its place: what it would read next is purged. It has failed: no longer available.":                    {State: "purged", Told: "failed", Reason: "no longer available.", Bytes: -1, Effective: -1},
		"Its place is past the server's end: was the server reset, has it lost transactions, or is it another one?": {State: "ahead"},
		"Its place is in the files of another server.":                                                              {State: "foreign"},
		"There cannot be an event at its place.":                                                                    {State: "invalid"},
		"It takes a snapshot and reads no binlog meanwhile.":                                                        {State: "snapshot"},
		"It has noted down no place yet. It has failed.":                                                            {State: "no_position", Told: "failed"},
		"It tells no place, only its own lag.":                                                                      {State: "no_position", ReportsAlone: true, Bytes: -1, Effective: -1},
		"Unknown.":                                                                                                  {State: "unknown"},
		"Unknown: refused.":                                                                                         {State: "unknown", Reason: "refused"},
		"Unknown. It has failed: so.":                                                                               {State: "unknown", Told: "failed", Reason: "so"},
	} {
		if c = known(c); strings.Contains(want, "113") {
			c.Transactions = 113
		}
		if got := c.Verdict(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A consumer that does not run where it should is looked at first, as the alert calls for it; one that was halted on purpose is not.
func TestDownConsumersAreWorst(t *testing.T) {
	for told, down := range map[string]bool{
		"failed": true, "missing": true, "unassigned": true, "disconnected": true,
		"": false, "running": false, "paused": false, "stopped": false, "restarting": false,
	} {
		r := BinlogReview{Consumers: []BinlogConsumer{{State: "ok", Bytes: 1 << 40, Effective: 1 << 40}, {State: "no_position", Told: told}}}
		if first := r.Worst()[0].State == "no_position"; first != down {
			t.Errorf("%q is first: %t", told, first)
		}
	}
}

// A consumer that has failed is looked at first, whatever it was doing; the page counts it among those that have.
func TestFailedConsumersAreWorst(t *testing.T) {
	for state := range binlogStates {
		r := BinlogReview{Consumers: []BinlogConsumer{
			{Consumer: "behind", State: "ok", Bytes: 1 << 40, Effective: 1 << 40}, {Consumer: "failed", State: state, Told: "failed", Bytes: -1, Effective: -1},
		}}
		if worst := r.Worst()[0]; worst.Consumer != "failed" || r.Tally("broken") != 1 {
			t.Errorf("%s: the worst is %s, %d are broken", state, worst.Consumer, r.Tally("broken"))
		}
		e := BinlogExplanation{BinlogConsumer: r.Consumers[1]}
		runs := BinlogConsumer{State: state}
		if said := strings.HasSuffix(e.Headline(), ", and failed"); said == (runs.Class() == "broken") {
			t.Errorf("%s: the page is headed %q", state, e.Headline())
		}
	}
}

// Where some have lost their places and others have failed alone, what is left of the latter does not put them first.
func TestLostPlacesAreWorst(t *testing.T) {
	var all []BinlogConsumer
	for i, state := range []string{"ok", "unknown", "ok", "snapshot", "caught_up", "purged", "ok", "no_position", "ahead"} {
		c := BinlogConsumer{Consumer: strconv.Itoa(i), State: state, Told: "failed", Bytes: -1, Effective: -1}
		if state == "ok" {
			c.Effective = int64(100 * i)
		}
		all = append(all, c)
	}
	all[8].Told = "running"
	var got []string
	for _, c := range (&BinlogReview{Consumers: all}).Worst() {
		got = append(got, c.State+" "+c.Consumer)
	}
	if want := "[purged 5 ahead 8 ok 6 ok 2 ok 0]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The landing page lists the consumers that have lost their places first, and then those that are farthest behind.
func TestLandingPageShowsBinlogs(t *testing.T) {
	consumer := func(name, state string, left int64) BinlogConsumer {
		return BinlogConsumer{Server: "db <eu>", Consumer: name, State: state, Bytes: left, Effective: left, Transactions: 2, Age: 90 * time.Second, Headroom: time.Hour}
	}
	some := []BinlogConsumer{
		consumer("level", "caught_up", 0), consumer("near", "ok", 10), consumer("far", "ok", 12345), consumer("lost&found", "purged", -1),
	}
	some[3].Transactions, some[3].Age, some[3].Headroom = -1, -1, -1
	many := append([]BinlogConsumer{consumer("unread", "unknown", -1), consumer("other", "caught_up", 0)}, some...)
	for name, tt := range map[string]struct {
		review *BinlogReview
		want   []string // in this order
		never  []string
	}{
		"no server":    {nil, nil, []string{"<h2>Binlogs</h2>"}},
		"not read yet": {&BinlogReview{}, []string{"<h2>Binlogs</h2>", "Unknown: no server was read yet."}, []string{"<th>Consumer"}},
		"no consumer":  {&BinlogReview{Read: noon}, []string{"No consumer of a binlog is configured. Read 0 s ago."}, []string{"<th>Consumer"}},
		"some": {&BinlogReview{Read: noon.Add(-4 * time.Second), Consumers: some}, []string{
			"Each consumer, read 4 s ago.", `class="broken"`, "<bdi>db &lt;eu&gt;</bdi>", "<bdi>lost&amp;found</bdi>", `no">unknown<`, `no">unknown<`,
			"Lost its place", `class="behind"`, "<bdi>far</bdi>", ">12.1 KiB<", ">2<", ">90 s<", ">60 min<", "<bdi>near</bdi>", `class="level"`, "<bdi>level</bdi>",
		}, nil},
		"many": {&BinlogReview{Read: noon, Consumers: many}, []string{
			`<b class="broken">1</b> down, or lost the place`, `<b class="behind">2</b> behind`, `<b class="level">2</b> caught up`, `<b class="unknown">1</b>`,
			"The 5 worst of 6 consumers", "lost&amp;found", "far", "near", "unread",
		}, []string{"<bdi>other</bdi></a>", "in a snapshot"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := explaining(t, Lags{}, func(c *Config) { c.Overview = func() Overview { return Overview{Binlog: tt.review} } })
			rest := ask(h, "GET", "/").Body.String()
			for _, never := range tt.never {
				if strings.Contains(rest, never) {
					t.Errorf("the page has %q", never)
				}
			}
			for _, want := range tt.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("the page lacks %q, or has it earlier:\n%s", want, rest)
				}
				rest = after
			}
		})
	}
}
