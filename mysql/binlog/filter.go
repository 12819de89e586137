package binlog

import "strings"

// filter tells which changes count for a consumer. Where names are spelt in another case than the server does, more counts: those
// that are captured match in any, as they do for connectors, and those that are ignored in the server's alone.
type filter struct {
	ignored  map[string]bool // schemas, and tables as schema.table
	captured map[string]bool // the same, in lower case; nil: all
	touched  map[string]bool // the schemas of captured
}

func newFilter(ignored map[string]bool, captures []string) filter {
	f := filter{ignored: ignored}
	if len(captures) == 0 {
		return f
	}
	f.captured, f.touched = map[string]bool{}, map[string]bool{}
	for _, name := range captures {
		name = strings.ToLower(name)
		f.captured[name], f.touched[name] = true, true
		for i, c := range name { // a schema's own name may have dots
			if c == '.' {
				f.touched[name[:i]] = true
			}
		}
	}
	return f
}

// rows tells whether the rows of a table count.
func (f *filter) rows(schema, table string) bool {
	whole := schema + "." + table
	if f.ignored[schema] || f.ignored[whole] {
		return false
	}
	return f.captured == nil || f.captured[strings.ToLower(schema)] || f.captured[strings.ToLower(whole)]
}

// statement tells whether a statement counts that touches some schemas; none: which, it does not tell.
func (f *filter) statement(schemas []string) bool {
	for _, s := range schemas {
		if !f.ignored[s] && (f.captured == nil || f.touched[strings.ToLower(s)]) {
			return true
		}
	}
	return len(schemas) == 0
}
