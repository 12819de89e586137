package lab

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// FlinkJob is a submitted job of java/flink/FlinkJob.java.
type FlinkJob struct {
	ID, Name string

	flink *Flink
}

// Submit starts a job that reads the cluster's topics, from a savepoint unless that is empty, and waits until all its tasks
// run. The options are those of the program, NAME=VALUE; a name is needed. The job is canceled when the test ends.
func (f *Flink) Submit(t testing.TB, c *Cluster, savepoint string, options ...string) *FlinkJob {
	t.Helper()
	j := f.submit(t, "FlinkJob", savepoint, append([]string{"bootstrap=" + strings.Join(c.Seeds, ",")}, options...))
	j.AwaitRunning(t)
	return j
}

// submit starts a program of the lab's jar as a job. It is canceled when the test ends.
func (f *Flink) submit(t testing.TB, program, savepoint string, options []string) *FlinkJob {
	t.Helper()
	j := &FlinkJob{flink: f}
	for _, o := range options {
		if name, ok := strings.CutPrefix(o, "name="); ok {
			j.Name = name
		}
	}
	body := map[string]any{"entryClass": program, "programArgsList": options}
	if savepoint != "" {
		body["savepointPath"] = savepoint
	}
	var answer struct{ JobID string }
	if err := f.post(t.Context(), "/jars/"+f.jar+"/run", body, &answer); err != nil {
		t.Fatalf("submit job %s: %v", j.Name, err)
	}
	j.ID = answer.JobID
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := j.cancel(ctx); err != nil {
			t.Errorf("cancel job %s: %v", j.Name, err)
		}
	})
	return j
}

// FlinkVertex is a vertex of a job.
type FlinkVertex struct {
	ID, Name, Status string

	Metrics struct {
		ReadRecords int64 `json:"read-records"`
	}
}

// FlinkStatus is what /jobs/ID says.
type FlinkStatus struct {
	State    string
	Vertices []FlinkVertex
}

func (j *FlinkJob) status(ctx context.Context) (FlinkStatus, error) {
	var s FlinkStatus
	err := j.flink.get(ctx, "/jobs/"+j.ID, &s)
	return s, err
}

// Status is what /jobs/ID says now. A JobManager that has no time refuses to answer now and then.
func (j *FlinkJob) Status(t testing.TB) (s FlinkStatus) {
	t.Helper()
	Await(t, func() (err error) {
		s, err = j.status(t.Context())
		return err
	})
	return s
}

var terminal = []string{"FINISHED", "CANCELED", "FAILED"}

// AwaitRunning waits until all tasks run. A bounded job may be through already.
func (j *FlinkJob) AwaitRunning(t testing.TB) {
	t.Helper()
	Await(t, func() error {
		s, err := j.status(t.Context())
		if err != nil {
			return err
		}
		if slices.Contains(terminal, s.State) && s.State != "FINISHED" {
			return fmt.Errorf("%w: job %s is %s: %s", errHopeless, j.Name, s.State, j.failure(t.Context()))
		}
		if len(s.Vertices) == 0 { // of a job that is still being set up there are none, and no checkpoints can be asked for
			return fmt.Errorf("job %s is %s, and has no tasks yet", j.Name, s.State)
		}
		for _, v := range s.Vertices {
			if v.Status != "RUNNING" && v.Status != "FINISHED" {
				return fmt.Errorf("job %s is %s, %s is %s", j.Name, s.State, v.Name, v.Status)
			}
		}
		return nil
	})
}

// AwaitState waits until the job is in a state.
func (j *FlinkJob) AwaitState(t testing.TB, state string) {
	t.Helper()
	within(t, patience, func(ctx context.Context) error { return j.awaitState(ctx, state) })
}

func (j *FlinkJob) awaitState(ctx context.Context, state string) error {
	return await(ctx, func() error {
		s, err := j.status(ctx)
		if err != nil || s.State == state {
			return err
		}
		err = fmt.Errorf("job %s is %s, want %s", j.Name, s.State, state)
		if slices.Contains(terminal, s.State) {
			err = fmt.Errorf("%w: %w: %s", errHopeless, err, j.failure(ctx))
		}
		return err
	})
}

// failure is why a job failed, for people.
func (j *FlinkJob) failure(ctx context.Context) string {
	var answer struct {
		Root string `json:"root-exception"`
	}
	if err := j.flink.get(ctx, "/jobs/"+j.ID+"/exceptions", &answer); err != nil {
		return err.Error()
	}
	return answer.Root
}

// Checkpoints is how many have completed since the job began or was restored.
func (j *FlinkJob) Checkpoints(t testing.TB) int64 {
	t.Helper()
	var answer struct {
		Counts struct{ Completed int64 }
	}
	Await(t, func() error { return j.flink.get(t.Context(), "/jobs/"+j.ID+"/checkpoints", &answer) })
	return answer.Counts.Completed
}

// AwaitCheckpoints waits until so many checkpoints have completed from now on.
func (j *FlinkJob) AwaitCheckpoints(t testing.TB, n int64) {
	t.Helper()
	before := j.Checkpoints(t)
	Await(t, func() error {
		if now := j.Checkpoints(t); now < before+n {
			return fmt.Errorf("job %s has completed %d checkpoints, want %d", j.Name, now, before+n)
		}
		return nil
	})
}

// Checkpoint takes a checkpoint. Its commit is sent later, when the source's poll returns.
func (j *FlinkJob) Checkpoint(t testing.TB) {
	t.Helper()
	var done struct{ CheckpointID int64 }
	j.operate(t, "checkpoints", "checkpoints", map[string]any{}, &done)
}

// Savepoint takes a savepoint and returns where it lies. Its commit is sent like that of a checkpoint.
func (j *FlinkJob) Savepoint(t testing.TB) string {
	t.Helper()
	var done struct{ Location string }
	j.operate(t, "savepoints", "savepoints", map[string]any{}, &done)
	return done.Location
}

// Stop stops the job with a savepoint and returns where that lies.
func (j *FlinkJob) Stop(t testing.TB) string {
	t.Helper()
	var done struct{ Location string }
	j.operate(t, "stop", "savepoints", map[string]any{"drain": false}, &done)
	j.AwaitState(t, "FINISHED")
	return done.Location
}

func (j *FlinkJob) operate(t testing.TB, what, status string, body, result any) {
	t.Helper()
	within(t, patience, func(ctx context.Context) error {
		if err := j.flink.operate(ctx, "/jobs/"+j.ID+"/"+what, "/jobs/"+j.ID+"/"+status, body, result); err != nil {
			return fmt.Errorf("job %s: %w", j.Name, err)
		}
		return nil
	})
}

// Cancel cancels the job and waits until it has ended.
func (j *FlinkJob) Cancel(t testing.TB) {
	t.Helper()
	within(t, patience, j.cancel)
}

func (j *FlinkJob) cancel(ctx context.Context) error {
	return await(ctx, func() error {
		s, err := j.status(ctx)
		if err != nil || slices.Contains(terminal, s.State) {
			return err
		}
		if err := ask(ctx, j.flink.http, http.MethodPatch, j.flink.REST+"/jobs/"+j.ID+"?mode=cancel", nil, nil); err != nil {
			return err // it may have ended meanwhile: the status is up to three seconds old
		}
		return fmt.Errorf("job %s is %s, want it to have ended", j.Name, s.State)
	})
}
