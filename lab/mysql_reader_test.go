//go:build e2e

package lab_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"

	"truelag/lab"
	"truelag/mysql"
	"truelag/mysql/binlog"
)

// mark is a consumer whose place a test notes down.
type mark struct {
	name string

	mu   sync.Mutex
	note mysql.Note
}

func (k *mark) Name() string { return k.name }
func (k *mark) Close()       {}

func (k *mark) Read(context.Context) (mysql.Note, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.note, nil
}

func (k *mark) set(p mysql.Position) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.note = mysql.Note{Position: &p}
}

// here is a mark at the end of a server's binlog, with the set of its transactions.
func here(t *testing.T, m *lab.MySQL, name string) *mark {
	t.Helper()
	end := m.End(t)
	k := &mark{name: name}
	k.set(mysql.Position{File: end.Name, Pos: end.Size, GTIDs: m.GTIDs(t)})
	return k
}

// place is where a mark is.
func (k *mark) place() mysql.Position {
	k.mu.Lock()
	defer k.mu.Unlock()
	return *k.note.Position
}

// mysqlReader is what the exporter reads a server and its consumers by, as a user of the lab.
func mysqlReader(t *testing.T, m *lab.MySQL, user string, scanner mysql.Scanner, consumers ...mysql.Consumer) *mysql.Server {
	t.Helper()
	return newReader(t, mysqlConfig(m, user, scanner, consumers...))
}

func mysqlConfig(m *lab.MySQL, user string, scanner mysql.Scanner, consumers ...mysql.Consumer) mysql.Config {
	return mysql.Config{
		Name:         m.Options.Version,
		Dial:         dial(m, user),
		Timeout:      time.Minute,
		FilesTimeout: time.Minute,
		Consumers:    consumers,
		Scanner:      scanner,
	}
}

// newScanner reads events as the exporter does. Databases and tables that are ignored hold nobody's transactions.
func newScanner(t *testing.T, m *lab.MySQL, ignore ...string) mysql.Scanner {
	t.Helper()
	return newScannerBy(t, dial(m, lab.Monitor), ignore...)
}

func newScannerBy(t *testing.T, by mysql.Dial, ignore ...string) mysql.Scanner {
	t.Helper()
	s, err := binlog.New(binlog.Config{Dial: by, MaxBytes: 64 << 20, Timeout: time.Minute, MariaDB: true, Ignore: ignore})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newReader(t *testing.T, cfg mysql.Config) *mysql.Server {
	t.Helper()
	s, err := mysql.New(cfg, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func dial(m *lab.MySQL, user string) mysql.Dial {
	return mysql.Dial{
		Address:  m.Address,
		User:     user,
		Password: func() (string, error) { return lab.Password(user), nil },
		Timeout:  time.Minute,
	}
}

// readingTime is more than a reading takes on a busy machine.
const readingTime = 3 * time.Minute

func readOnce(t *testing.T, s *mysql.Server) *mysql.Reading {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readingTime)
	defer cancel()
	return s.Read(ctx)
}

// readServer is a reading in which nothing has failed.
func readServer(t *testing.T, s *mysql.Server) *mysql.Reading {
	t.Helper()
	r := readOnce(t, s)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, c := range r.Consumers {
		if c.Err != nil || c.ScanErr != nil {
			t.Fatalf("consumer %s: %v, scan: %v", c.Name, c.Err, c.ScanErr)
		}
	}
	return r
}

// measured is a reading, and the distance of each consumer.
func measured(t *testing.T, s *mysql.Server) (*mysql.Reading, map[string]mysql.Distance) {
	t.Helper()
	r := readServer(t, s)
	distances := map[string]mysql.Distance{}
	for _, c := range r.Consumers {
		distances[c.Name] = c.Distance
	}
	return r, distances
}

// atRest reads once all marks are as far from the end before as after: a server may write an event of its own meanwhile.
func atRest(t *testing.T, m *lab.MySQL, s *mysql.Server, marks []*mark) (*mysql.Reading, map[string]mysql.Distance, map[string]lab.Left) {
	t.Helper()
	var r *mysql.Reading
	var distances map[string]mysql.Distance
	var truth map[string]lab.Left
	lab.Await(t, func() error {
		before := left(t, m, marks)
		r, distances = measured(t, s)
		truth = left(t, m, marks)
		for name := range truth {
			if truth[name] != before[name] {
				return fmt.Errorf("%s had %+v left to read, and then %+v", name, before[name], truth[name])
			}
		}
		return nil
	})
	return r, distances, truth
}

func left(t *testing.T, m *lab.MySQL, marks []*mark) map[string]lab.Left {
	t.Helper()
	all := map[string]lab.Left{}
	for _, k := range marks {
		p := k.place()
		all[k.name] = m.Left(t, p.File, p.Pos)
	}
	return all
}

func consumers(marks []*mark) []mysql.Consumer {
	var all []mysql.Consumer
	for _, k := range marks {
		all = append(all, k)
	}
	return all
}

func known(n int64) mysql.Number { return mysql.Number{N: n, Known: true} }
