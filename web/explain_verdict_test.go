package web

import (
	"strings"
	"testing"
	"time"
)

func TestVerdictOfEachState(t *testing.T) {
	since := noon.Add(-2 * time.Minute)
	known := func(g Group, kinds ...Count) *Explanation {
		g.Known = true
		return &Explanation{At: noon, Lag: g, Kinds: kinds, Exact: g.Unscanned == 0, Committed: 5, EndsKnown: true}
	}
	with := func(e *Explanation, change func(*Explanation)) *Explanation {
		change(e)
		return e
	}
	aborted := func(producers ...int64) func(*Explanation) {
		return func(e *Explanation) {
			for i, p := range producers {
				e.Log = append(e.Log, Stretch{From: int64(i), To: int64(i) + 1, Kind: "aborted", Kinds: Kinds{{"aborted", 1}}, Batches: 1, Producer: p})
			}
		}
	}
	tests := []struct {
		name  string
		e     *Explanation
		state string
		exit  int
		want  string
	}{
		{"nothing follows", known(Group{}), "level", 0, "Caught up: nothing follows the commit."},
		{"one marker", known(Group{Offsets: 1}, Count{"control", 1}), "phantom", 0, "Caught up: the 1 offset after the commit is a transaction marker."},
		{"an aborted transaction", with(known(Group{Offsets: 7}, Count{"control", 1}, Count{"aborted", 6}), aborted(4001, 4001)), "phantom", 0,
			"Caught up: the 7 offsets after the commit are an aborted transaction and its marker."},
		{"two producers, one marker", with(known(Group{Offsets: 7}, Count{"control", 1}, Count{"aborted", 6}), aborted(4001, 4002)), "phantom", 0,
			"Caught up: the 7 offsets after the commit are 6 records of aborted transactions and a transaction marker."},
		{"everything", known(Group{Offsets: 1234}, Count{"control", 30}, Count{"aborted", 1}, Count{"gap", 1203}), "phantom", 0,
			"Caught up: the 1,234 offsets after the commit are 1 record of aborted transactions, 30 transaction markers and 1,203 gaps that compaction has left."},
		{"behind", with(known(Group{Offsets: 12, Records: 12}), func(e *Explanation) { e.First = since }), "behind", 1,
			"Behind: 12 records are left to read, the oldest from 2026-11-29 11:58:00 UTC (2 min ago)."},
		{"behind by one", known(Group{Offsets: 3, Records: 1}), "behind", 1, "Behind: 1 record is left to read; the other 2 offsets hold none."},
		{"behind and held back", known(Group{Offsets: 6, Records: 5, Blocked: 1}, Count{"record", 5}, Count{"blocked", 1}), "behind", 1,
			"Behind: 5 records are left to read; 1 offset more waits for an open transaction."},
		{"partly unscanned", known(Group{Offsets: 20, Records: 12, Unscanned: 10}, Count{"record", 2}, Count{"unscanned", 10}), "behind", 1,
			"Behind: at most 12 records are left to read; 10 offsets were not looked at."},
		{"partly not readable", with(known(Group{Offsets: 20, Records: 12, Unscanned: 10}, Count{"record", 2}, Count{"unscanned", 10}), func(e *Explanation) { e.Lacks = "Read on Topic" }), "behind", 1,
			"Behind: at most 12 records are left to read; for want of Read on Topic, 10 offsets were not looked at."},
		{"not readable", with(known(Group{Offsets: 7, Records: 7, Unscanned: 7}, Count{"unscanned", 7}), func(e *Explanation) { e.Lacks = "Read on Topic" }), "unreadable", 3,
			"Not readable: the broker refuses to let the topic be read, so each of 7 offsets after the commit may be a record. Allow Read on Topic."},
		{"held back", known(Group{Offsets: 9, Blocked: 9}, Count{"blocked", 9}), "blocked", 1,
			"Held back: 9 offsets after the commit wait for an open transaction."},
		{"held back by whom", with(known(Group{Offsets: 1, Blocked: 1}, Count{"blocked", 1}), func(e *Explanation) {
			e.Blocker = &Blocker{Producer: 4001, Epoch: 7, Since: since}
		}), "blocked", 1, "Held back: 1 offset after the commit waits for an open transaction of producer 4001 (epoch 7), open since 2026-11-29 11:58:00 UTC (2 min ago)."},
		{"hanging", with(known(Group{Offsets: 9, Blocked: 9}, Count{"blocked", 9}), func(e *Explanation) {
			e.Blocker = &Blocker{Producer: 4001, Epoch: 7, TransactionalID: "pay\n", Since: since, Hanging: true, Doubt: "its timeout of 1m0s has passed"}
		}), "blocked", 1, `Held back: 9 offsets after the commit wait for a hanging transaction of "pay\\n", producer 4001 (epoch 7), open since 2026-11-29 11:58:00 UTC (2 min ago): its timeout of 1m0s has passed.`},
		{"lost", known(Group{Offsets: 8, Lost: 5, Records: 1}), "broken", 4, "Lost: 5 offsets were deleted before the group read them; 1 record is left to read."},
		{"lost all", known(Group{Offsets: 1, Lost: 1}), "broken", 4, "Lost: 1 offset was deleted before the group read it; nothing is left to read."},
		{"beyond the end", known(Group{BeyondEnd: 3}), "broken", 4,
			"Beyond the end: the commit stands 3 offsets after the end of the log: it was truncated, recreated, or the group was reset wrongly."},
		{"not committed", &Explanation{At: noon, Lag: Group{Uncommitted: true}, Committed: -1}, "uncommitted", 3,
			"Not committed: the group has no committed offset on this partition, so there is no lag."},
		{"unknown", &Explanation{Committed: -1, Why: "The partition has no leader"}, "unknown", 3, "Unknown: the partition has no leader."},
		{"denied", &Explanation{Committed: -1, Why: "The broker refuses to describe the topic", Lacks: "Describe on Topic"}, "unknown", 3,
			"Unknown: the broker refuses to describe the topic. Allow Describe on Topic."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.e.Verdict(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if got := tt.e.State(); got != tt.state || Exit(got) != tt.exit {
				t.Errorf("state %s, exit code %d, want %s, %d", got, Exit(got), tt.state, tt.exit)
			}
			if tt.e.view().Verdict.Sentence != tt.want {
				t.Error("the JSON says something else")
			}
		})
	}
}

func TestTimeLag(t *testing.T) {
	e := &Explanation{At: noon, Lag: Group{Known: true, Records: 1}}
	for first, want := range map[time.Time]string{
		{}: "unknown", noon.Add(-90 * time.Second): "90 s", noon.Add(time.Hour): "0 s", noon.Add(-72 * time.Hour): "3 d",
	} {
		if e.First = first; e.TimeLag() != want {
			t.Errorf("%s: %s, want %s", first, e.TimeLag(), want)
		}
	}
	if e.Lag.Records = 0; e.TimeLag() != "0 s" {
		t.Errorf("without records: %s", e.TimeLag())
	}
	if !strings.HasPrefix(e.Verdict(), "Caught up") {
		t.Error(e.Verdict())
	}
}
