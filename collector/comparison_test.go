package collector

import (
	"slices"
	"testing"
	"time"

	"truelag/flink"
	"truelag/kafka"
)

// comparisonBed compares one job's source on one partition with readings that are made up.
type comparisonBed struct {
	*comparison
	now   time.Time
	trail []int64 // nil: not followed

	rewinds int64 // of the group, so far
	job     func(*flink.Job)
	pass    *comparisonPass
}

func newComparisonBed() *comparisonBed {
	any := func(string) bool { return true }
	return &comparisonBed{now: time.Unix(1_000_000, 0), comparison: newComparison("", "", map[string]FlinkSources{
		"": {Rules: []FlinkSourceRule{{Job: any, Operator: any, DynamicID: any, Group: "g"}}},
	})}
}

// compare makes a pass in which the job says what the sources do, and the group has a commit. It returns the verdict;
// Unknown without a row.
func (b *comparisonBed) compare(broker int64, sources ...flink.Source) Agreement {
	v := &flink.View{Jobs: []flink.Job{{ID: "1", Name: "job", State: "RUNNING", Heard: b.now, Sources: sources}}}
	if b.job != nil {
		b.job(&v.Jobs[0])
	}
	r := &kafka.Reading{Snapshot: &kafka.Snapshot{
		At: b.now, CommitsTold: b.now, GroupsComplete: true,
		Topics: []kafka.Topic{{Name: "t", ID: kafka.TopicID{1}, Partitions: []kafka.Partition{{LastStable: 1000, HighWatermark: 1000}}}},
		Groups: []kafka.Group{{Name: "g", Topics: []kafka.GroupTopic{{Topic: "t", Commits: []kafka.Commit{{Offset: broker, LeaderEpoch: -1}}}}}},
	}}
	r.Lags = []kafka.TopicLag{{Group: "g", Topic: "t", Partitions: []kafka.PartitionLag{{Rewinds: b.rewinds}}}}
	if b.trail != nil {
		trail := kafka.CommitTrail{Group: "g", Followed: true, Gapless: true}
		trail.Partitions = []kafka.PartitionTrail{{Topic: "t", Commits: b.trail}}
		r.Trails, b.trail = []kafka.CommitTrail{trail}, []int64{}
	}
	b.pass = b.begin([]*flink.View{v}, r)
	b.end(b.pass, make([]kafka.Answer, len(b.pass.questions)))
	if len(b.pass.found) == 0 || len(b.pass.found[0].partitions) == 0 {
		return Unknown
	}
	return b.pass.found[0].partitions[0].judgement.Agreement
}

// source is what is heard of the source now.
func (b *comparisonBed) source(emitted, committed, commits int64) flink.Source {
	return flink.Source{Vertex: "v", Operator: "op", ReadRecords: -1, Samples: []flink.Sample{{
		Interface: flink.REST, After: b.now, Before: b.now, Running: true,
		Subtasks:   []flink.Subtask{{Attempt: 0, Succeeded: commits}},
		Partitions: []flink.Partition{{Topic: "t", Emitted: emitted, Committed: committed}},
	}}}
}

// A job that commits each second, and says so a little late, is well all the time: what its group commits in passes that do
// not hear of the source is followed all the same.
func TestCommitsAreFollowedWhileTheSourceIsNotHeard(t *testing.T) {
	old := func(b *comparisonBed, s flink.Source) []flink.Source {
		s.Samples[0].Before = b.now.Add(-staleAfter)
		return []flink.Source{s}
	}
	for name, unheard := range map[string]func(*comparisonBed, flink.Source) []flink.Source{
		"old": old,
		"does not run": func(_ *comparisonBed, s flink.Source) []flink.Source {
			s.Samples[0].Running = false
			return []flink.Source{s}
		},
		"its reporter is silent": func(_ *comparisonBed, s flink.Source) []flink.Source {
			s.Samples[0].Partitions = nil
			return []flink.Source{s}
		},
	} {
		b := newComparisonBed()
		b.trail = []int64{}
		b.compare(10, b.source(5, 5, 1)) // its last commit is not acknowledged yet
		offset := int64(10)
		for second := range 200 {
			b.now = b.now.Add(time.Second)
			offset++
			b.trail = append(b.trail, offset)
			s := b.source(offset+3, offset-1, offset)
			sources := []flink.Source{s}
			if second < 190 {
				sources = unheard(b, s)
			}
			if got := b.compare(offset, sources...); slices.Contains([]Agreement{BrokerAhead, BrokerBehind}, got) {
				t.Fatalf("%s: after %d s %v", name, second, got)
			}
		}
	}
}

// While REST is silent, or by a clock of its own, a job that a reporter tells to go on has no trouble with its checkpoints,
// and what it was doing when REST was last heard is not told.
func TestWhatRESTSaidLastIsNotOfNow(t *testing.T) {
	checkpoints := func(b *comparisonBed, j *flink.Job, last time.Time) {
		j.Started = b.now.Add(-time.Hour)
		j.Checkpoints = &flink.Checkpoints{At: b.now, Interval: time.Second, Completed: 9, Failed: 0, LastCompleted: last}
	}
	for name, tc := range map[string]struct {
		job       func(*comparisonBed, *flink.Job)
		faults    bool
		wantState string
	}{
		"heard": {job: func(b *comparisonBed, j *flink.Job) { checkpoints(b, j, b.now) }, wantState: "RUNNING"},
		"none for long": {job: func(b *comparisonBed, j *flink.Job) {
			checkpoints(b, j, b.now.Add(-time.Hour))
		}, faults: true, wantState: "RUNNING"},
		"REST is silent": {job: func(b *comparisonBed, j *flink.Job) {
			checkpoints(b, j, b.now.Add(-time.Hour))
			j.State, j.Told, j.Checkpoints.At = "RESTARTING", b.now.Add(-time.Hour), b.now.Add(-time.Hour)
		}},
		"only checkpoints are not told": {job: func(b *comparisonBed, j *flink.Job) {
			checkpoints(b, j, b.now.Add(-time.Hour))
			j.Checkpoints.At = b.now.Add(-time.Hour)
		}, wantState: "RUNNING"},
		"a clock behind": {job: func(b *comparisonBed, j *flink.Job) {
			j.Ahead = -time.Hour
			checkpoints(b, j, b.now.Add(j.Ahead))
		}, wantState: "RUNNING"},
		"a clock ahead": {job: func(b *comparisonBed, j *flink.Job) {
			j.Ahead = time.Hour
			checkpoints(b, j, b.now.Add(-5*time.Minute).Add(j.Ahead))
		}, faults: true, wantState: "RUNNING"},
	} {
		b := newComparisonBed()
		b.job = func(j *flink.Job) { tc.job(b, j) }
		for range 5 {
			b.now = b.now.Add(30 * time.Second)
			b.compare(5, b.source(4, 5, 1))
		}
		found := b.pass.found[0]
		bad := slices.ContainsFunc(found.conditions, func(c Condition) bool { return c == CheckpointsFailing || c == SourceDown })
		if bad != tc.faults {
			t.Errorf("%s: %v", name, found.conditions)
		}
		if got := stateOf(found.job, b.now); got != tc.wantState {
			t.Errorf("%s: state %q", name, got)
		}
	}
}

// A job that is restored is another one, and its first commit may come before anything is heard of it: what the group had
// before is known from the job that ended.
func TestARestoreIsSeenByTheRewindBeforeTheJobWasHeard(t *testing.T) {
	b := newComparisonBed()
	b.compare(50, b.source(49, 50, 5))
	b.now = b.now.Add(time.Second)
	b.job = func(j *flink.Job) { j.State = "FINISHED" }
	b.compare(50, b.source(49, 50, 5))
	restored := b.now.Add(time.Second)
	b.now, b.rewinds = b.now.Add(3*time.Second), 1
	b.compare(25, b.source(49, 50, 5))
	b.now = b.now.Add(2 * time.Second)
	b.job = func(j *flink.Job) {
		j.ID = "2"
		j.Checkpoints = &flink.Checkpoints{At: b.now, Interval: time.Second, Completed: 4, Restored: &flink.Restored{At: restored, Savepoint: true}}
	}
	b.compare(30, b.source(35, 30, 3))
	if got := b.pass.found[0].conditions; !slices.Contains(got, RestoredOlder) {
		t.Errorf("conditions %v, want %v", got, RestoredOlder)
	}
}

// A source that reads other topics each day remembers those of the last minutes.
func TestPartitionsThatAreNotHeardOfAreForgotten(t *testing.T) {
	b := newComparisonBed()
	remembered := func() (lines, watched int) {
		for _, s := range b.sources {
			lines, watched = lines+len(s.lines), watched+len(s.watch.partitions)
		}
		return lines, watched
	}
	b.compare(5, b.source(4, 5, 1))
	silent := b.source(4, 5, 1)
	silent.Samples[0].Partitions = nil
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{time.Minute, 1}, {forgetAfter - time.Minute, 1}, {time.Second, 0}} {
		b.now = b.now.Add(step.after)
		b.compare(5, silent)
		if lines, watched := remembered(); lines != step.want || watched != step.want {
			t.Errorf("after %s %d lines and %d partitions are remembered, want %d", step.after, lines, watched, step.want)
		}
	}
}
