package scenarios

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var dir = flag.String("dir", "kafka", "folder with the cases to play: *.yaml in it and in its subfolder kafka; relative to this package or to the module")

// worlds are how each case is played: every one must give the same numbers.
var worlds = []FakeConfig{{Hard: false}, {Hard: true}}

func newFake(t *testing.T, cfg FakeConfig) *Fake {
	t.Helper()
	f, err := NewFake(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// load reads the cases of the folder. Those with a mistake fail the test; the others are returned.
func load(t *testing.T) []Case {
	t.Helper()
	folder := *dir
	if _, err := os.Stat(folder); err != nil && !filepath.IsAbs(folder) {
		folder = filepath.Join("..", folder)
	}
	cases, err := Load(folder)
	if err != nil {
		t.Error(err)
	}
	return cases
}
