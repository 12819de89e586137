package web

import "testing"

func TestVerdict(t *testing.T) {
	tests := []struct {
		g     Group
		state string
		want  string
	}{
		{Group{}, "unknown", "Unknown: commits or end offsets could not be read."},
		{Group{Uncommitted: true}, "uncommitted", "Not committed: the group has no offset here, so there is no lag."},
		{Group{Known: true}, "level", "Caught up: nothing follows the commit."},
		{Group{Known: true, Offsets: 1}, "phantom", "Caught up: the 1 offset after the commit holds no record to read."},
		{Group{Known: true, Offsets: 7}, "phantom", "Caught up: none of the 7 offsets after the commit holds a record to read."},
		{Group{Known: true, Offsets: 9, Records: 1}, "behind", "Behind by 1 record."},
		{Group{Known: true, Offsets: 90, Records: 40, Unscanned: 30}, "behind",
			"Behind by at most 40 records: 30 offsets not looked at."},
		{Group{Known: true, Offsets: 9, Blocked: 8}, "blocked", "Held back: 8 offsets behind an open transaction."},
		{Group{Known: true, Offsets: 9, Records: 1, Blocked: 8}, "behind", "Behind by 1 record."},
		{Group{Known: true, Offsets: 9, Records: 1, Lost: 2000}, "broken", "Lost 2,000 offsets: deleted before the group read them."},
		{Group{Known: true, BeyondEnd: 1}, "broken", "Commit is 1 offset beyond the end: truncated, recreated or reset?"},
	}
	for _, tt := range tests {
		if got := tt.g.State(); got != tt.state {
			t.Errorf("%+v: state %q, want %q", tt.g, got, tt.state)
		}
		if got := tt.g.Verdict(); got != tt.want {
			t.Errorf("%+v:\n%s, want\n%s", tt.g, got, tt.want)
		}
	}
}
