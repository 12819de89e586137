package config

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentation holds docs/configuration.md to the code: its examples load, it has every key, and what it shows of
// mistakes is what is printed of them.
func TestDocumentation(t *testing.T) {
	b, err := os.ReadFile("../docs/configuration.md")
	must(t, err)
	text := string(b)

	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(examples) < 5 {
		t.Errorf("only %d examples found", len(examples))
	}
	for _, e := range examples {
		root, err := document("example", []byte(e[1]))
		must(t, err)
		d := &decoder{file: "example", dir: ".", lines: map[string]int{}}
		var c Config
		d.decode(root, "", reflect.ValueOf(&c).Elem())
		if err := join(d.errs); err != nil {
			t.Errorf("%v, in\n%s", err, e[1])
			continue
		}
		v := validator{file: "example", lines: d.lines}
		v.config(&c)
		for _, e := range v.errs {
			if !strings.Contains(e.What, "no such file") { // it has the files of nobody
				t.Error(e)
			}
		}
	}

	for path := range schema(reflect.TypeFor[Config](), "") {
		if key := lastKey(path); !strings.Contains(text, "`"+key+"`") && !strings.Contains(text, "`"+path+"`") && key != "kafka" {
			t.Errorf("%s is not there as `%s`", path, key)
		}
	}

	golden, err := os.ReadFile("testdata/invalid.txt")
	must(t, err)
	messages := regexp.MustCompile(`(?m)^truelag\.yml(:.*)$`).FindAllStringSubmatch(text, -1)
	if len(messages) < 5 {
		t.Errorf("only %d messages found", len(messages))
	}
	for _, m := range messages {
		if !strings.Contains(string(golden), ".yml"+m[1]+"\n") {
			t.Errorf("no file of testdata is told %s", m[1])
		}
	}
}
