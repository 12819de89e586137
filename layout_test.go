package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// imports says which packages of this module each one may import, and which of the libraries that are kept to one place.
// Imports run one way: what compares two systems lives in collector, which sees both.
var imports = map[string][]string{
	".": {
		"truelag/config", "truelag/collector", "truelag/demo", "truelag/exposition", "truelag/flink", "truelag/kafka", "truelag/web",
		"truelag/mysql", "truelag/mysql/binlog", "truelag/mysql/consumer", "truelag/mysql/gtid",
	},
	"config":         {"truelag/endpoint", "truelag/flink", "truelag/kafka", "truelag/mysql"},
	"collector":      {"truelag/exposition", "truelag/flink", "truelag/guard", "truelag/kafka", "truelag/mysql", clientGolang},
	"demo":           {},
	"endpoint":       {},
	"exposition":     {},
	"flink":          {"truelag/endpoint", "truelag/guard"},
	"guard":          {},
	"kafka":          {"truelag/guard"},
	"mysql":          {"truelag/guard", "truelag/mysql/gtid"},
	"mysql/binlog":   {"truelag/mysql", "truelag/mysql/gtid", binlogReplication},
	"mysql/consumer": {"truelag/endpoint", "truelag/guard", "truelag/mysql", "truelag/mysql/gtid"},
	"mysql/gtid":     {},
	"web":            {},
}

const (
	clientGolang      = "github.com/prometheus/client_golang"
	binlogReplication = "github.com/go-mysql-org/go-mysql"
)

func TestImportsRunOneWay(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (path == "lab" || path == "scenarios" || path != "." && strings.HasPrefix(path, ".")) {
			return fs.SkipDir // they test the others, or hold no code; what is in them may go meanwhile
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		room := filepath.ToSlash(filepath.Dir(path))
		first := strings.Split(room, "/")[0]
		if _, own := imports[room]; !own {
			room = first
		}
		allowed, ok := imports[room]
		if !ok {
			t.Errorf("%s: the house has no room %q", path, room)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			kept := strings.HasPrefix(name, "truelag/")
			for _, library := range []string{clientGolang, binlogReplication} {
				if strings.HasPrefix(name, library+"/") {
					name, kept = library, true
				}
			}
			if kept && !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s, which %s may not", path, name, room)
			}
			if name == binlogReplication && path != filepath.Join("mysql", "binlog", "stream.go") {
				t.Errorf("%s imports %s, which is kept to one file", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
