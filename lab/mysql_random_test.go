//go:build e2e

package lab_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

var binlogsFlag = flag.Int("binlogs", 2, "how many random binlogs are written on each server, with seeds that follow one another")

// Whatever a server logs, and wherever a consumer stands there, what is left is told as the server's own list of events has it.
func TestRandomBinlogs(t *testing.T) {
	t.Parallel()
	first := seed(t, 4711)
	for _, version := range lab.MySQLVersions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			m := pool.StartMySQL(t, lab.MySQLOptions{Version: version})
			places := 0
			for i := range *binlogsFlag {
				// what a reset has forgotten, a server may know again after a crash: it writes to disk in no hurry
				if !m.Options.MariaDB() && i > 0 { // every other binlog is one without GTIDs
					m.Change(t, gtidSettings[i%2]...)
				}
				b := writeBinlog(t, m, first+int64(i), i == 0 && first%2 == 0)
				places += b.compare(t)
			}
			t.Logf("%d places in %d binlogs", places, *binlogsFlag)
		})
	}
}

var gtidSettings = [][]string{{"gtid_mode=ON", "enforce_gtid_consistency=ON"}, {"gtid_mode=OFF", "enforce_gtid_consistency=OFF"}}

// randomBinlog is what a writer has left on a server, and what is compared there.
type randomBinlog struct {
	binlogTruth
	m        *lab.MySQL
	seed     int64
	random   *rand.Rand
	writer   *binlogWriter
	files    []lab.BinlogFile
	choices  []choice
	ignored  []string
	spots    []*spot
	failures int
}

// spot is a consumer at some place, for which some verdicts are right.
type spot struct {
	name   string
	note   mysql.Note
	at     int // index of an event
	choice choice
	want   []verdict
	within bool  // an event: it is no place
	lacks  int64 // transactions; -1: it has no set
	counts bool  // events of the transaction at its place
}

func (s *spot) Name() string                             { return s.name }
func (s *spot) Close()                                   {}
func (s *spot) Read(context.Context) (mysql.Note, error) { return s.note, nil }

// writeBinlog has random transactions written, and reads what the server lists of them.
func writeBinlog(t *testing.T, m *lab.MySQL, seed int64, crash bool) *randomBinlog {
	t.Helper()
	m.Exec(t, "RESET MASTER")
	b := &randomBinlog{m: m, seed: seed, random: rand.New(rand.NewPCG(uint64(seed), 1))}
	b.writer = newBinlogWriter(t, m, b.random)
	b.mariadb, b.schemas = m.Options.MariaDB(), b.writer.schemas
	b.writer.run(t, 65, crash)
	b.files = m.Files(t)
	b.events = binlogEvents(t, m, b.files)
	index := func(name string) int {
		return slices.IndexFunc(b.files, func(f lab.BinlogFile) bool { return f.Name == name })
	}
	for i := range b.events {
		e := &b.events[i]
		e.step = slices.IndexFunc(b.writer.steps, func(s binlogStep) bool {
			return index(s.until.Name) > index(e.file) || s.until.Name == e.file && s.until.Size > e.pos
		})
	}
	return b
}
