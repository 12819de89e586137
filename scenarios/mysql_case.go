package scenarios

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"truelag/mysql"
	"truelag/mysql/gtid"
)

// MySQLCase is what a server has in its binlog, a consumer's position and what follows it, and the right verdict.
type MySQLCase struct {
	Place
	Inventory *mysql.Inventory // nil: could not be read
	Position  *mysql.Position  // nil: could not be read
	Scan      mysql.Scan

	State     string           // empty: not compared
	Numbers   map[string]int64 // absent: there must be no number
	Ambiguous *bool
}

func (c *MySQLCase) read(n *yaml.Node) error {
	readers := map[string]reader{
		"name":         into(&c.Name),
		"report":       into(&c.Report),
		"server":       c.readServer,
		"consumer":     c.readConsumer,
		"events_after": named(&c.Scan.After, mysql.Afters()),
		"first_at":     seconds(&c.Scan.First),
		"written_at":   seconds(&c.Scan.Written),
		"want":         c.readWant,
	}
	return fields(n, "a case", readers, "name", "server", "consumer", "want")
}

// unread is the word for a side that could not be read.
const unread = "unread"

func (c *MySQLCase) readServer(n *yaml.Node) error {
	if n.Value == unread {
		return nil
	}
	inv := &mysql.Inventory{}
	flavor := named(&inv.Flavor, mysql.Flavors())
	if of := value(n, "flavor"); of != nil { // it may come after the sets, which are read by it
		if err := flavor(of); err != nil {
			return err
		}
	}
	set := func(name string, v **gtid.Set) reader {
		return func(n *yaml.Node) error {
			var text string
			if err := into(&text)(n); err != nil {
				return err
			}
			of, err := inv.Flavor.Parse(text)
			if err != nil {
				return wrong(n, "%s: %w", name, err)
			}
			*v = &of
			return nil
		}
	}
	c.Inventory = inv
	return fields(n, "server", map[string]reader{
		"flavor":        flavor,
		"uuid":          into(&inv.Server),
		"files":         readFiles(&inv.Files),
		"files_at":      seconds(&inv.FilesAt),
		"gtid_executed": set("gtid_executed", &inv.Executed),
		"gtid_purged":   set("gtid_purged", &inv.Purged),
		"gtids_at":      seconds(&inv.SetsAt),
		"clock":         seconds(&inv.Clock),
		"expire":        c.readExpire,
	})
}

func readFiles(files *[]mysql.File) reader {
	return func(n *yaml.Node) error {
		*files = []mysql.File{}
		return eachItem(n, "files", func(n *yaml.Node) error {
			var f mysql.File
			err := fields(n, "a file", map[string]reader{
				"name": into(&f.Name), "size": atLeast(0, &f.Size), "encrypted": into(&f.Encrypted),
				"written_at": seconds(&f.Written),
			}, "name", "size")
			*files = append(*files, f)
			return err
		})
	}
}

func (c *MySQLCase) readExpire(n *yaml.Node) error {
	var v int64
	if err := atLeast(0, &v)(n); err != nil {
		return err
	}
	c.Inventory.Expire = time.Duration(v) * time.Second
	return nil
}

func (c *MySQLCase) readConsumer(n *yaml.Node) error {
	if n.Value == unread {
		return nil
	}
	c.Position = &mysql.Position{}
	return fields(n, "consumer", map[string]reader{
		"file":     into(&c.Position.File),
		"pos":      numberOrText(&c.Position.Pos),
		"gtids":    into(&c.Position.GTIDs),
		"event":    numberOrText(&c.Position.Event),
		"row":      numberOrText(&c.Position.Row),
		"snapshot": word(&c.Position.Snapshot),
		"server":   into(&c.Position.Server),
		"at":       seconds(&c.Position.ReadAt),
	})
}

func (c *MySQLCase) readWant(n *yaml.Node) error {
	c.Numbers = map[string]int64{}
	readers := map[string]reader{
		"state":              oneOf(&c.State, namesOf(mysql.States())...),
		"position_ambiguous": maybe(&c.Ambiguous),
	}
	for name := range numbers(mysql.Distance{}) {
		readers[name] = func(n *yaml.Node) error {
			var v *int64
			err := offsetsOrAbsent(&v)(n)
			c.Numbers[name] = *v
			return err
		}
	}
	return fields(n, "want", readers)
}

// numbers are those of a distance by their names in a case.
func numbers(d mysql.Distance) map[string]mysql.Number {
	return map[string]mysql.Number{
		"bytes":           d.Bytes,
		"effective_bytes": d.Effective,
		"files":           d.Files,
		"transactions":    d.Transactions,
		"headroom_files":  d.HeadroomFiles,
		"headroom_bytes":  d.HeadroomBytes,

		"seconds":          wholeSeconds(d.Seconds),
		"headroom_seconds": wholeSeconds(d.HeadroomSeconds),
	}
}

func wholeSeconds(d mysql.Duration) mysql.Number {
	return mysql.Number{N: int64(d.D / time.Second), Known: d.Known}
}

// numberOrText reads a whole number that may be written as text: consumers keep both.
func numberOrText(v *int64) reader {
	return func(n *yaml.Node) error {
		if n.Tag != "!!str" {
			return into(v)(n)
		}
		got, err := strconv.ParseInt(n.Value, 10, 64)
		if err != nil {
			return wrong(n, "%q is not a whole number", n.Value)
		}
		*v = got
		return nil
	}
}

// word reads a string or a truth value as its text.
func word(v *string) reader {
	return func(n *yaml.Node) error {
		if n.Tag != "!!bool" {
			return into(v)(n)
		}
		*v = strings.ToLower(n.Value)
		return nil
	}
}

// Play measures the position and compares what comes out with what should. It returns all differences.
func (c *MySQLCase) Play() error {
	var errs []error
	d := mysql.Measure(c.Inventory, c.Position, c.Scan)
	found := func(what string, got, want any) {
		errs = append(errs, fmt.Errorf("%s:%d: %s: %v, want %v", c.File, c.Line, what, got, want))
	}
	if c.State != "" && d.State.String() != c.State {
		found("state", d.State, c.State)
	}
	for name, got := range numbers(d) {
		want, ok := c.Numbers[name]
		switch {
		case got.Known && got.N < 0:
			found(name, got, "no negative number")
		case ok && want == absent && got.Known:
			found(name, got, "none")
		case ok && want != absent && got != mysql.Number{N: want, Known: true}:
			found(name, got, want)
		}
	}
	if c.Ambiguous != nil && d.Ambiguous != *c.Ambiguous {
		found("position_ambiguous", d.Ambiguous, *c.Ambiguous)
	}
	return errors.Join(errs...)
}
