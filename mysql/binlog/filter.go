package binlog

import "strings"

// filter tells which changes count for a consumer. The names are in the server's spelling.
type filter struct {
	ignored  map[string]bool // schemas, and tables as schema.table
	captured map[string]bool // the same; nil: all
	touched  map[string]bool // the schemas of captured
}

func newFilter(ignored map[string]bool, captures []string) filter {
	f := filter{ignored: ignored}
	if len(captures) == 0 {
		return f
	}
	f.captured, f.touched = map[string]bool{}, map[string]bool{}
	for _, name := range captures {
		schema, _, _ := strings.Cut(name, ".")
		f.captured[name], f.touched[schema], f.touched[name] = true, true, true // a schema's own name may have a dot
	}
	return f
}

// rows tells whether the rows of a table count.
func (f *filter) rows(schema, table string) bool {
	whole := schema + "." + table
	if f.ignored[schema] || f.ignored[whole] {
		return false
	}
	return f.captured == nil || f.captured[schema] || f.captured[whole]
}

// statement tells whether a statement counts that touches some schemas; none: which, it does not tell.
func (f *filter) statement(schemas []string) bool {
	for _, s := range schemas {
		if !f.ignored[s] && (f.captured == nil || f.touched[s]) {
			return true
		}
	}
	return len(schemas) == 0
}
