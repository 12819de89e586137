package collector

import (
	"slices"
	"testing"
	"time"

	"truelag/flink"
	"truelag/kafka"
)

// Commits that may be incomplete are none that were followed: what lies between two of them would be missing.
func TestFollowedCommitsAreAll(t *testing.T) {
	trail := func(change func(*kafka.CommitTrail)) kafka.CommitTrail {
		seen := kafka.PartitionTrail{Topic: "t", Commits: []kafka.SeenCommit{{Offset: 5}, {Offset: 7}}}
		trail := kafka.CommitTrail{Group: "g", Followed: true, Gapless: true, Partitions: []kafka.PartitionTrail{seen}}
		change(&trail)
		return trail
	}
	for name, tc := range map[string]struct {
		change func(*kafka.CommitTrail)
		want   []int64
	}{
		"all":           {func(*kafka.CommitTrail) {}, []int64{5, 7}},
		"none was made": {func(c *kafka.CommitTrail) { c.Partitions = nil }, []int64{}},
		"polled":        {func(c *kafka.CommitTrail) { c.Followed = false }, nil},
		"a gap":         {func(c *kafka.CommitTrail) { c.Gapless = false }, nil},
		"too many":      {func(c *kafka.CommitTrail) { c.Partitions[0].Dropped = 1 }, nil},
		"another group": {func(c *kafka.CommitTrail) { c.Group = "h" }, nil},
	} {
		p := newComparisonPass(nil, &kafka.Reading{Trails: []kafka.CommitTrail{trail(tc.change)}})
		if got := p.followed("g", partitionKey{"t", 0}); !slices.Equal(got, tc.want) || (got == nil) != (tc.want == nil) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// A job of which nobody tells any more has ended, whatever was the last that was told of its state.
func TestAJobThatFellSilentHasEnded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	p := newComparisonPass(nil, &kafka.Reading{Snapshot: &kafka.Snapshot{At: now}})
	job := &flink.Job{State: "RUNNING", Told: now, Heard: now}
	for _, live := range []bool{true, false} {
		f := &finding{job: job, source: &flink.Source{}, live: live}
		if e := f.evidence(p); e.ended() == live {
			t.Errorf("live %t: the evidence has the state %s", live, e.State)
		}
	}
}

// Where no record lies between what Flink says and what the broker has, both are the same place.
func TestABrokerThatIsAheadByMarkersIsNoTrouble(t *testing.T) {
	for records, want := range map[int64]int{0: 0, 3: 1, notCounted: 1} {
		c := comparedPartition{judgement: Judgement{Agreement: BrokerAhead}}
		c.counted[askPastMetric] = records
		if got := c.trouble(true).ahead; got != want {
			t.Errorf("%d records in between: ahead on %d partitions, want %d", records, got, want)
		}
	}
}

// Of several sources of a job, the age is that of the oldest sample.
func TestSampleAgeIsTheOldest(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	heard := func(via flink.Interface, ago time.Duration) flink.Sample {
		return flink.Sample{Interface: via, After: now.Add(-ago), Before: now}
	}
	table := flinkTable{rows: &flinkRows{}, now: now}
	table.ages("j", &flink.Job{Sources: []flink.Source{
		{Samples: []flink.Sample{heard(flink.REST, 9*time.Second), heard(flink.Reporter, time.Second)}},
		{Samples: []flink.Sample{heard(flink.REST, 4*time.Second), heard(flink.Reporter, 2*time.Second)}},
	}})
	got := table.rows.samples
	if want := []time.Duration{2 * time.Second, 9 * time.Second}; !slices.Equal(got.Rows, want) {
		t.Errorf("%v of %q, want %v", got.Rows, got.Labels, want)
	}
}
