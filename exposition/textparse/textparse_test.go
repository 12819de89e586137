package textparse

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

func TestPrometheusReadsTheSameSamples(t *testing.T) {
	want := lines(t, "wild.samples")
	for name, contentType := range map[string]string{
		"wild.prom": "text/plain; version=0.0.4; charset=utf-8",
		"wild.om":   "application/openmetrics-text; version=1.0.0; charset=utf-8",
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			got := read(t, text, contentType)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("sample %d: %q, want %q", i, at(got, i), at(want, i))
				}
			}
		})
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "none"
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// read spells the samples as wild.samples does, and checks each family's type and help.
func read(t *testing.T, text []byte, contentType string) []string {
	t.Helper()
	p, err := textparse.New(text, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatalf("after %d samples: %v", len(got), err)
		}
		switch entry {
		case textparse.EntryHelp:
			name, help := p.Help()
			want := "A \"help\" with a \\ and a\nnewline."
			if strings.HasPrefix(string(name), "wild_rewinds") {
				want = "Plain."
			}
			if string(help) != want {
				t.Errorf("%s: help %q, want %q", name, help, want)
			}
		case textparse.EntryType:
			name, kind := p.Type()
			want := "gauge"
			if strings.HasPrefix(string(name), "wild_rewinds") {
				want = "counter"
			}
			if string(kind) != want {
				t.Errorf("%s: type %s, want %s", name, kind, want)
			}
		case textparse.EntrySeries:
			_, timestamp, value := p.Series()
			if timestamp != nil {
				t.Errorf("sample %d has a timestamp", len(got))
			}
			var l labels.Labels
			p.Labels(&l)
			line := l.Get(labels.MetricName)
			for _, name := range []string{"group", "topic", "partition", "word", "kind"} {
				if v := l.Get(name); v != "" {
					line += fmt.Sprintf(" %s=%q", name, v)
				}
			}
			l.Range(func(l labels.Label) {
				if !slices.Contains([]string{labels.MetricName, "group", "topic", "partition", "word", "kind"}, l.Name) {
					t.Errorf("sample %d has a label %s", len(got), l.Name)
				}
			})
			got = append(got, line+fmt.Sprintf(" %g", value))
		default:
			t.Errorf("entry %d", entry)
		}
	}
}
