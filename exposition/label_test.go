package exposition_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"truelag/exposition"
)

func TestLabel(t *testing.T) {
	long := strings.Repeat("長い", 2000)
	for _, c := range []struct{ value, want string }{
		{"", `group=""`},
		{"billing", `group="billing"`},
		{" billing ", `group=" billing "`},
		{"グループ", `group="グループ"`},
		{`a"b`, `group="a\"b"`},
		{`a\b`, `group="a\\b"`},
		{"a\nb", `group="a\nb"`},
		{`a\nb`, `group="a\\nb"`},
		{"a\r\x00\tb", "group=\"a\r\x00\tb\""},
		{`{a="b",c="d"} 1`, `group="{a=\"b\",c=\"d\"} 1"`},
		{long, `group="` + long + `"`},
		{"\xff\xfe", "group=\"\uFFFDff\uFFFDfe\""},
		{"\xffff", "group=\"\uFFFDffff\""},
		{"a\x80\"", "group=\"a\uFFFD80\\\"\""},
		{"\uFFFD", "group=\"\uFFFD\uFFFD\""},
		{"\uFFFDff", "group=\"\uFFFD\uFFFDff\""},
		{"\xed\xa0\x80", "group=\"\uFFFDed\uFFFDa0\uFFFD80\""}, // a surrogate half is no UTF-8
	} {
		if got := exposition.Label("group", c.value); got != c.want {
			t.Errorf("%.40q: got %.60q, want %.60q", c.value, got, c.want)
		}
	}
}

// A label that can be read back to the string that it stands for stands for no other.
func FuzzLabel(f *testing.F) {
	for _, s := range awkward {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pair := exposition.Label("x", s)
		if !utf8.ValidString(pair) {
			t.Fatalf("%q gives %q, which is no UTF-8", s, pair)
		}
		value, err := unescape(pair)
		if err != nil {
			t.Fatalf("%q gives %q: %v", s, pair, err)
		}
		if value != exposition.LabelValue(s) {
			t.Fatalf("%q: Label says %q, LabelValue %q", s, value, exposition.LabelValue(s))
		}
		if plain := utf8.ValidString(s) && !strings.ContainsRune(s, utf8.RuneError); plain && value != s {
			t.Fatalf("%q became %q", s, value)
		}
		back, err := original(value)
		if err != nil {
			t.Fatalf("%q became %q: %v", s, value, err)
		}
		if back != s {
			t.Fatalf("%q became %q, which reads as %q", s, value, back)
		}
	})
}

// All short strings over the bytes that the scheme gives a meaning, no two of which may meet.
func TestLabelsOfDifferentStringsDiffer(t *testing.T) {
	pieces := []string{"f", "0", "\xff", "\xf0", "\xef", "\xbf", "\xbd", "\uFFFD", `\`, `"`, "\n", "n"}
	strs := []string{""}
	for last := strs; len(last[0]) < 4; {
		var next []string
		for _, s := range last {
			for _, p := range pieces {
				next = append(next, s+p)
			}
		}
		strs = append(strs, next...)
		last = next
	}
	seen := make(map[string]string)
	for _, s := range strs {
		l := exposition.Label("x", s)
		if other, ok := seen[l]; ok && other != s {
			t.Fatalf("%q and %q both become %q", s, other, l)
		}
		seen[l] = s
	}
}

// unescape reads the value of a rendered pair of label x as the formats' parsers do.
func unescape(pair string) (string, error) {
	s, ok := strings.CutPrefix(pair, `x="`)
	if !ok {
		return "", errors.New("no label x")
	}
	var b strings.Builder
	for len(s) > 0 {
		switch c := s[0]; c {
		case '"':
			if s != `"` {
				return "", fmt.Errorf("%q after the closing quote", s[1:])
			}
			return b.String(), nil
		case '\n':
			return "", errors.New("a bare newline")
		case '\\':
			if len(s) < 2 {
				return "", errors.New("ends in a backslash")
			}
			r, ok := map[byte]byte{'\\': '\\', '"': '"', 'n': '\n'}[s[1]]
			if !ok {
				return "", fmt.Errorf("escape %q", s[:2])
			}
			b.WriteByte(r)
			s = s[2:]
		default:
			b.WriteByte(c)
			s = s[1:]
		}
	}
	return "", errors.New("no closing quote")
}

// original reads back what LabelValue did.
func original(value string) (string, error) {
	const mark = "\uFFFD"
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(value, mark)
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		if rest, ok := strings.CutPrefix(after, mark); ok {
			b.WriteString(mark)
			value = rest
			continue
		}
		if len(after) < 2 {
			return "", fmt.Errorf("%q after U+FFFD", after)
		}
		c, err := strconv.ParseUint(after[:2], 16, 8)
		if err != nil {
			return "", err
		}
		b.WriteByte(byte(c))
		value = after[2:]
	}
}

// awkward are strings that have broken an exposition somewhere.
var awkward = []string{
	"", " ", "plain", `a"b`, `a\b`, "a\nb", "a\\nb", `\"`, `"`, `\`, "\n", "\r\n", "\t", "\x00", "a\x00b",
	"グループ", "日本語-топик", "\u2028", "\uFEFF", "\U0001F600", "e\u0301",
	"\xff\xfe", "\xffff", "\xc3", "\xc3\x28", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\uFFFD", "\uFFFDff", "\xef\xbf\xbd\xff", "\xef\xbf",
	`{group="g"} 1`, "a,b=c}", "# EOF\n", "\n# TYPE x gauge\nx 1\n", "{{.}}", "%s%d", strings.Repeat("x", 4000), strings.Repeat("é\xff", 2000),
}
