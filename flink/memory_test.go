package flink

import (
	"testing"
	"time"
)

// What a source said last stays whole, whichever of its series is forgotten first. An attempt that begins tells anew that it has
// emitted nothing.
func TestMemoryOfSeriesThatEnd(t *testing.T) {
	begun := time.Unix(1795980000, 0)
	whole := Partition{Topic: "orders", Emitted: 16, Committed: 10}
	for name, of := range map[string]struct {
		last    Partition
		running bool
		want    Partition
	}{
		"nothing is forgotten":             {whole, false, whole},
		"what it has emitted is forgotten": {Partition{Topic: "orders", Emitted: Unset, Committed: 10}, false, whole},
		"what it has committed is":         {Partition{Topic: "orders", Emitted: 16, Committed: Unset}, false, whole},
		"an attempt that begins":           {Partition{Topic: "orders", Emitted: Unset, Committed: 10}, true, Partition{Topic: "orders", Emitted: Unset, Committed: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(time.Hour)
			tell := func(after time.Duration, p Partition, running bool) {
				at := begun.Add(after)
				m.remember([]Job{{ID: "j", Heard: at, Sources: []Source{{Vertex: "v", Samples: []Sample{
					{Interface: Prometheus, After: at, Before: at, Running: running, Partitions: []Partition{p}},
				}}}}}, at)
			}
			tell(0, whole, true)
			tell(time.Second, of.last, of.running)
			m.remember(nil, begun.Add(2*time.Second)) // the job is not told of any more
			all := m.all()
			if len(all) != 1 || len(all[0].Sources) != 1 || len(all[0].Sources[0].Samples) != 1 {
				t.Fatalf("got %+v", all)
			}
			if got := all[0].Sources[0].Samples[0].Partitions; len(got) != 1 || got[0] != of.want {
				t.Errorf("got %+v, want %+v", got, of.want)
			}
		})
	}
}
