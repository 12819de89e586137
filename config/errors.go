package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is one thing that is wrong with a configuration, in one line.
type Error struct {
	File  string // empty for a configuration that does not come from a file
	Line  int    // 0: no line is to blame
	What  string // what was wrong; never a secret
	Right string // what would be right
}

func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	text := e.What
	if where != "" {
		text = where + ": " + text
	}
	if e.Right != "" {
		text += "; " + e.Right
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// join makes one error of many, in the order of their lines, a line each.
func join(errs []*Error) error {
	slices.SortStableFunc(errs, func(a, b *Error) int { return a.Line - b.Line })
	all := make([]error, len(errs))
	for i, e := range errs {
		all[i] = e
	}
	return errors.Join(all...)
}

// wrong is what a value's parser says: what was wrong with the value, and what would be right.
type wrong struct{ what, right string }

func (w *wrong) Error() string { return w.what + "; " + w.right }

// shown quotes what a user wrote for an error message. Text with an @ may be a URL with a password in it.
func shown(s string) string {
	if strings.Contains(s, "@") {
		return "text with an @ (not shown)"
	}
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "..."
	}
	if strconv.CanBackquote(s) {
		return `"` + s + `"`
	}
	return strconv.Quote(s)
}

// nearest finds the name that a misspelt one probably means; empty when none is near.
func nearest(name string, names []string) string {
	name = strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(name))
	best, least := "", max(2, len(name)/3)+1
	for _, n := range names {
		plain := strings.ToLower(strings.ReplaceAll(n, "-", "_"))
		d := min(distance(name, plain), distance(name, strings.ReplaceAll(plain, "_", "")))
		if d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is how many bytes must be changed, added or taken away to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
