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
	".":          {"truelag/config", "truelag/collector", "truelag/demo", "truelag/exposition", "truelag/flink", "truelag/kafka", "truelag/web"},
	"config":     {"truelag/flink", "truelag/kafka"},
	"collector":  {"truelag/exposition", "truelag/flink", "truelag/kafka", clientGolang},
	"demo":       {},
	"exposition": {},
	"flink":      {},
	"kafka":      {},
	"mysql":      {"truelag/mysql/gtid"},
	"web":        {},
}

const clientGolang = "github.com/prometheus/client_golang"

func TestImportsRunOneWay(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		room := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")[0]
		if room == "lab" || room == "scenarios" { // they test the others
			return nil
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
			if strings.HasPrefix(name, clientGolang) {
				name = clientGolang
			}
			if (strings.HasPrefix(name, "truelag/") || name == clientGolang) && !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s, which %s may not", path, name, room)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
