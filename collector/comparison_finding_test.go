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
		seen := kafka.PartitionTrail{Topic: "t", Commits: []int64{5, 7}}
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

// What a finished vertex says that it has read in all is held against REST's last sample of it, and of one topic alone.
func TestRecordsReadAfterTheLastSample(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*finding)
		want   int64
	}{
		"read 10, heard of 7, 1 of the others is committed": {func(*finding) {}, 2},
		"the job goes on":              {func(f *finding) { f.live = true }, 0},
		"it does not say":              {func(f *finding) { f.source.ReadRecords = -1 }, 0},
		"a reporter was heard last":    {func(f *finding) { f.partitions[1].heard.Interface = flink.Reporter }, 0},
		"two topics":                   {func(f *finding) { f.partitions[1].Topic = "u" }, 0},
		"an instance does not say":     {func(f *finding) { f.partitions[0].heard.Subtasks[0].Records = -1 }, 0},
		"all of it is committed":       {func(f *finding) { f.partitions[0].counted[askBeyond] = 5 }, 0},
		"it is not known what follows": {func(f *finding) { f.partitions[0].counted[askBeyond] = notCounted }, 3},
	} {
		f := &finding{source: &flink.Source{ReadRecords: 10}}
		for number := range int32(2) {
			f.partitions = append(f.partitions, comparedPartition{
				partitionKey: partitionKey{"t", number},
				heard:        &flink.Sample{Interface: flink.REST, Subtasks: []flink.Subtask{{Records: 7}}},
			})
		}
		f.partitions[0].counted[askBeyond] = 1
		tc.change(f)
		if got := f.unheard(); got != tc.want {
			t.Errorf("%s: %d records, want %d", name, got, tc.want)
		}
	}
}
