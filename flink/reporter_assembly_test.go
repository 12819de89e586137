package flink

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Which rows a sample is made of when attempts overlap: a TaskManager that lost its JobManager goes on for a while, and
// a Prometheus server has the series of the attempts before.
func TestAssemblyOfAttempts(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(1_000_000+seconds, 0) }
	type said struct {
		subtask, partition int32
		attempt            int64
		offset             float64
		at                 int64
		ended              bool
	}
	for _, tt := range []struct {
		name          string
		rows          []said
		want          string
		after, before int64
	}{
		{"the later of one series", []said{{0, 0, 0, 5, 10, false}, {0, 0, 0, 6, 20, false}},
			"\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 6 committed -1\n", 20, 20},
		{"the newest attempt", []said{{0, 0, 1, 7, 10, false}, {0, 0, 0, 9, 20, false}},
			"\n  0 attempt 1: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n", 10, 10},
		{"an attempt that ended is left out", []said{{0, 0, 5, 9, 20, true}, {0, 0, 0, 7, 30, false}, {1, 1, 5, 3, 20, true}},
			"\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n", 30, 30},
		{"all ended: the last said", []said{{0, 0, 5, 9, 20, true}, {0, 0, 0, 7, 30, true}, {1, 1, 0, 3, 31, true}},
			" ended\n  0 attempt 0: commits -1 failed -1\n  1 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n  t 1 by 1: emitted 3 committed -1\n", 30, 31},
		{"a partition that moved", []said{{1, 0, 0, 9, 20, false}, {0, 0, 1, 7, 15, false}},
			"\n  0 attempt 1: commits -1 failed -1\n  1 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n", 15, 20},
		{"a partition that the newest attempt does not have yet", []said{{0, 0, 0, 9, 20, false}, {0, 1, 1, 7, 20, false}},
			"\n  0 attempt 1: commits -1 failed -1\n  t 1 by 0: emitted 7 committed -1\n", 20, 20},
		{"subtasks of two TaskManagers", []said{{0, 0, 2, 9, 20, false}, {1, 1, 0, 7, 12, false}},
			"\n  0 attempt 2: commits -1 failed -1\n  1 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 9 committed -1\n  t 1 by 1: emitted 7 committed -1\n", 12, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 20 { // in any order
				all := newAssembly(Prometheus)
				for _, i := range rand.Perm(len(tt.rows)) {
					s := tt.rows[i]
					all.add(&row{
						of: emittedSample, number: s.offset, job: "j", vertex: "v", operator: "o",
						instance: instance{s.subtask, s.attempt}, partition: topicPartition{"t", s.partition},
						span: span{at(s.at), at(s.at)}, running: !s.ended,
					})
				}
				jobs := all.all()
				if got, want := told(jobs), " j\n source v o"+tt.want; got != want {
					t.Fatalf("told\n%s\nwant\n%s", got, want)
				}
				if s := jobs[0].Sources[0].Samples[0]; !s.After.Equal(at(tt.after)) || !s.Before.Equal(at(tt.before)) {
					t.Fatalf("of [%d, %d], want [%d, %d]", s.After.Unix()-1_000_000, s.Before.Unix()-1_000_000, tt.after, tt.before)
				}
			}
		})
	}
}

func TestAttempt(t *testing.T) {
	for _, tt := range []struct {
		num, id string
		want    int64
	}{
		{"3", "", 3},
		{"3", "85bd_5191_0_7", 3},
		{"", "85bd_5191_0_7", 7},
		{"x", "85bd_5191_0_7", 7},
		{"", "", -1},
		{"-1", "", -1},
	} {
		label := func(name string) string {
			return map[string]string{"task_attempt_num": tt.num, "task_attempt_id": tt.id}[name]
		}
		if got := attempt(label); got != tt.want {
			t.Errorf("attempt %q, id %q: %d, want %d", tt.num, tt.id, got, tt.want)
		}
	}
	old := func(id string) int64 {
		return attempt(func(name string) string { return map[string]string{"task_attempt_id": id}[name] })
	}
	if a, b := old("0123456789abcdef"), old("0123456789abcdee"); a == b || a < 0 || b < 0 || a != old("0123456789abcdef") {
		t.Errorf("older ids: %d and %d", a, b)
	}
}
