//go:build e2e

package lab_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"truelag/lab"
	"truelag/mysql"
	"truelag/mysql/consumer"
)

// The gauges of Flink CDC's releases.
const (
	fetchLag = "currentFetchEventTimeLag"
	emitLag  = "currentEmitEventTimeLag"
	idleTime = "sourceIdleTime"
)

// cdcScene is a job of Flink CDC on a table of its own, and what the exporter reads of it: what Flink reports, and a note of where the
// last record comes from that the job was handed, as a job may write it down.
type cdcScene struct {
	m      *lab.MySQL
	job    *lab.CDCJob
	note   string // the file
	reader *mysql.Server
}

const (
	cdcDatabase = "flinkcdc"
	cdcRows     = 60 // of the snapshot: more than one subtask's share
)

// stageCDC starts a job that is held in its snapshot. Its name is one that the reporter changes.
func stageCDC(t *testing.T) *cdcScene {
	t.Helper()
	m := pool.MySQL(t, lab.MySQLOptions{LogBin: "flink"}) // nobody else's: all that is written there is counted
	m.Exec(t, "DROP DATABASE IF EXISTS "+cdcDatabase, "CREATE DATABASE "+cdcDatabase, "USE "+cdcDatabase,
		"CREATE TABLE a(id int AUTO_INCREMENT PRIMARY KEY, v text)",
		fmt.Sprint("INSERT INTO a(v) SELECT COLLATION_NAME FROM information_schema.COLLATIONS LIMIT ", cdcRows))
	f := pool.FlinkCDC(t)
	const name = "sync.orders (v2)"
	c, err := consumer.NewFlinkCDC(consumer.FlinkCDCConfig{Name: "flink", URLs: f.Reporters, Job: name, Operator: "MySQL Source"})
	if err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(t.TempDir(), "place.json")
	place, err := consumer.NewFile(consumer.FileConfig{Name: "place", Path: note})
	if err != nil {
		t.Fatal(err)
	}
	return &cdcScene{
		m:      m,
		note:   note,
		job:    f.SubmitCDC(t, m, lab.CDCOptions{Name: name, Operator: "MySQL Source", Database: cdcDatabase, Parallelism: 2}),
		reader: mysqlReader(t, m, lab.Monitor, newScanner(t, m), c, place),
	}
}

// cdcReport is what the exporter says of the job: its state, and what it reports.
type cdcReport struct {
	state string
	lags  map[string]float64
}

// await reads until the exporter says what it should.
func (s *cdcScene) await(t *testing.T, what string, is func(cdcReport) bool) cdcReport {
	t.Helper()
	var found cdcReport
	lab.Await(t, func() error {
		c := s.reader.Read(t.Context()).Consumers[0]
		if err := errors.Join(c.Err, c.ScanErr); err != nil {
			return err
		}
		if c.Note.Position != nil || c.Distance.State != mysql.NoPosition {
			return fmt.Errorf("%s: Flink CDC tells no place, and the exporter says %s", what, brief(c))
		}
		found = cdcReport{c.Note.State, map[string]float64{}}
		for _, r := range c.Note.Reported {
			found.lags[r.Source] = r.Value
		}
		if !is(found) {
			return fmt.Errorf("the exporter says %+v, want it to be %s", found, what)
		}
		return nil
	})
	return found
}

// handed waits until the job was handed so many records.
func (s *cdcScene) handed(t *testing.T, n int) []lab.CDCRecord {
	t.Helper()
	var all []lab.CDCRecord
	lab.Await(t, func() error {
		if all = s.job.Handed(t); len(all) != n {
			return fmt.Errorf("%s was handed %d records, want %d", s.job.Name, len(all), n)
		}
		return nil
	})
	return all
}

// noted is what the exporter says of a record's place, and what the server has after it. The place is the start of the event that the row
// is in: that event is handled.
func (s *cdcScene) noted(t *testing.T, r lab.CDCRecord) (mysql.Distance, lab.Left) {
	t.Helper()
	note := fmt.Sprintf(`{"file":%q,"pos":%d,"event":1}`, r.Source.File, r.Source.Pos)
	if err := os.WriteFile(s.note, []byte(note), 0o600); err != nil {
		t.Fatal(err)
	}
	var d mysql.Distance
	lab.Await(t, func() error {
		c := s.reader.Read(t.Context()).Consumers[1]
		err := errors.Join(c.Err, c.ScanErr)
		if err == nil && (c.Scan == nil || c.Scan.Stopped != "") {
			err = fmt.Errorf("not all that follows was read: %+v", c.Scan)
		}
		if err != nil {
			return fmt.Errorf("%+v: %w", r, err)
		}
		d = c.Distance
		return nil
	})
	return d, s.m.Left(t, r.Source.File, r.Source.Pos)
}

// resting checks that nothing is left to read after a record.
func (s *cdcScene) resting(t *testing.T, r lab.CDCRecord) {
	t.Helper()
	d, left := s.noted(t, r)
	if d.State != mysql.CaughtUp || d.Effective != (mysql.Number{Known: true}) || !d.Bytes.Known || d.Bytes.N != left.Bytes || left.Transactions != 0 {
		t.Errorf("after %+v the exporter says %+v, and left are %+v", r, d, left)
	}
}

// without says that there is no lag: rows of a snapshot have none.
func (a cdcReport) without() bool {
	_, idle := a.lags[idleTime]
	return a.state == "" && len(a.lags) == 1 && idle
}

// A job tells how old the record is that it hands on, which grows while it is held up, and how old what it has fetched was when that came,
// which does not. While there is nothing to read both stand still, at whatever they came to.
func TestFlinkCDC(t *testing.T) {
	t.Parallel()
	s := stageCDC(t)
	insert := "INSERT INTO " + cdcDatabase + ".a(v) VALUES (repeat('x',1000))"

	s.await(t, "held in the snapshot", func(a cdcReport) bool { return a.without() && a.lags[idleTime] == 0 })
	s.job.Release(t)
	for _, r := range s.handed(t, cdcRows) {
		if r.Op != "r" {
			t.Errorf("%+v is none of the snapshot", r)
		}
	}
	s.await(t, "through with the snapshot", func(a cdcReport) bool { return a.without() && a.lags[idleTime] > 0 })

	s.m.Exec(t, insert)
	all := s.handed(t, cdcRows+1)
	s.resting(t, all[cdcRows])
	streaming := s.await(t, "streaming", func(a cdcReport) bool { return len(a.lags) == 3 })
	resting := s.await(t, "at rest", func(a cdcReport) bool { return a.lags[idleTime] > streaming.lags[idleTime] })
	if resting.lags[fetchLag] != streaming.lags[fetchLag] {
		t.Errorf("at rest it says %v, after %v", resting, streaming)
	}

	s.job.Hold(t)
	const more = 200
	for range more {
		s.m.Exec(t, insert)
	}
	d, left := s.noted(t, s.handed(t, cdcRows+1)[cdcRows])
	if d.State != mysql.OK || d.Effective != d.Bytes || d.Bytes.N != left.Bytes || d.Files.N != left.Files || left.Transactions != more || left.Files == 0 {
		t.Errorf("held, the exporter says %+v, and left are %+v, want %d transactions and further files", d, left, more)
	}
	held := s.await(t, "held", func(a cdcReport) bool { return a.lags[idleTime] == 0 })
	s.await(t, "farther behind", func(a cdcReport) bool {
		return a.lags[idleTime] == 0 && a.lags[emitLag] > held.lags[emitLag] && a.lags[emitLag] > a.lags[fetchLag]
	})

	s.job.Release(t)
	all = s.handed(t, cdcRows+1+more)
	s.resting(t, all[len(all)-1])
	done := s.await(t, "at rest again", func(a cdcReport) bool { return a.lags[idleTime] > 0 })
	rests := func(since cdcReport) cdcReport {
		return s.await(t, "at rest for longer", func(a cdcReport) bool { return a.lags[idleTime] > since.lags[idleTime] })
	}
	first := rests(done) // done may have been read while the last record was handed on
	last := rests(first)
	for _, gauge := range []string{fetchLag, emitLag} {
		if lag, told := last.lags[gauge]; !told || lag != first.lags[gauge] {
			t.Errorf("at rest %s is %v, and later %v", gauge, first, last)
		}
	}

	s.m.Exec(t, "BEGIN", "INSERT INTO "+cdcDatabase+".a(v) VALUES ('a'),('b'),('c')", "UPDATE "+cdcDatabase+".a SET v='d' WHERE id<3", "COMMIT")
	all = s.handed(t, len(all)+5)
	s.resting(t, all[len(all)-1])

	s.job.Cancel(t)
	s.await(t, "gone", func(a cdcReport) bool { return a.state == "missing" && len(a.lags) == 0 })
}
