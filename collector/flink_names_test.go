package collector

import (
	"maps"
	"testing"
	"time"

	"truelag/flink"
)

func TestJobNames(t *testing.T) {
	now := time.Now()
	old, silent := now.Add(-time.Hour), now.Add(-3*time.Minute)
	for name, tc := range map[string]struct {
		jobs []flink.Job
		want map[string]string
	}{
		"the one that runs has the name": {
			[]flink.Job{{ID: "1", Name: "a", State: "FINISHED", Started: old, Heard: now}, {ID: "2", Name: "a", State: "RUNNING", Started: now, Heard: now}},
			map[string]string{"1": "a (1)", "2": "a"},
		},
		"of two that run, the one that was started first": {
			[]flink.Job{{ID: "1", Name: "a", Started: now, Heard: now}, {ID: "2", Name: "a", Started: old, Heard: now}},
			map[string]string{"1": "a (1)", "2": "a"},
		},
		"a job that only a reporter told of, and does no more, has ended": {
			[]flink.Job{{ID: "1", Name: "a", Heard: silent}, {ID: "2", Name: "a", Heard: now}},
			map[string]string{"1": "a (1)", "2": "a"},
		},
		"of two such, the one that was heard last": {
			[]flink.Job{{ID: "1", Name: "a", Heard: old}, {ID: "2", Name: "a", Heard: silent}},
			map[string]string{"1": "a (1)", "2": "a"},
		},
		"a job that is called as another one would be": {
			[]flink.Job{{ID: "3", Name: "a (2)", Started: old, Heard: now}, {ID: "1", Name: "a", Started: old, Heard: now}, {ID: "2", Name: "a", Started: now, Heard: now}},
			map[string]string{"1": "a", "2": "a (3)", "3": "a (2)"},
		},
	} {
		if got := jobNames(tc.jobs, now); !maps.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}
