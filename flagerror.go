package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/alecthomas/kingpin/v2"
)

// named makes a flag's value say in its errors which flag, or environment variable, is wrong and what would be right.
type named struct {
	kingpin.Value
	name  string // of the flag
	env   string // its environment variable
	right string // what it may be
}

// valueError is an error that says enough.
type valueError struct{ where, got, right string }

func (e *valueError) Error() string { return fmt.Sprintf("%s=%q: want %s", e.where, e.got, e.right) }

func (n *named) Set(s string) error {
	err := n.Value.Set(s)
	if err == nil {
		return nil
	}
	if n.right == "" {
		return fmt.Errorf("--%s=%q: %w", n.name, s, err)
	}
	if s == os.Getenv(n.env) {
		return &valueError{n.env, s, n.right}
	}
	return &valueError{"--" + n.name, s, n.right}
}

// IsBoolFlag and IsCumulative are what kingpin asks a value beside its interface.
func (n *named) IsBoolFlag() bool {
	v, ok := n.Value.(interface{ IsBoolFlag() bool })
	return ok && v.IsBoolFlag()
}

func (n *named) IsCumulative() bool {
	v, ok := n.Value.(interface{ IsCumulative() bool })
	return ok && v.IsCumulative()
}

var quoted = regexp.MustCompile(`^unknown long flag '--(?:no-)?([^'=]+)`)

// explain adds to an error of the command line what would be right.
func explain(app *kingpin.Application, err error) error {
	var value *valueError
	if errors.As(err, &value) {
		return err
	}
	if m := quoted.FindStringSubmatch(err.Error()); m != nil {
		var names []string
		for _, f := range app.Model().Flags {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		}
		best := slices.MinFunc(names, func(a, b string) int { return distance(a, m[1]) - distance(b, m[1]) })
		if distance(best, m[1]) <= max(2, len(best)/3) {
			return fmt.Errorf("%w; did you mean --%s?", err, best)
		}
	}
	return fmt.Errorf("%w; see %s --help", err, program)
}

// distance is how many letters must be changed, added or taken away to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, diagonal := i+1, i
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(left+1, row[j+1]+1, diagonal+cost)
			row[j], diagonal, left = left, row[j+1], next
		}
		row[len(b)] = left
	}
	return row[len(b)]
}
