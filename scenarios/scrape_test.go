package scenarios

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// nowhere is a world that is only asked for names, and how many records it had to add to partition 0.
type nowhere struct {
	World
	surplus int64
}

func (nowhere) Topic() string            { return "t-1" }
func (nowhere) Group(name string) string { return name + "-1" }
func (w nowhere) Surplus(partition int32) int64 {
	if partition == 0 {
		return w.surplus
	}
	return 0
}

const exposition = `
# TYPE truelag_group_lag_offsets gauge
truelag_group_lag_offsets{group="g-1",topic="t-1",partition="0"} 5
truelag_group_lag_offsets{group="g-1",topic="t-1",partition="2"} 2
truelag_group_lag_offsets{group="h-1",topic="t-1",partition="0"} 1
truelag_group_lag_offsets{group="g-1",topic="u",partition="0"} 100
# TYPE truelag_group_lag_records gauge
truelag_group_lag_records{group="g-1",topic="t-1",partition="0"} 3
truelag_group_lag_records{group="g-1",topic="t-1",partition="2"} 0
truelag_group_lag_records{group="h-1",topic="t-1",partition="0"} 1
truelag_group_lag_records{group="g-1",topic="u",partition="0"} 100
# TYPE truelag_group_lag_composition_offsets gauge
truelag_group_lag_composition_offsets{group="g-1",topic="t-1",kind="record"} 2
truelag_group_lag_composition_offsets{group="g-1",topic="t-1",kind="unscanned"} 1
truelag_group_lag_composition_offsets{group="g-1",topic="t-1",kind="control"} 4
truelag_group_lag_composition_offsets{group="g-1",topic="t-1",kind="gap"} 0
truelag_group_lag_composition_offsets{group="h-1",topic="t-1",kind="record"} 1
truelag_group_lag_composition_offsets{group="g-1",topic="u",kind="record"} 100
# TYPE truelag_group_partitions gauge
truelag_group_partitions{group="g-1",topic="t-1",condition="uncommitted"} 1
# TYPE truelag_group_rewinds_total counter
truelag_group_rewinds_total{group="g-1",topic="t-1",partition="0"} 1
truelag_group_rewinds_total{group="g-1",topic="t-1",partition="2"} 2
# TYPE truelag_group_lost_offsets gauge
truelag_group_lost_offsets{group="g-1",topic="t-1"} 0
# TYPE truelag_group_isolation_info gauge
truelag_group_isolation_info{group="g-1",topic="t-1",isolation="read_committed",source="assumed"} 1
# TYPE truelag_scrape_collector_success gauge
truelag_scrape_collector_success{collector="kafka"} 1
`

func TestHold(t *testing.T) {
	for name, tc := range map[string]struct {
		scrape  string // in place of exposition
		surplus int64
		want    string
		says    []string // what each finding begins with
	}{
		"all true": {want: `
lag_offsets: 7
lag_records: 3
composition: {record: 2, unscanned: 1, control: 4}
rewinds: 3
lost_offsets: 0
isolation: read_committed
isolation_source: assumed
conditions: {uncommitted: 1, denied: 0}
success: true
absent: false
partition: {0: {lag_offsets: 5, lag_records: 3, rewinds: 1}, 1: absent, 2: {lag_records: 0, absent: false}}
group: {h: {lag_offsets: 1, lag_records: 1}, i: absent}`},
		"surplus": {surplus: 1, want: `
lag_offsets: 6
lag_records: 2
composition: {record: 1, unscanned: 1, control: 4}
partition: {0: {lag_offsets: 4, lag_records: 2}, 2: {lag_offsets: 2, lag_records: 0}}
rewinds: 3
group: {h: {lag_offsets: 0, lag_records: 0, composition: {}}}`},
		"nothing named":          {want: `{}`},
		"raw lag":                {want: `{lag_offsets: 8}`, says: []string{"lag_offsets: 7, want 8"}},
		"true lag":               {want: `{lag_records: 0}`, says: []string{"lag_records: 3, want 0"}},
		"kind left out":          {want: `{composition: {record: 2, control: 4}}`, says: []string{"composition: 1 unscanned, want 0"}},
		"kind that is not there": {want: `{composition: {record: 2, unscanned: 1, control: 4, lost: 1}}`, says: []string{"composition: 0 lost, want 1"}},
		"empty composition":      {want: `{composition: {}}`, says: []string{"composition: 2 record, want 0", "composition: 4 control, want 0", "composition: 1 unscanned, want 0"}},
		"counter":                {want: `{rewinds: 2}`, says: []string{"rewinds: 3, want 2"}},
		"counter must be at 0":   {want: `{replayed_records: 0}`, says: []string{"replayed_records: no sample"}},
		"gauge must be at 0":     {want: `{beyond_end_offsets: 0}`, says: []string{"beyond_end_offsets: no sample"}},
		"no lag and no counter":  {want: `{group: {i: {rewinds: 0, lost_offsets: 0}}}`},
		"no lag is not 0":        {want: `{group: {i: {lag_offsets: 0}}}`, says: []string{"group i: lag_offsets: no sample"}},
		"isolation":              {want: `{isolation: read_uncommitted}`, says: []string{"isolation: read_committed, want read_uncommitted"}},
		"isolation source":       {want: `{isolation_source: observed}`, says: []string{"isolation_source: assumed, want observed"}},
		"no isolation":           {want: `{group: {h: {isolation: read_committed}}}`, says: []string{"group h: isolation: 0 samples"}},
		"condition":              {want: `{conditions: {uncommitted: 0}}`, says: []string{"condition uncommitted: 1 partitions, want 0"}},
		"condition not there":    {want: `{conditions: {no_leader: 2}}`, says: []string{"condition no_leader: 0 partitions, want 2"}},
		"absent":                 {want: `{absent: true}`, says: []string{"absent: true, there are 2 samples"}},
		"not absent":             {want: `{group: {i: {absent: false}}}`, says: []string{"group i: absent: false, there are 0 samples"}},
		"partition":              {want: `{partition: {2: {lag_offsets: 1}}}`, says: []string{"partition 2: lag_offsets: 2, want 1"}},
		"partition absent":       {want: `{partition: {2: absent}}`, says: []string{"partition 2: absent: true"}},
		"partition not there":    {want: `{partition: {1: {lag_offsets: 0}}}`, says: []string{"partition 1: lag_offsets: no sample"}},
		"failed":                 {want: `{success: false}`, says: []string{"success: 1, want 0"}},
		"no success": {
			scrape: strings.ReplaceAll(exposition, `truelag_scrape_collector_success{collector="kafka"} 1`, ""),
			want:   `{}`, says: []string{"success: no sample"},
		},
		"negative": {
			scrape: strings.ReplaceAll(exposition, `truelag_group_lost_offsets{group="g-1",topic="t-1"} 0`, `truelag_group_lost_offsets{group="g-1",topic="t-1"} -1`),
			want:   `{}`, says: []string{"truelag_group_lost_offsets map[group:g-1 topic:t-1] is -1"},
		},
		"not a number": {
			scrape: strings.ReplaceAll(exposition, `topic="u",partition="0"} 100`, `topic="u",partition="0"} NaN`),
			want:   `{}`, says: []string{
				"truelag_group_lag_offsets map[group:g-1 partition:0 topic:u] is NaN",
				"truelag_group_lag_records map[group:g-1 partition:0 topic:u] is NaN",
				`the kinds of group "g-1" on topic "u" sum to 100, the raw lag is 0`,
				`record and unscanned of group "g-1" on topic "u" sum to 100, the true lag is 0`,
			},
		},
		"kinds do not sum": {
			scrape: strings.ReplaceAll(exposition, `kind="control"} 4`, `kind="control"} 3`),
			want:   `{}`, says: []string{`the kinds of group "g-1" on topic "t-1" sum to 6, the raw lag is 7`},
		},
		"records are not the true lag": {
			scrape: strings.ReplaceAll(exposition, `truelag_group_lag_records{group="h-1",topic="t-1",partition="0"} 1`, `truelag_group_lag_records{group="h-1",topic="t-1",partition="0"} 0`),
			want:   `{}`, says: []string{`record and unscanned of group "h-1" on topic "t-1" sum to 1, the true lag is 0`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := tc.scrape
			if text == "" {
				text = exposition
			}
			s, err := ReadScrape(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			var doc yaml.Node
			if err := yaml.Unmarshal([]byte(tc.want), &doc); err != nil {
				t.Fatal(err)
			}
			var w Want
			if err := w.read(doc.Content[0], mainGroup); err != nil {
				t.Fatal(err)
			}
			found := s.hold(&w, nowhere{surplus: tc.surplus})
			if len(found) != len(tc.says) {
				t.Fatalf("got findings %q, want %q", found, tc.says)
			}
			for i := range found {
				if !strings.HasPrefix(found[i], tc.says[i]) {
					t.Errorf("got finding %q, want %q", found[i], tc.says[i])
				}
			}
		})
	}
}
