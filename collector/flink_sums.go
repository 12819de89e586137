package collector

import (
	"slices"
	"time"

	"truelag/flink"
)

// sum sums up what the subtasks of a source said.
func (f *flinkSource) sum(source *flink.Source, now time.Time) {
	if len(source.Samples) == 0 {
		return
	}
	told := countedSamples(source.Samples, now)
	f.succeeded = largest(told, func(s *flink.Subtask) int64 { return s.Succeeded })
	f.failed = largest(told, func(s *flink.Subtask) int64 { return s.Failed })
	last := &source.Samples[0]
	if len(last.Subtasks) == 0 || !current(last, now) {
		return
	}
	f.busy = meanOf(last.Subtasks, func(s *flink.Subtask) float64 { return s.Busy })
	f.backpressured = meanOf(last.Subtasks, func(s *flink.Subtask) float64 { return s.Backpressured })
	f.idle = meanOf(last.Subtasks, func(s *flink.Subtask) float64 { return s.Idle })
}

// countedSamples are those whose counts belong to the same attempt, as far as can be told, and are of most instances. There
// is always one.
func countedSamples(samples []flink.Sample, now time.Time) (counted []*flink.Sample) {
	recent := now.Add(-staleAfter)
	running := slices.ContainsFunc(samples, func(s flink.Sample) bool { return current(&s, now) })
	if !running { // the last words of all
		recent = slices.MaxFunc(samples, func(a, b flink.Sample) int { return a.Before.Compare(b.Before) }).Before.Add(-staleAfter)
	}
	most := 0
	for i := range samples {
		s := &samples[i]
		if s.Before.After(recent) && (s.Running || !running) {
			counted = append(counted, s)
			most = max(most, instancesOf(s))
		}
	}
	return slices.DeleteFunc(counted, func(s *flink.Sample) bool { return instancesOf(s) < most })
}

func instancesOf(s *flink.Sample) int { return len(s.Subtasks) + s.Silent }

// largest is the highest sum, which is the latest one within an attempt: one interface may be behind another, and a counter
// that falls looks like a restart. So does a sum over fewer instances, so that there is none where one is silent.
func largest(samples []*flink.Sample, of func(*flink.Subtask) int64) int64 {
	sum := int64(-1)
	for _, s := range samples {
		if s.Silent == 0 && len(s.Subtasks) > 0 {
			sum = max(sum, sumOf(s.Subtasks, of))
		}
	}
	return sum
}

// sumOf is -1 when a subtask does not tell.
func sumOf(subtasks []flink.Subtask, of func(*flink.Subtask) int64) (sum int64) {
	for i := range subtasks {
		n := of(&subtasks[i])
		if n < 0 {
			return -1
		}
		sum += n
	}
	return sum
}

func meanOf(subtasks []flink.Subtask, of func(*flink.Subtask) float64) (mean float64) {
	for i := range subtasks {
		share := of(&subtasks[i])
		if share < 0 {
			return -1
		}
		mean += share / float64(len(subtasks))
	}
	return mean
}
