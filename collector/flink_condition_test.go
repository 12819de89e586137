package collector

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The documentation has a row for each condition, in their order, and for nothing else.
func TestConditionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/flink-conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile(`(?s)\n## Conditions\n(.*?)\n## `).FindSubmatch(text)
	if section == nil {
		t.Fatal("there is no section on conditions")
	}
	var got, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllSubmatch(section[1], -1) {
		got = append(got, string(row[1]))
	}
	for _, c := range Conditions() {
		want = append(want, c.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("documented: %q\nconditions: %q", got, want)
	}
}
