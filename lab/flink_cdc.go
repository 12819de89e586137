package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// FlinkCDC is the pool's session cluster that can run jobs of Flink CDC, of the line that its newest connector runs on. It is started at
// first use.
func (p *Pool) FlinkCDC(t testing.TB) *Flink {
	t.Helper()
	const line = "cdc"
	if _, err := homeOfFlink(line); errors.Is(err, os.ErrNotExist) {
		t.Fatal("no Flink with Flink CDC in lab/.cache; run: make lab")
	}
	return p.Flink(t, FlinkOptions{Line: line})
}

// CDCJob is a job of java/flink/cdc/CDCJob.java, which reads a database of a server.
type CDCJob struct {
	*FlinkJob

	out, hold string
}

// CDCOptions say what a job of Flink CDC reads, and how.
type CDCOptions struct {
	Name, Database string
	Operator       string // the source's name
	Parallelism    int
}

// SubmitCDC starts a job that takes a snapshot of a database's tables and goes on with the binlog, and waits until all its tasks run.
// It is held until Release, and canceled when the test ends.
func (f *Flink) SubmitCDC(t testing.TB, m *MySQL, o CDCOptions) *CDCJob {
	t.Helper()
	dir := t.TempDir()
	j := &CDCJob{out: filepath.Join(dir, "out"), hold: filepath.Join(dir, "hold")}
	j.Hold(t)
	const firstID = 6400
	j.FlinkJob = f.submit(t, "CDCJob", "", []string{
		"name=" + o.Name, "operator=" + o.Operator, fmt.Sprint("parallelism=", o.Parallelism),
		fmt.Sprint("port=", m.Port), "user=" + Replicator, "password=" + Password(Replicator),
		"database=" + o.Database, "table=" + o.Database + `\..*`, fmt.Sprintf("ids=%d-%d", firstID, firstID+o.Parallelism-1),
		"out=" + j.out, "hold=" + j.hold,
	})
	t.Cleanup(func() { j.Release(t) }) // before it is canceled
	j.AwaitRunning(t)
	return j
}

// Hold lets the job wait with the next record that it is handed, until Release.
func (j *CDCJob) Hold(t testing.TB) {
	t.Helper()
	if err := os.WriteFile(j.hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Release lets a job go on that was held.
func (j *CDCJob) Release(t testing.TB) {
	t.Helper()
	if err := os.Remove(j.hold); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// CDCRecord is a record that the job was handed, with the place that Flink CDC has it from.
type CDCRecord struct {
	Op     string // r: of the snapshot
	Source struct {
		File string
		Pos  int64
	}
}

// Handed are the records that the job was handed so far.
func (j *CDCJob) Handed(t testing.TB) []CDCRecord {
	t.Helper()
	text, err := os.ReadFile(j.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var all []CDCRecord
	for line := range bytes.Lines(text) {
		var r CDCRecord
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // still being written
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}
