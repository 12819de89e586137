package flink

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A Prometheus that federates answers with its samples' times, by a clock of its own. Nothing is younger than its answer: a
// commit that was read before it would look as if the source had known of it.
func TestTheTimesOfAFederatedPage(t *testing.T) {
	const labels = `{job_id="j",job_name="n",task_id="v",subtask_index="0",task_attempt_num="0",operator_name="op",topic="t",partition="0"}`
	for name, tc := range map[string]struct {
		skew, age time.Duration
		silent    bool // of its clock
		want      time.Duration
	}{
		"its clock is right":              {age: 20 * time.Second, want: 20 * time.Second},
		"ahead":                           {age: 20 * time.Second, skew: time.Hour, want: 20 * time.Second},
		"behind":                          {age: 20 * time.Second, skew: -time.Hour, want: 20 * time.Second},
		"ahead, and it does not say so":   {age: 20 * time.Second, skew: time.Hour, silent: true},
		"a sample from a time to come":    {age: -time.Hour},
		"a sample from before the clocks": {age: 200 * 365 * 24 * time.Hour, want: 100 * 365 * 24 * time.Hour},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			now := time.Now().Add(tc.skew)
			w.Header()["Date"] = []string{now.UTC().Format(http.TimeFormat)}
			if tc.silent {
				w.Header()["Date"] = nil
			}
			fmt.Fprintf(w, "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset%s 7 %d\n", labels, now.Add(-tc.age).UnixMilli())
		}))
		jobs, reaches := readReporters(t, server.URL+"/federate")
		now := time.Now()
		server.Close()
		if len(jobs) != 1 {
			t.Fatalf("%s: %+v", name, reaches)
		}
		s := jobs[0].Sources[0].Samples[0]
		if s.After.After(now) || s.Before.After(now) || s.After.After(s.Before) || now.Sub(s.After) < tc.want || tc.want < time.Hour && now.Sub(s.After) > tc.want+time.Minute {
			t.Errorf("%s: from [%s, %s] before now", name, now.Sub(s.After), now.Sub(s.Before))
		}
	}
}
