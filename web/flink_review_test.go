package web

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestFlinkTroubleVerdict(t *testing.T) {
	for want, trouble := range map[string]FlinkTrouble{
		"1 record is committed that the job had not emitted.":                                                               {Skip: 1},
		"2,000 records are committed that the job had not emitted. Conditions: another_writer.":                             {Skip: 2000, Conditions: []string{"another_writer"}},
		"The group's offset is above what Flink says on 1 partition.":                                                       {Ahead: 1},
		"The group's offset is below what Flink says on 3 partitions.":                                                      {Behind: 3},
		"The group's offset is above what Flink says on 2 partitions, and below on 3.":                                      {Ahead: 2, Behind: 3},
		"The job is over. It had emitted at least 12 records that the group has not committed.":                             {Ended: true, Uncommitted: 12},
		"Conditions: not_committing, commits_failing and member_in_group.":                                                  {Conditions: []string{"not_committing", "commits_failing", "member_in_group"}},
		"The group's offset is below what Flink says on 1 partition. Conditions: not_committing.":                           {Behind: 1, Conditions: []string{"not_committing"}, Uncommitted: 7},
		"2 records are committed that the job had not emitted. The group's offset is above what Flink says on 1 partition.": {Skip: 2, Ahead: 1},
	} {
		if got := trouble.Verdict(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// The landing page lists the worst few of the Flink sources that need a look, and leads to where they are explained.
func TestLandingPageShowsFlink(t *testing.T) {
	at := func(p Place) FlinkTrouble {
		return FlinkTrouble{FlinkCluster: "jobs <eu>", Job: "payments", Operator: "Source__orders", Place: p, Behind: 1}
	}
	var many []FlinkTrouble
	for i := range 7 {
		f := at(Place{Group: fmt.Sprintf("group-%d", i), Topic: "orders", Partition: 3, Scope: OnePartition})
		f.Behind = i + 1
		many = append(many, f)
	}
	skips := at(Place{Cluster: "eu", Group: "a&b", Topic: "orders", Partition: 2, Scope: OnePartition})
	skips.Skip = 4
	ended := FlinkTrouble{Job: "old", Operator: "s", Ended: true, Uncommitted: 1e6, Place: Place{Group: "late", Topic: "t", Scope: OnePartition}}
	compared := noon.Add(-4 * time.Second)
	tests := []struct {
		name   string
		review *FlinkReview
		want   []string // in this order
		never  []string
	}{
		{"no Flink", nil, nil, []string{"<h2>Flink</h2>"}},
		{"not compared yet", &FlinkReview{Sources: 0}, []string{"<h2>Flink</h2>", "Unknown: nothing was compared yet."}, []string{"<th>Job"}},
		{"no sources", &FlinkReview{Read: compared}, []string{"No job has told of a Kafka source. Compared 4 s ago."}, []string{"<th>Job"}},
		{"not heard", &FlinkReview{Read: compared, Unheard: []string{"rest http://jm:8081: <refused>"}},
			[]string{"Unknown: no job was heard of.", "Not heard: rest http://jm:8081: &lt;refused&gt;"}, []string{"No job has told", "in all were not heard"}},
		{"partly not heard", &FlinkReview{Read: compared, Sources: 2, Unheard: []string{"a", "b", "c", "d", "e", "f"}},
			[]string{"None of 2 Kafka sources needs a look.", "Not heard: a<", "Not heard: e<", "6 in all were not heard."}, []string{"Not heard: f"}},
		{"all is well", &FlinkReview{Read: compared, Sources: 12}, []string{"None of 12 Kafka sources needs a look. Compared 4 s ago."}, []string{"<th>Job"}},
		{"one", &FlinkReview{Read: compared, Sources: 2, Troubled: []FlinkTrouble{skips}},
			[]string{"1 of 2 Kafka sources needs a look, compared 4 s ago.", `class="broken"`, "jobs &lt;eu&gt; / payments / Source__<wbr>orders", "<bdi>eu</bdi>", "<bdi>a&amp;b</bdi>",
				`href="explain?cluster=eu&amp;group=a%26b&amp;topic=orders&amp;partition=2"`, "4 records are committed"}, nil},
		{"the worst of many", &FlinkReview{Read: compared, Sources: 40, Troubled: append(append([]FlinkTrouble{ended}, many...), skips)},
			[]string{"9 of 40 Kafka sources need a look; the 5 worst, compared 4 s ago.", "a&amp;b", "group-6", "group-5", "group-4", "group-3"},
			[]string{"group-2", "late"}},
		{"a job that is over comes last", &FlinkReview{Read: compared, Sources: 2, Troubled: []FlinkTrouble{ended, many[0]}}, []string{"group-0", "late"}, nil},
		{"a group that is not known", &FlinkReview{Read: compared, Sources: 1, Troubled: []FlinkTrouble{at(Place{Topic: "orders"})}},
			[]string{"not known", "<bdi>orders</bdi> 0"}, []string{"href=\"explain?"}},
		{"no partition", &FlinkReview{Read: compared, Sources: 1, Troubled: []FlinkTrouble{at(Place{})}}, []string{">none</td>"}, []string{"href=\"explain?"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := explaining(t, Lags{}, func(c *Config) { c.Overview = func() Overview { return Overview{Flink: tt.review} } })
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
