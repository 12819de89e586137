package exposition

import (
	"strings"
	"unicode/utf8"
)

// Label renders one label pair, name="value", with the value made valid as by LabelValue and escaped. Pairs are joined
// by commas, without braces. The name must be a label name.
func Label(name, value string) string {
	value = LabelValue(value)
	b := make([]byte, 0, len(name)+len(value)+len(`=""`))
	b = append(b, name...)
	b = append(b, '=', '"')
	b = appendEscaped(b, value, true)
	b = append(b, '"')
	return string(b)
}

// LabelValue is what stands in a label for a string of any bytes: a string of valid UTF-8, and never the same for two
// different strings. It is for label values that go through client_golang; Label applies it by itself.
//
// A valid string without U+FFFD stands for itself. In any other, each byte that is not part of valid UTF-8 becomes
// U+FFFD and the byte's two lower-case hex digits, and each U+FFFD becomes two. So what follows a U+FFFD always tells
// which it was, and the string can be read back.
func LabelValue(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, replacement) {
		return s
	}
	const digits = "0123456789abcdef"
	b := make([]byte, 0, 2*len(s))
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r != utf8.RuneError:
			b = append(b, s[:n]...)
		case n == 1:
			b = append(b, replacement...)
			b = append(b, digits[s[0]>>4], digits[s[0]&0xf])
		default:
			b = append(b, replacement+replacement...)
		}
		s = s[n:]
	}
	return string(b)
}

const replacement = string(utf8.RuneError)

// appendEscaped escapes backslash and newline, and the double quote where asked. None of them can be a part of a
// longer UTF-8 sequence.
func appendEscaped(b []byte, s string, quote bool) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b = append(b, `\\`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '"' && quote:
			b = append(b, `\"`...)
		default:
			b = append(b, c)
		}
	}
	return b
}
