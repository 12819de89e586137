//go:build e2e

package lab_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
	"truelag/mysql/consumer"
)

// readers are a Maxwell and Canals on one server, and what the exporter reads of them.
type readers struct {
	m        *lab.MySQL
	programs map[string]*lab.Reader
	reader   *mysql.Server
	words    int // that were written
	held     int // rows that Canal waited at
}

const (
	maxwell    = "Maxwell" // on MySQL 8.0 by GTIDs
	canal      = "Canal"
	canalGTIDs = "Canal by GTIDs"
)

// canals are those that a server has. Canal knows GTIDs of any MySQL; one server shows it.
func canals(version string) []string {
	if version == lab.MySQL80 {
		return []string{canal, canalGTIDs}
	}
	return []string{canal}
}

func stageReaders(t *testing.T, version string) *readers {
	t.Helper()
	m := pool.MySQL(t, lab.MySQLOptions{Version: version, LogBin: "captured"})
	m.Alone(t)
	m.Exec(t, "DROP DATABASE IF EXISTS shop", "DROP DATABASE IF EXISTS maxwell", "CREATE DATABASE shop", // a Maxwell of before was stuck
		"CREATE TABLE shop.a(id int AUTO_INCREMENT PRIMARY KEY, v text)", "CREATE TABLE shop.held LIKE shop.a")
	s := &readers{m: m}
	if version == lab.MySQL80 {
		s.compressed(t, "OFF")
	}
	s.programs = map[string]*lab.Reader{maxwell: pool.Maxwell(t, m, version == lab.MySQL80)}
	table, err := consumer.NewMaxwell(consumer.MaxwellConfig{Name: maxwell, ClientID: lab.MaxwellClient, Database: "maxwell", DB: m.DB(t, lab.MaxwellUser)})
	if err != nil {
		t.Fatal(err)
	}
	all := []mysql.Consumer{table}
	for _, name := range canals(version) {
		folder := t.TempDir()
		s.programs[name] = pool.Canal(t, m, folder, name == canalGTIDs)
		file, err := consumer.NewCanal(consumer.CanalConfig{Name: name, Path: filepath.Join(folder, lab.CanalFile)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	s.reader = mysqlReader(t, m, lab.Monitor, newScanner(t, m, "maxwell"), all...)
	lab.AwaitWithin(t, 5*time.Minute, func() error { // each begins where the binlog ends when it comes
		m.Exec(t, "INSERT INTO shop.a(v) VALUES ('are you there')")
		for name, p := range s.programs {
			if text := map[bool]string{true: "are you there", false: "shop.a"}[name == maxwell]; !p.Printed(t, text) {
				return fmt.Errorf("%s has not read anything yet", name)
			}
		}
		return nil
	})
	return s
}

// await reads until a program's place is as wanted.
func (s *readers) await(t *testing.T, name, what string, is func(mysql.ConsumerReading) bool) mysql.ConsumerReading {
	t.Helper()
	var found mysql.ConsumerReading
	lab.Await(t, func() (err error) {
		if found, err = s.read(t, name); err == nil && !is(found) {
			err = fmt.Errorf("%s: %s, want it to be %s", name, brief(found), what)
		}
		return err
	})
	return found
}

// read reads a program's place.
func (s *readers) read(t *testing.T, name string) (mysql.ConsumerReading, error) {
	t.Helper()
	r := readOnce(t, s.reader)
	c := r.Consumers[slices.IndexFunc(r.Consumers, func(c mysql.ConsumerReading) bool { return c.Name == name })]
	if err := errors.Join(r.Err, c.Err, c.ScanErr); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// unfinished is behind, of one that may have noted no set down.
func unfinished(c mysql.ConsumerReading) bool {
	d := c.Distance
	return d.State == mysql.OK && d.Bytes.N > 0 && d.Effective == d.Bytes && d.Seconds.Known
}

// Maxwell is always behind its own writing, and Canal at the start of the event that it has read last: both have nothing left to read
// once they have read everything.
func TestMaxwellAndCanal(t *testing.T) {
	t.Parallel()
	for _, version := range []string{lab.MySQL57, lab.MySQL80} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := stageReaders(t, version)
			all := append(canals(version), maxwell)
			s.restAtEnd(t, all...)
			s.readHalf(t)
			s.endAndStart(t, maxwell, all...)
			if version == lab.MySQL80 {
				s.compress(t)
				s.restAtEnd(t, canals(version)...)
				s.readHalf(t)
				s.maxwellIsStuck(t)
				s.endAndStart(t, canal, canals(version)...)
			}
		})
	}
}

// word writes a row that no one was before.
func (s *readers) word(t *testing.T) string {
	t.Helper()
	s.words++
	word := fmt.Sprintf("word %d", s.words)
	s.m.Exec(t, fmt.Sprintf("INSERT INTO shop.a(v) VALUES ('%s')", word))
	return word
}

// restAtEnd: whatever kind the last transaction was, a program that has read it has nothing left to read.
func (s *readers) restAtEnd(t *testing.T, names ...string) {
	t.Helper()
	for _, c := range []struct {
		name       string
		statements []string
	}{
		{"one row", nil},
		{"many rows", []string{"INSERT INTO shop.a(v) SELECT COLLATION_NAME FROM information_schema.COLLATIONS LIMIT 40"}},
		{"many statements", []string{
			"BEGIN", "INSERT INTO shop.a(v) VALUES (repeat('y',500))", "UPDATE shop.a SET v=concat(v,'z') ORDER BY id LIMIT 1",
			"DELETE FROM shop.a ORDER BY id LIMIT 1", "COMMIT",
		}},
		{"a statement that changes a table", []string{fmt.Sprintf("ALTER TABLE shop.a ADD COLUMN c%d int", s.words)}},
	} {
		word := s.word(t)
		s.m.Exec(t, c.statements...)
		for _, name := range names {
			t.Logf("%s: %s: %s", c.name, name, brief(s.await(t, name, "caught up", atEnd)))
		}
		if slices.Contains(names, maxwell) && !s.programs[maxwell].Printed(t, word) {
			t.Errorf("%s: Maxwell is said to have caught up and has not printed %q", c.name, word)
		}
	}
	s.m.Rotate(t)
	for _, name := range names {
		s.await(t, name, "caught up after a rotation", atEnd)
	}
}

// readHalf: Canal has noted down that it was handed the beginning, which is of an earlier second: that tells where all of a compressed
// transaction is at one place. By GTIDs it notes down whole transactions alone.
func (s *readers) readHalf(t *testing.T) {
	t.Helper()
	s.m.Exec(t, "BEGIN", "SET timestamp=@@timestamp-1", "INSERT INTO shop.a(v) VALUES ('one')", "SET timestamp=DEFAULT",
		"INSERT INTO shop.held(v) VALUES ('two')", "COMMIT")
	s.awaitHeld(t)
	for _, name := range canals(s.m.Options.Version) {
		after := mysql.Rest
		if name == canalGTIDs {
			after = mysql.Transaction
		}
		s.await(t, name, "behind, before "+after.String(), func(c mysql.ConsumerReading) bool { return unfinished(c) && c.Scan.After == after })
	}
	for _, name := range canals(s.m.Options.Version) {
		s.programs[name].Go(t)
		s.await(t, name, "caught up", atEnd)
	}
}

func (s *readers) awaitHeld(t *testing.T) {
	t.Helper()
	s.held++
	lab.Await(t, func() error {
		for _, name := range canals(s.m.Options.Version) {
			if !s.programs[name].Printed(t, fmt.Sprintf("holding %d.", s.held)) {
				return fmt.Errorf("the second half has not come to %s", name)
			}
		}
		return nil
	})
}

// endAndStart: who is gone falls behind, and catches up.
func (s *readers) endAndStart(t *testing.T, gone string, all ...string) {
	t.Helper()
	s.programs[gone].KillWhen(t, func() error {
		_, err := s.read(t, gone)
		return err
	})
	s.m.Exec(t, "INSERT INTO shop.a(v) VALUES ('while it is gone')")
	s.await(t, gone, "behind", unfinished)
	for _, name := range all {
		if name != gone {
			s.await(t, name, "caught up", atEnd)
		}
	}
	s.programs[gone].Start(t)
	s.await(t, gone, "caught up", atEnd)
}

// compress has the server compress what everybody writes from now on, Maxwell too.
func (s *readers) compress(t *testing.T) {
	t.Helper()
	s.programs[maxwell].Kill()
	s.compressed(t, "ON")
	s.programs[maxwell].Start(t)
}

func (s *readers) compressed(t *testing.T, compression string) {
	t.Helper()
	s.m.Exec(t, "SET GLOBAL binlog_transaction_compression="+compression)
}

// maxwellIsStuck: this Maxwell does not know compressed transactions. It runs, and reads none of them.
func (s *readers) maxwellIsStuck(t *testing.T) {
	t.Helper()
	word := s.word(t)
	s.await(t, canal, "caught up", atEnd)
	c := s.await(t, maxwell, "behind, before a transaction", func(c mysql.ConsumerReading) bool {
		return unfinished(c) && c.Scan.After == mysql.Transaction
	})
	if s.programs[maxwell].Printed(t, word) {
		t.Errorf("Maxwell cannot read compressed transactions: %s", brief(c))
	}
	t.Log(brief(c))
}
