//go:build e2e

package lab_test

import (
	"regexp"
	"slices"
	"strings"
)

// choice is what a consumer wants to know of.
type choice struct {
	name              string
	ignored, captures []string
	read              int // all transactions that begin before this event are read, whatever the place
}

// effect is what an event does as a consumer sees it.
type effect int

const (
	nothing effect = iota
	perhaps        // it changes nothing that is wanted, as far as is known, and may be told all the same: that is never too little
	change
)

func isStatement(e *binlogEvent) bool {
	return strings.HasPrefix(e.kind, "Query") || e.kind == "Execute_load_query"
}

// binlogTruth is what the events are that a server lists, whoever wants to know.
type binlogTruth struct {
	mariadb bool
	schemas []string // all that there ever were
	events  []binlogEvent
}

func (b *binlogTruth) effect(e *binlogEvent, c choice, tables map[string]string) effect {
	switch {
	case e.kind == "Table_map":
		id := tableID.FindString(e.info)
		_, name, _ := strings.Cut(strings.TrimSuffix(e.info, ")"), "(")
		tables[id] = name
	case rowEvent.MatchString(e.kind):
		id := tableID.FindString(e.info)
		if id == "table_id: 16777215" { // ends a statement, and is of no table
			return nothing
		}
		if name, ok := tables[id]; ok && !b.wantsTable(c, name) {
			return nothing
		}
		return change
	case isStatement(e):
		return b.statement(e.info, c)
	}
	return nothing
}

// wantsTable goes by the names as the server prints them: schema.table, of which no two are alike.
func (b *binlogTruth) wantsTable(c choice, name string) bool {
	schema, known := b.split(name)
	if !known {
		return true
	}
	if slices.Contains(c.ignored, schema) || slices.Contains(c.ignored, name) {
		return false
	}
	if len(c.captures) == 0 {
		return true
	}
	return slices.ContainsFunc(c.captures, func(s string) bool {
		s = strings.ToLower(s)
		return s == strings.ToLower(schema) || s == strings.ToLower(name)
	})
}

// split finds the schema of a name: the longest that there is.
func (b *binlogTruth) split(name string) (schema string, known bool) {
	for _, s := range b.schemas {
		if strings.HasPrefix(name, s+".") && len(s) > len(schema) {
			schema, known = s, true
		}
	}
	return schema, known
}

// leading is what may stand before a statement's first word, and dark are statements of which MySQL does not note down what schemas
// they are of, or notes down more than their text tells: those of a function or a trigger.
var (
	leading = regexp.MustCompile(`^(?s)(use .*?; )?(\s*/\*.*?\*/)*\s*`)
	bare    = regexp.MustCompile("^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|XA |ANALYZE|OPTIMIZE|REPAIR|FLUSH|GRANT |REVOKE |SET PASSWORD|(CREATE|DROP|ALTER|RENAME) (OR REPLACE )?" +
		"(ALGORITHM=[A-Z]+ )?(DEFINER=[`\"][A-Z]+[`\"]@[`\"][A-Z]+[`\"] )?(SQL SECURITY DEFINER )?(USER|ROLE|VIEW|PROCEDURE|FUNCTION|TRIGGER|EVENT|PACKAGE) |(CREATE|DROP) (/\\*!40005 )?TEMPORARY )")
	several = regexp.MustCompile("^(UPDATE|DELETE|DROP TABLE|RENAME)| (RENAME TO|EXCHANGE PARTITION) ") // change whatever they name
	dark    = regexp.MustCompile("^(TRUNCATE|(ALTER|DROP) DATABASE|SELECT)| LIKE |TRIG| PARTITION|NONE1`?\\.")
)

func (b *binlogTruth) statement(text string, c choice) effect {
	text = text[len(leading.FindString(text)):]
	upper := strings.ToUpper(text)
	switch {
	case bare.MatchString(upper):
		return nothing
	case b.mariadb || len(c.ignored) == 0 && len(c.captures) == 0:
		return change
	case strings.Contains(text, ".`view "), strings.Contains(text, ".`parent "): // servers note down the schemas of the tables behind it
		return perhaps
	}
	first, did := true, nothing
	if dark.MatchString(upper) {
		did = perhaps
	}
	for _, found := range quoted.FindAllStringSubmatch(text, -1) {
		s := strings.ReplaceAll(found[1], "``", "`")
		if !slices.Contains(b.schemas, s) {
			continue
		}
		switch {
		case !wantsSchema(c, s):
		case several.MatchString(upper), first && !strings.HasPrefix(upper, "SELECT"):
			return change
		default: // it is only read, perhaps
			did = perhaps
		}
		first = false
	}
	if first {
		return perhaps
	}
	return did
}

// wantsSchema tells whether something in a schema may be wanted.
func wantsSchema(c choice, schema string) bool {
	if slices.Contains(c.ignored, schema) {
		return false
	}
	within := func(name string) bool {
		name, s := strings.ToLower(name), strings.ToLower(schema)
		return name == s || strings.HasPrefix(name, s+".")
	}
	return len(c.captures) == 0 || slices.ContainsFunc(c.captures, within)
}
