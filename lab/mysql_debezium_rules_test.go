//go:build e2e

package lab_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// The page of the JMX exporter names metrics by the rules that somebody has given it, and tells texts by a rule of their own alone. It
// does not run beside others, which want the rules as they are.
func TestDebeziumRules(t *testing.T) {
	docs, err := os.ReadFile("../docs/mysql.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(docs), lab.TextRule) {
		t.Errorf("docs/mysql.md has another rule than %s", lab.TextRule)
	}
	m := pool.MySQL(t, lab.MySQLOptions{Version: lab.MySQL80, LogBin: "captured"})
	m.Alone(t)
	m.Exec(t, "DROP DATABASE IF EXISTS shop", "CREATE DATABASE shop", "CREATE TABLE shop.a(id int PRIMARY KEY)", "INSERT INTO shop.a VALUES (1)")
	worker := pool.Connect(t)
	name := fmt.Sprintf("rules-%d", time.Now().UnixMilli())
	worker.Debezium(t, name, m, "shop").AwaitRunning(t)
	only := metricsOf(t, worker, "")
	awaitAtEnd(t, m, only)

	for _, c := range []struct {
		name, rules string
		place       bool
	}{
		{"none", "{}", false},
		{"none, in lower case", "lowercaseOutputName: true", false},
		{"Debezium's", "rules:" + lab.DebeziumRules, false},
		{"Debezium's and that for texts, in lower case", "lowercaseOutputName: true\nlowercaseOutputLabelNames: true\nrules:" + lab.TextRule + lab.DebeziumRules, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			worker.Rule(t, c.rules)
			lab.Await(t, func() error {
				note, err := only[0].Read(t.Context())
				got := fmt.Sprintf("%+v, %v", note, err)
				if note.State != "running" || len(note.Reported) != 1 || note.Reported[0].Value < 0 {
					return fmt.Errorf("got %s, want a connector that runs and reports its lag", got)
				}
				if c.place {
					if err != nil || note.Position == nil || note.Position.File == "" || note.Position.GTIDs == "" {
						return fmt.Errorf("got %s, want a place", got)
					}
					return nil
				}
				if note.Position != nil || err == nil || !strings.HasPrefix(err.Error(), "BinlogPosition is told and BinlogFilename is not") {
					return fmt.Errorf("got %s, want no place, and why", got)
				}
				return nil
			})
		})
	}

	// Two connectors are in one worker: their metrics are told apart by topic.prefix, if that is configured.
	second := worker.Debezium(t, name+"-second", m, "shop")
	awaitAtEnd(t, m, metricsOf(t, worker, second.Name))
	awaitAtEnd(t, m, metricsOf(t, worker, name))
	for _, c := range only {
		want := fmt.Sprintf("metrics of connectors %s, %s: configure the server (topic.prefix) of one", name, second.Name)
		if note, err := c.Read(t.Context()); err == nil || err.Error() != want || note.Position != nil {
			t.Errorf("%s: got %+v, %v, want %s", c.Name(), note, err, want)
		}
	}
	second.Stop(t)
	awaitAtEnd(t, m, only)
}

// awaitAtEnd waits until all of some consumers have caught up.
func awaitAtEnd(t *testing.T, m *lab.MySQL, consumers []mysql.Consumer) {
	t.Helper()
	reader := newReader(t, mysqlConfig(m, lab.Monitor, newScanner(t, m), consumers...))
	lab.Await(t, func() error {
		for _, c := range readOnce(t, reader).Consumers {
			if c.Err != nil {
				return fmt.Errorf("%s: %w", c.Name, c.Err)
			}
			if !atEnd(c) {
				return fmt.Errorf("%s: %s, want it caught up", c.Name, brief(c))
			}
		}
		return nil
	})
}
