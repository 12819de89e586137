//go:build e2e

package lab_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
	"truelag/mysql/consumer"
)

// readers are a Maxwell and a Canal on one server, and what the exporter reads of them.
type readers struct {
	m              *lab.MySQL
	maxwell, canal *lab.Reader
	reader         *mysql.Server
}

const (
	maxwell = "Maxwell"
	canal   = "Canal"
)

func stageReaders(t *testing.T) *readers {
	t.Helper()
	m := pool.MySQL(t, lab.MySQLOptions{Version: lab.MySQL57, LogBin: "captured"})
	m.Alone(t)
	m.Exec(t, "DROP DATABASE IF EXISTS shop", "CREATE DATABASE shop",
		"CREATE TABLE shop.a(id int AUTO_INCREMENT PRIMARY KEY, v text)", "CREATE TABLE shop.held LIKE shop.a")
	folder := t.TempDir()
	s := &readers{m: m, maxwell: pool.Maxwell(t, m), canal: pool.Canal(t, m, folder)}
	table, err := consumer.NewMaxwell(consumer.MaxwellConfig{Name: maxwell, ClientID: lab.MaxwellClient, DB: m.DB(t, lab.MaxwellUser)})
	if err != nil {
		t.Fatal(err)
	}
	file, err := consumer.NewCanal(consumer.CanalConfig{Name: canal, Path: filepath.Join(folder, lab.CanalFile)})
	if err != nil {
		t.Fatal(err)
	}
	s.reader = mysqlReader(t, m, lab.Monitor, newScanner(t, m, "maxwell"), table, file)
	lab.AwaitWithin(t, 3*time.Minute, func() error { // each begins where the binlog ends when it comes
		m.Exec(t, "INSERT INTO shop.a(v) VALUES ('are you there')")
		if !s.maxwell.Printed(t, "are you there") || !s.canal.Printed(t, "shop.a") {
			return fmt.Errorf("maxwell or Canal has not read anything yet")
		}
		return nil
	})
	return s
}

// await reads until a program's place is as wanted.
func (s *readers) await(t *testing.T, name, what string, is func(mysql.ConsumerReading) bool) mysql.ConsumerReading {
	t.Helper()
	var found mysql.ConsumerReading
	lab.Await(t, func() error {
		for _, c := range s.reader.Read(t.Context()).Consumers {
			if c.Name != name {
				continue
			}
			if err := errors.Join(c.Err, c.ScanErr); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if !is(c) {
				return fmt.Errorf("%s: %s, want it to be %s", name, brief(c), what)
			}
			found = c
		}
		return nil
	})
	return found
}

// unfinished is behind, of one that has noted no set down.
func unfinished(c mysql.ConsumerReading) bool {
	d := c.Distance
	return d.State == mysql.OK && d.Bytes.N > 0 && d.Effective == d.Bytes && d.Seconds.Known
}

// Maxwell is always behind its own writing, and Canal at the start of the event that it has read last: both have nothing left to read
// once they have read everything.
func TestMaxwellAndCanal(t *testing.T) {
	t.Parallel()
	s := stageReaders(t)
	for i, c := range []struct {
		name       string
		statements []string
	}{
		{"one row", nil},
		{"many rows", []string{"INSERT INTO shop.a(v) SELECT COLLATION_NAME FROM information_schema.COLLATIONS LIMIT 40"}},
		{"many statements", []string{
			"BEGIN", "INSERT INTO shop.a(v) VALUES (repeat('y',500))", "UPDATE shop.a SET v=concat(v,'z') ORDER BY id LIMIT 1",
			"DELETE FROM shop.a ORDER BY id LIMIT 1", "COMMIT",
		}},
		{"a statement that changes a table", []string{"ALTER TABLE shop.a ADD COLUMN c int"}},
	} {
		last := fmt.Sprintf("word %d", i)
		s.m.Exec(t, fmt.Sprintf("INSERT INTO shop.a(v) VALUES ('%s')", last))
		s.m.Exec(t, c.statements...)
		for _, name := range []string{maxwell, canal} {
			t.Logf("%s: %s: %s", c.name, name, brief(s.await(t, name, "caught up", atEnd)))
		}
		if !s.maxwell.Printed(t, last) {
			t.Errorf("%s: Maxwell is said to have caught up and has not printed %q", c.name, last)
		}
	}
	s.m.Rotate(t)
	for _, name := range []string{maxwell, canal} {
		s.await(t, name, "caught up after a rotation", atEnd)
	}

	s.m.Exec(t, "BEGIN", "INSERT INTO shop.a(v) VALUES ('one')", "INSERT INTO shop.held(v) VALUES ('two')", "COMMIT")
	lab.Await(t, func() error {
		if !s.canal.Printed(t, "holding shop.held") {
			return fmt.Errorf("the second half has not come to Canal")
		}
		return nil
	})
	s.await(t, maxwell, "caught up", atEnd)
	if c := s.await(t, canal, "within a transaction", unfinished); c.Scan.After != mysql.Rest {
		t.Errorf("Canal has read half of a transaction: %s", brief(c))
	}
	s.canal.Go(t)
	s.await(t, canal, "caught up", atEnd)

	s.maxwell.Kill()
	s.m.Exec(t, "INSERT INTO shop.a(v) VALUES ('while it is gone')")
	s.await(t, maxwell, "behind", unfinished)
	s.await(t, canal, "caught up", atEnd)
	s.maxwell.Start(t)
	s.await(t, maxwell, "caught up", atEnd)
}
