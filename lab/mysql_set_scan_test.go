//go:build e2e

package lab_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// named is a transaction's name, and where that stands in a binlog.
type named struct {
	gtid, file string
	pos        int64
}

var gtidInfo = regexp.MustCompile(`[-0-9a-f]{36}:\d+|\d+-\d+-\d+`)

// transactions are all in a server's binlog.
func transactions(t *testing.T, m *lab.MySQL) []named {
	t.Helper()
	var all []named
	for _, f := range m.Files(t) {
		for _, e := range m.Rows(t, "SHOW BINLOG EVENTS IN '"+f.Name+"'") {
			if e["Event_type"] != "Gtid" {
				continue
			}
			pos, err := strconv.ParseInt(e["Pos"], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, named{gtidInfo.FindString(e["Info"]), f.Name, pos})
		}
	}
	return all
}

// What a consumer is behind that has noted down a set alone is told by the first transaction that its set lacks, wherever that is.
func TestBinlogSetScan(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		m.Exec(t, "RESET MASTER")
		schema(t, m, "sets")
		fill(t, m, "sets", 90)
		if m.Options.MariaDB() { // in two domains
			m.Exec(t, "SET gtid_domain_id=7", strings.Repeat("INSERT INTO sets.t(v) VALUES ('x');", 9), "SET gtid_domain_id=0")
		}
		m.Rotate(t)
		m.Exec(t, "ALTER TABLE sets.t ADD COLUMN c int")
		fill(t, m, "sets", 40)
		flavor := mysql.MySQL
		if m.Options.MariaDB() {
			flavor = mysql.MariaDB
		}
		all := transactions(t, m)
		rng := rand.New(rand.NewPCG(uint64(cmp.Or(*seedFlag, 6)), 11))
		var marks []*mark
		want := map[string]*named{}
		has := func(how string, had func(i int) bool) {
			var names []string
			var lacks *named
			for i := range all {
				switch {
				case had(i):
					names = append(names, all[i].gtid)
				case lacks == nil:
					lacks = &all[i]
				}
			}
			set, err := flavor.Parse(strings.Join(last(names, m.Options.MariaDB()), ","))
			if err != nil {
				t.Fatal(err)
			}
			k := &mark{name: fmt.Sprintf("%s, %d", how, len(marks))}
			k.set(mysql.Position{GTIDs: set.String()})
			marks, want[k.name] = append(marks, k), lacks
		}
		for range 10 {
			n := 1 + rng.IntN(len(all))
			has("what came first", func(i int) bool { return i < n })
		}
		has("all", func(int) bool { return true })
		for range 5 {
			a, b := rng.IntN(len(all)), rng.IntN(len(all))
			switch {
			case m.Options.MariaDB():
				has("each domain as far as it may be", func(i int) bool {
					seventh := strings.HasPrefix(all[i].gtid, "7-")
					return i == 0 || i < a && !seventh || i < b && seventh
				})
			default:
				has("holes", func(i int) bool { return i == 0 || i%(2+a%7) != 0 || i < b })
			}
		}
		reader := mysqlReader(t, m, lab.Monitor, newScanner(t, m), consumers(marks)...)
		for i := range 2 {
			r := readServer(t, reader)
			for _, c := range r.Consumers {
				d, first := c.Distance, want[c.Name]
				if first == nil {
					if !atEnd(c) {
						t.Errorf("%s: %s, want nothing to be left", c.Name, brief(c))
					}
					continue
				}
				truth := m.Left(t, first.file, first.pos)
				if c.Scan.After != mysql.Transaction || c.Scan.GTID != first.gtid || d.State != mysql.OK || d.Effective != known(truth.Bytes) || d.Bytes.Known {
					t.Errorf("%s: %s, want %d bytes from %+v on", c.Name, brief(c), truth.Bytes, *first)
				}
				if at := c.Scan.First; !d.Seconds.Known || at.Before(truth.First) || at.After(r.Inventory.Clock) {
					t.Errorf("%s: %s, committed at %s, want it from %s on", c.Name, brief(c), at, truth.First)
				}
				if i > 0 && !c.Scan.Cached {
					t.Errorf("%s: read anew, although nothing was written", c.Name)
				}
			}
		}
	})
}

// last leaves of MariaDB's names the last of each domain, which stands for those before.
func last(names []string, mariadb bool) []string {
	if !mariadb {
		return names
	}
	domains := map[string]string{}
	for _, name := range names {
		domain, _, _ := strings.Cut(name, "-")
		domains[domain] = name
	}
	var left []string
	for _, name := range domains {
		left = append(left, name)
	}
	return left
}

// What changes nothing for a consumer that has noted down a set alone is not left to read, and what comes then is.
func TestBinlogSetScanGoesOn(t *testing.T) {
	on(t, []string{lab.MySQL80, lab.MariaDB10}, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "counted")
		schema(t, m, "uncounted")
		k := here(t, m, "consumer").setOnly()
		reader := mysqlReader(t, m, lab.Monitor, newScanner(t, m, "uncounted"), k)
		for range 3 {
			fill(t, m, "uncounted", 3)
			m.Rotate(t)
			if c := readServer(t, reader).Consumers[0]; !atEnd(c) || c.Scan.After != mysql.None {
				t.Errorf("%s, want nothing to be left", brief(c))
			}
		}
		at := here(t, m, "").place()
		fill(t, m, "counted", 1)
		truth := m.Left(t, at.File, at.Pos)
		for range 2 {
			if c := readServer(t, reader).Consumers[0]; c.Distance.State != mysql.OK || c.Distance.Effective != known(truth.Bytes) || !c.Distance.Seconds.Known {
				t.Errorf("%s, want %d bytes to be left", brief(c), truth.Bytes)
			}
		}
	})
}
