package collector_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/flink"
)

// page is what a scrape answers, which is valid and has each series once.
func (b *flinkBed) page() string {
	b.t.Helper()
	text := b.answer()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	if _, err := parser.TextToMetricFamilies(strings.NewReader(text)); err != nil {
		b.t.Errorf("the page is not valid: %v", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		series := line[:strings.LastIndexByte(line, ' ')]
		if seen[series] {
			b.t.Errorf("twice: %s", series)
		}
		seen[series] = true
	}
	return text
}

// What people call their jobs and operators, and what a broken or hostile interface says, never makes two series of the
// same labels, nor a page that cannot be read.
func TestFlinkNamesOfAllKinds(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t", "u.v", "u-v")
	b.transact("t", 0, 5, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	names := []string{"a", "a (1)", "a (2)", "a (a)", "", "\"\\\n\x00", "é\xff", "a (2) (2)"}
	offsets := []int64{math.MinInt64, -5, -1, 0, 1, 5, 6, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64}
	states := []string{"RUNNING", "", "FINISHED", "CANCELED", "RESTARTING", "what", "SUSPENDED"}
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		name := func() string { return names[rnd.IntN(len(names))] }
		offset := func() int64 { return offsets[rnd.IntN(len(offsets))] }
		at := func() time.Time { return time.Now().Add(time.Duration(rnd.IntN(400)-300) * time.Second) }
		v := &flink.View{}
		for id := range rnd.IntN(8) {
			job := flink.Job{ID: names[id], Name: name(), State: states[rnd.IntN(len(states))], Version: name(), Started: at(), Heard: at()}
			if rnd.IntN(2) == 0 {
				job.Checkpoints = &flink.Checkpoints{Interval: time.Duration(offset()), Completed: offset(), Failed: offset(), LastCompleted: at()}
			}
			taken := map[[3]string]int{}
			for range rnd.IntN(6) {
				s := flink.Source{Vertex: name(), Operator: name(), KafkaCluster: name(), ReadRecords: offset()}
				key := [3]string{s.Vertex, s.Operator, s.KafkaCluster}
				if taken[key]++; taken[key] > 2 {
					continue
				}
				s.Legacy = taken[key] == 2
				for range rnd.IntN(3) {
					sample := flink.Sample{Interface: []flink.Interface{flink.REST, flink.Reporter, flink.Prometheus}[rnd.IntN(3)], After: at(), Before: at(), Running: rnd.IntN(3) > 0}
					for n := range rnd.IntN(3) {
						sample.Subtasks = append(sample.Subtasks, flink.Subtask{Index: int32(n), Attempt: offset(), Succeeded: offset(), Failed: offset(), Records: offset(), Busy: -1})
					}
					for range rnd.IntN(5) {
						sample.Partitions = append(sample.Partitions, flink.Partition{
							Topic: []string{"t", "u_v", "u-v", "nobody's"}[rnd.IntN(4)], Partition: []int32{0, 1, 2, math.MaxInt32, -1}[rnd.IntN(5)],
							Subtask: int32(rnd.IntN(3)), Emitted: offset(), Committed: offset(),
						})
					}
					s.Samples = append(s.Samples, sample)
				}
				job.Sources = append(job.Sources, s)
			}
			v.Jobs = append(v.Jobs, job)
		}
		for range rnd.IntN(4) {
			v.Reaches = append(v.Reaches, flink.Reach{Interface: flink.Reporter, Target: name(), At: at(), Requests: offset()})
		}
		b.says = v
		b.page()
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, v.Jobs)
		}
	}
}
